//! Jobs that have waited for long, and when a worker looks for them.
//!
//! A worker takes the nearest job first. Tasks that wake themselves, or each other, or that spawn
//! what they wait for, could keep it busy for ever. So each [`JOBS_BETWEEN_LOOKS`] jobs it looks in
//! one further place, each of these in turn:
//!
//! * what came from outside;
//! * the first of the tasks that were woken or that yielded;
//! * the oldest job that was spawned here. Spawned jobs run last-in first-out, so this disturbs an
//!   order that programs may see: no other look takes it;
//! * the oldest job of another queue, if it was there [`STALE`] ago. The thread of that queue may
//!   have no place, because it waits or blocks. Then it does not come to its queue, and the worker
//!   that has its place may never be idle.
//!
//! # Why another queue waits for so long
//!
//! To take a job from there at once, each time, makes long chains of tasks that wait for each other
//! start hundreds of threads: the worker begins a link in the middle, and waits in its turn
//! (`tests/needs_spares_depth.rs`). Idle workers take jobs from there as well, and go through such
//! a chain from its old end. As long as they do, the oldest job is another one each time.
//!
//! # What it costs
//!
//! One look in four takes the lock of one other queue, and reads the clock: each 244 jobs. Each
//! look visits another queue. With `n` queues that hold jobs, one of them is visited each `244 × n`
//! jobs of a worker, whatever the number of workers.

use std::time::Duration;

use super::registry::Registry;
use super::seat::Seat;
use crate::sync::Instant;

/// Jobs from one look to the next.
const JOBS_BETWEEN_LOOKS: u32 = 61;
/// For how long the oldest job of another queue must have been there.
const STALE: Duration = Duration::from_millis(10);
/// At most this many seats are passed in one look.
const SEATS_AT_ONCE: usize = 256;

/// Where a job may lie that has waited for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overdue {
    /// It came from outside.
    Shared,
    /// The first of the tasks that were woken.
    Woken,
    /// The oldest that was spawned here.
    Spawned,
    /// In the queue of another thread.
    Elsewhere,
}

/// What was the oldest job of a queue, and since when.
#[derive(Clone, Copy, Debug)]
struct Oldest {
    address: usize,
    since: Instant,
}

/// What a worker remembers from look to look.
#[derive(Debug)]
pub(super) struct OverdueLooks {
    /// Jobs since the last look.
    jobs: u32,
    /// The next place.
    place: Overdue,
    /// The seat from which on the next queue is visited.
    cursor: usize,
    /// Of the queue of each seat, what was seen there last.
    seen: Vec<Option<Oldest>>,
}

impl OverdueLooks {
    /// For the worker in the seat `me`.
    pub(super) fn new(me: usize) -> Self {
        OverdueLooks {
            jobs: 0,
            place: Overdue::Shared,
            cursor: me + 1,
            seen: Vec::new(),
        }
    }

    /// Counts a job that the worker is about to take. Where to look first, if it is time.
    pub(super) fn next(&mut self) -> Option<Overdue> {
        self.jobs += 1;
        if self.jobs < JOBS_BETWEEN_LOOKS {
            return None;
        }
        self.jobs = 0;
        let place = self.place;
        self.place = match place {
            Overdue::Shared => Overdue::Woken,
            Overdue::Woken => Overdue::Spawned,
            Overdue::Spawned => Overdue::Elsewhere,
            Overdue::Elsewhere => Overdue::Shared,
        };
        Some(place)
    }

    /// The seat of another thread whose oldest job has been there for long, if the next one is
    /// such.
    pub(super) fn visit<'a>(&mut self, registry: &'a Registry, me: usize) -> Option<&'a Seat> {
        let mut seats = registry.seats_in_use(self.cursor).take(SEATS_AT_ONCE);
        let mut passed = self.cursor;
        let victim = seats.find(|seat| {
            passed = seat.index();
            seat.index() != me && seat.queue().len() > 0
        });
        self.cursor = passed + 1;
        let victim = victim?;
        let index = victim.index();
        let address = victim.queue().oldest()?;
        if index >= self.seen.len() {
            self.seen.resize(index + 1, None);
        }
        let now = Instant::now();
        let seen = &mut self.seen[index];
        match *seen {
            Some(oldest) if oldest.address == address => {
                // Another job may lie at the address of one that has run. Then this is too early,
                // and does no harm.
                let is_stale = now.saturating_duration_since(oldest.since) >= STALE;
                is_stale.then(|| {
                    *seen = None;
                    victim
                })
            }
            _ => {
                *seen = Some(Oldest {
                    address,
                    since: now,
                });
                None
            }
        }
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    /// What programs may see of the order of spawned jobs is disturbed once in 244 jobs.
    #[test]
    fn each_place_has_its_turn() {
        let mut looks = OverdueLooks::new(0);
        let turns: Vec<_> = (1..=610)
            .filter_map(|job| Some((job, looks.next()?)))
            .collect();
        let expected = [
            (61, Overdue::Shared),
            (122, Overdue::Woken),
            (183, Overdue::Spawned),
            (244, Overdue::Elsewhere),
            (305, Overdue::Shared),
        ];
        assert_eq!(turns[..5], expected);
        assert_eq!(turns.len(), 10);
    }
}
