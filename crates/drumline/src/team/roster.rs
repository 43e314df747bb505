//! Which threads take part in a loop, and how many tickets for it are out.
//!
//! It knows neither the pool nor the parts: `ticket` puts the tickets into queues, and the loop has
//! the parts. `super` has the argument why a team does not stand still. This is how the counts bear
//! it:
//!
//! * A part that can be taken is shown first (its place says how much), then announced
//!   ([`add_tickets`](Roster::add_tickets)). If as many tickets are out as may be, no further one
//!   is put out.
//! * A ticket comes back ([`ticket_is_back`](Roster::ticket_is_back)), then its thread looks for a
//!   part.
//!
//! **The race feared**: the announcement counts a ticket that has just come back, and the thread
//! that brought it back does not see the part. No ticket is out then, and the part's owner goes
//! through all of it alone. Both sides store, run a fence, and load; so one of them sees the other.
//!
//! **The other one**: the announcement counts tickets that lie in the queue of a participant that
//! leaves, and takes them away with it ([`depart`](Roster::depart)). That participant takes its
//! tickets back first, each with a fence, and looks for an open part then. So it sees the part, and
//! announces it anew, or the announcement sees that the tickets are back.

use crate::latch::Sleeper;
use crate::sync::atomic::{AtomicUsize, Ordering, fence};
use crate::sync::{Mutex, lock, planted};

/// Which threads share a loop, and what is pending of it.
#[derive(Debug)]
pub(super) struct Roster {
    /// The most tickets that may be out.
    most_tickets: usize,
    /// How many places have been used. Written under the lock.
    used: AtomicUsize,
    /// How many tickets are out. It grows under the lock only.
    tickets: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Sides that are not done.
    pending: usize,
    /// The seat of the participant in each place.
    places: Vec<Option<usize>>,
    /// The caller, if it sleeps or is about to.
    sleeper: Option<Sleeper>,
}

/// No thread is in this place: it holds what was taken first.
pub(super) const NO_SEAT: usize = usize::MAX;

impl Roster {
    /// With one side pending, in the first place.
    pub(super) fn new(most_tickets: usize) -> Self {
        Roster {
            most_tickets,
            used: AtomicUsize::new(1),
            tickets: AtomicUsize::new(0),
            state: Mutex::new(State {
                pending: 1,
                places: vec![Some(NO_SEAT)],
                sleeper: None,
            }),
        }
    }

    /// How many places have been used.
    pub(super) fn used(&self) -> usize {
        // Relaxed: publishes nothing. A participant that looks through too few of them finds a
        // ticket of the others.
        self.used.load(Ordering::Relaxed)
    }

    pub(super) fn add_side(&self) {
        lock(&self.state).pending += 1;
    }

    /// The thread in this seat takes part from now on. Returns its place.
    pub(super) fn enter(&self, seat: usize) -> usize {
        let mut state = lock(&self.state);
        let place = match state.places.iter().position(Option::is_none) {
            Some(free) => free,
            None => {
                state.places.push(None);
                state.places.len() - 1
            }
        };
        state.places[place] = Some(seat);
        // Relaxed: a hint, see `used`; the places are found through their own locks.
        self.used.store(state.places.len(), Ordering::Relaxed);
        place
    }

    /// The thread in this place takes part no longer; it has nothing left. It takes its tickets
    /// back, and puts out others if something is open. Another participant may rely on the tickets,
    /// or this thread stands down, or unwinds.
    pub(super) fn depart(
        &self,
        place: usize,
        withdraw: impl FnOnce(),
        is_open: impl FnOnce() -> bool,
        announce: impl FnOnce(),
    ) {
        let is_open = if planted!(LooksBeforeWithdraw) {
            let is_open = is_open();
            withdraw();
            is_open
        } else {
            withdraw();
            is_open()
        };
        lock(&self.state).places[place] = None;
        if is_open && !planted!(LeavesOpen) {
            announce();
        }
    }

    /// All items of a side have been delivered. Returns the caller, if it is to be woken.
    pub(super) fn settle(&self) -> Option<Sleeper> {
        let mut state = lock(&self.state);
        state.pending -= 1;
        if state.pending == 0 && !planted!(TeamWakesNone) {
            state.sleeper.take()
        } else {
            None
        }
    }

    /// Whether all sides are done.
    pub(super) fn is_done(&self) -> bool {
        lock(&self.state).pending == 0
    }

    /// Names the caller, which is about to sleep. `false`: all is done.
    pub(super) fn watch(&self, sleeper: Sleeper) -> bool {
        let mut state = lock(&self.state);
        if state.pending == 0 {
            return false;
        }
        state.sleeper = Some(sleeper);
        true
    }

    /// The seat in this place, or none, if the place exists.
    pub(super) fn runner(&self, place: usize) -> Option<Option<usize>> {
        lock(&self.state).places.get(place).copied()
    }

    pub(super) fn is_runner(&self, seat: usize) -> bool {
        lock(&self.state).places.contains(&Some(seat))
    }

    /// A part is open, and shows it. Returns how many tickets are to be put out, up to `wanted`,
    /// and counts them as out. With the caller, if it sleeps: it is to be roused, and needs no
    /// ticket.
    pub(super) fn add_tickets(&self, wanted: usize) -> (usize, Option<Sleeper>) {
        if !planted!(AnnouncesUnfenced) {
            // Pairs with the fence in `ticket_is_back`.
            fence(Ordering::SeqCst);
        }
        let state = lock(&self.state);
        // Relaxed: a bound, by which nothing is published. The lock keeps others from adding.
        let out = self.tickets.load(Ordering::Relaxed);
        let more = wanted.min(self.most_tickets.saturating_sub(out));
        self.tickets.fetch_add(more, Ordering::Relaxed);
        (more, state.sleeper)
    }

    /// A ticket is out no longer. A look for an open part is to follow.
    pub(super) fn ticket_is_back(&self) {
        // Relaxed: as in `add_tickets`. Without the lock: each helper does this once, and with
        // 128 of them the lock is what they wait for.
        self.tickets.fetch_sub(1, Ordering::Relaxed);
        // Pairs with the fence in `add_tickets`.
        fence(Ordering::SeqCst);
    }
}
