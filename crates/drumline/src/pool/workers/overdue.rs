//! Jobs that have waited for long, and when a worker looks for them.
//!
//! A worker takes the nearest job first. Tasks that wake themselves, or each other, or that spawn
//! what they wait for, could keep it busy for ever. So each [`JOBS_BETWEEN_LOOKS`] jobs it looks in
//! one further place, each of these in turn:
//!
//! * what came from outside;
//! * the first of the tasks that were woken or that yielded;
//! * the oldest job that was spawned here, if it was the oldest [`STALE`] ago. Spawned jobs run
//!   last-in first-out, so this disturbs an order that programs may see: no other look takes it;
//! * what another thread has: the oldest job of its queue, the halves of its joins, the task in its
//!   hand-off slot, if the same was there [`STALE`] ago. That thread may have no place, because it
//!   waits or blocks. Then it does not come to them, and the worker that has its place may never be
//!   idle.
//!
//! Halves that no other thread may take, because the barrier is not there yet or is lost, come into
//! reach by such a look: no thread of a pool that is never idle asks for the barrier otherwise.
//!
//! # Why a job of another queue has to wait for long
//!
//! To take a job from there at once, each time, makes long chains of tasks that wait for each other
//! start hundreds of threads: the worker begins a link in the middle, and waits in its turn
//! (`tests/needs_spares_depth.rs`). Idle workers take jobs from there as well, and go through such
//! a chain from its old end. As long as they do, the oldest job is another one each time.
//!
//! # Why the oldest of its own has to wait, too
//!
//! It is a ticket for jobs of another thread where a worker helps with a scope. Each job that
//! changes threads takes along the memory that it owns, and the allocator of most systems gives
//! that back to the thread that had it first, under a lock. A walk of a directory tree of 65 ms
//! took 20 to 70 such jobs in this way.
//!
//! # What it costs
//!
//! The looks at spawned jobs and elsewhere, two in four, take a lock and read the clock; the others
//! take one if there are jobs behind it. Each look elsewhere visits another queue. With `n` queues
//! that hold jobs, one of them is visited each `244 × n` jobs of a worker, whatever the number of
//! workers.

use std::time::Duration;

use crate::pool::queues::job_queue::Oldest;
use crate::pool::shared::registry::Registry;
use crate::pool::shared::seat::Seat;
use crate::sync::Instant;

/// Jobs from one look to the next.
const JOBS_BETWEEN_LOOKS: u32 = 61;
/// For how long the oldest job of a queue must have been there.
const STALE: Duration = Duration::from_millis(10);
/// At most this many seats are passed in one look.
const SEATS_AT_ONCE: usize = 256;

/// Where a job may lie that has waited for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overdue {
    /// It came from outside.
    Shared,
    /// The first of the tasks that were woken.
    Woken,
    /// The oldest that was spawned here.
    Spawned,
    /// With another thread.
    Elsewhere,
}

/// What is at rest in the seat of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stale {
    /// The oldest job of its queue.
    Queued,
    /// Halves of joins.
    Half,
    /// The task in its hand-off slot.
    HandedOff,
}

/// A number that stays the same while such a thing is at rest, and since when it is the same.
#[derive(Clone, Copy, Debug)]
struct Rest {
    number: Number,
    since: Instant,
}

/// Stays the same while a thing is at rest.
type Number = Oldest;

impl Rest {
    /// What is at rest `now`: as before if it has the same number.
    fn note(rest: &mut Option<Rest>, number: Option<Number>, now: Instant) {
        if rest.map(|rest| rest.number) != number {
            *rest = number.map(|number| Rest { number, since: now });
        }
    }

    fn is_stale(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= STALE
    }
}

/// What was seen in one seat.
#[derive(Clone, Copy, Debug, Default)]
struct Seen([Option<Rest>; 3]);

impl Seen {
    /// Notes what is at rest there now.
    fn note(&mut self, place: Stale, number: Option<Number>, now: Instant) {
        Rest::note(&mut self.0[place as usize], number, now);
    }

    /// What has been at rest for the longest time, if that is long enough; it is noted anew then.
    fn take_stale(&mut self, now: Instant) -> Option<Stale> {
        let places = [Stale::Queued, Stale::Half, Stale::HandedOff];
        let at_rest = |place| Some((place, self.0[place as usize]?));
        let longest = places.into_iter().filter_map(at_rest);
        let (place, rest) = longest.min_by_key(|(_, rest)| rest.since)?;
        rest.is_stale(now).then(|| {
            self.0[place as usize] = None;
            place
        })
    }
}

/// What a worker remembers from look to look.
#[derive(Debug)]
pub(crate) struct OverdueLooks {
    /// Jobs since the last look.
    jobs: u32,
    /// The next place.
    place: Overdue,
    /// The seat from which on the next queue is visited.
    cursor: usize,
    /// The oldest job that was spawned here.
    spawned: Option<Rest>,
    /// Of each seat, what was seen there last.
    seen: Vec<Seen>,
}

impl OverdueLooks {
    /// For the worker in the seat `me`.
    pub(crate) fn new(me: usize) -> Self {
        OverdueLooks {
            jobs: 0,
            place: Overdue::Shared,
            cursor: me + 1,
            spawned: None,
            seen: Vec::new(),
        }
    }

    /// Counts a job that the worker is about to take. Where to look first, if it is time.
    pub(crate) fn next(&mut self) -> Option<Overdue> {
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

    /// The oldest job that was spawned here, if it has waited for long.
    pub(crate) fn stale_spawn(&mut self, oldest: Option<Oldest>, now: Instant) -> Option<Oldest> {
        Rest::note(&mut self.spawned, oldest, now);
        let is_stale = self.spawned.is_some_and(|rest| rest.is_stale(now));
        oldest.filter(|_| is_stale)
    }

    /// What another thread has kept waiting for long in the next seat that has work, if so.
    pub(crate) fn visit<'a>(
        &mut self,
        registry: &'a Registry,
        me: usize,
    ) -> Option<(&'a Seat, Stale)> {
        let mut seats = registry.seats_in_use(self.cursor).take(SEATS_AT_ONCE);
        let mut passed = self.cursor;
        let victim = seats.find(|seat| {
            passed = seat.index();
            seat.index() != me && (seat.has_work() || seat.has_hidden_halves())
        });
        self.cursor = passed + 1;
        let victim = victim?;
        if victim.has_hidden_halves() {
            victim.uncover_halves();
        }
        let index = victim.index();
        if index >= self.seen.len() {
            self.seen.resize(index + 1, Seen::default());
        }
        let now = Instant::now();
        let seen = &mut self.seen[index];
        // Another job may lie at the address of one that has run. Then this is too early, and does
        // no harm.
        let oldest = (victim.queue().len() > 0)
            .then(|| victim.queue().oldest())
            .flatten();
        let halves = (victim.halves() > 0).then(|| (victim.forks(), 0));
        let handed_off = victim.hand_off().turn().map(|turn| (turn, 0));
        seen.note(Stale::Queued, oldest, now);
        seen.note(Stale::Half, halves, now);
        seen.note(Stale::HandedOff, handed_off, now);
        seen.take_stale(now).map(|stale| (victim, stale))
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    /// What programs may see of the order of spawned jobs is disturbed once in 244 jobs at most.
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

    #[test]
    fn a_spawned_job_is_stale_after_a_while() {
        let mut looks = OverdueLooks::new(0);
        let start = Instant::now();
        let mut look = |job, rests| looks.stale_spawn(job, start + STALE * rests);
        assert_eq!(look(Some((1, 0)), 0), None);
        assert_eq!(
            look(Some((1, 1)), 2),
            None,
            "another job at the same address"
        );
        assert_eq!(look(Some((1, 1)), 3), Some((1, 1)));
        assert_eq!(look(None, 4), None);
        assert_eq!(look(Some((1, 1)), 5), None);
    }

    /// One kind of work that is always at rest does not hide the others.
    #[test]
    fn what_has_rested_longest_is_first() {
        let mut seen = Seen::default();
        let start = Instant::now();
        let at = |rests: u32| start + STALE * rests;
        seen.note(Stale::Half, Some((1, 0)), at(0));
        assert_eq!(seen.take_stale(at(0)), None);
        seen.note(Stale::Queued, Some((1, 0)), at(1));
        assert_eq!(seen.take_stale(at(2)), Some(Stale::Half));
        seen.note(Stale::Half, Some((1, 0)), at(2));
        assert_eq!(seen.take_stale(at(3)), Some(Stale::Queued));
        seen.note(Stale::Half, Some((2, 0)), at(3));
        assert_eq!(seen.take_stale(at(3)), None);
        seen.note(Stale::Half, None, at(3));
        assert_eq!(seen.take_stale(at(9)), None);
    }
}
