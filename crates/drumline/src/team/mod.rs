//! Teams: the threads that share one loop.
//!
//! A loop that no thread helps has no team. The thread that first takes a part of a loop *founds*
//! one (`iter::plumbing::shared`): it puts what it took where all participants find it. From then
//! on the parts of the loop are no entries of any deque. A participant takes half of what another
//! one has left out of that one's place, and no owner is interrupted for that.
//!
//! # What it owns
//!
//! * How many *sides* are pending. The items that were taken first are one. What the loop's own
//!   thread, its *caller*, brings in later is another one.
//! * The *places*, and which seat is in which. The parts themselves are of the loop's own types,
//!   and lie beside this, a place each.
//! * The *tickets* that are out. A ticket is a job in a queue of the pool: the thread that takes it
//!   looks for a part, and becomes a participant if there is one.
//! * The caller, once it sleeps.
//!
//! ```text
//!             found()             rob(): half of a part         all sides delivered
//!   (no team) ────────► pending ◄──────────────────────► … ──────────────────────────► done
//!                          │  enter() ─► a place ─► leave()                              │
//!                          └─ caller: watch() names it ────────── settle() wakes it ◄────┘
//! ```
//!
//! # What keeps it from standing still
//!
//! > While a part is open, that is, while its place says that a thread could take some of it, a
//! > ticket is out, or a participant is about to look for a part.
//!
//! * A participant that has taken a part puts out tickets before it begins with it.
//! * A part that has become open again (its items turned out to be long, or more came of one of
//!   them) is announced ([`reopened`](Team::reopened)).
//! * A participant that leaves takes its tickets back, takes the lock, and looks then: it puts out
//!   a ticket while a part is open. It may stand down for another thread, or another participant
//!   has put out no ticket, because there were these.
//! * A thread that has redeemed a ticket looks at all places before it goes.
//!
//! The caller is no worker: it takes part while a part is open ([`wait`]), and sleeps when none is.
//! It names itself under the lock, and looks once more. A participant that announces a part takes
//! the same lock after the part can be seen. So either the caller sees the part, or the participant
//! sees the caller.
//!
//! # The races feared
//!
//! *The caller returns, and its frame is gone, while a participant still uses it.* A participant
//! uses the frame for items, states and results. The side that an item belongs to is pending until
//! the results of all its parts have been joined, and that is the last that a participant does with
//! any of them. The team itself, and the places, are shared by reference count. Empty places own
//! nothing of the caller's.
//!
//! *A wake-up is lost, or comes twice.* `settle` and `watch` change the state under one lock, and
//! the sleeper is taken out there.

mod ticket;
mod wait;

use crate::latch::Sleeper;
use crate::pool::{Registry, local};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Arc, Mutex, lock, planted};

pub(crate) use ticket::{redeem_next, withdraw};
pub(crate) use wait::wait;

/// What a team shares.
pub(crate) trait Shared: Send + Sync + Sized {
    /// The team.
    fn team(&self) -> &Team;

    /// Whether a thread could take some of what another participant has left.
    fn is_open(&self) -> bool;

    /// Takes part until nothing is open. It must not unwind.
    fn take_part(self: &Arc<Self>);
}

/// The number of tickets that a participant puts out at once, and of workers that it wakes for
/// them. Each thread that takes one does the same. With two workers each, the last of 64 was at
/// work 1.5 times as late by simulation, where a wake-up takes 50 µs.
const TICKETS: usize = 4;

/// The threads that share one loop.
pub(crate) struct Team {
    registry: *const Registry,
    /// The most tickets that may be out.
    most_tickets: usize,
    /// How many places have been used. Written under the lock.
    used: AtomicUsize,
    /// How many tickets are out. It grows under the lock only.
    tickets: AtomicUsize,
    state: Mutex<State>,
}

// SAFETY: `registry` is used as a shared reference only, and `Registry` is `Sync`; the rest is
// under the mutex.
unsafe impl Send for Team {}
// SAFETY: as for `Send`.
unsafe impl Sync for Team {}

struct State {
    /// Sides that are not done.
    pending: usize,
    /// The seat of the participant in each place.
    places: Vec<Option<usize>>,
    /// The caller, if it sleeps or is about to.
    sleeper: Option<Sleeper>,
}

/// No thread is in this place: it holds what was taken first.
const NO_SEAT: usize = usize::MAX;

impl Team {
    /// The place of what was taken first.
    pub(crate) const FIRST: usize = 0;

    /// A team of threads of this thread's pool, with one side pending, in the first place.
    pub(crate) fn found() -> Team {
        let seat = local::seat().expect("a loop runs inside a pool");
        let registry = seat.registry();
        Team {
            registry: std::ptr::from_ref(registry),
            most_tickets: registry.jobs(),
            used: AtomicUsize::new(1),
            tickets: AtomicUsize::new(0),
            state: Mutex::new(State {
                pending: 1,
                places: vec![Some(NO_SEAT)],
                sleeper: None,
            }),
        }
    }

    /// The pool of the team. To be called only while a side is pending.
    fn registry(&self) -> &Registry {
        // SAFETY: the caller is inside the pool, and waits for all sides.
        unsafe { &*self.registry }
    }

    /// How many places have been used.
    pub(crate) fn used(&self) -> usize {
        // Relaxed: publishes nothing. A participant that looks through too few of them finds a
        // ticket of the others.
        self.used.load(Ordering::Relaxed)
    }

    /// The caller brings in a side of its own.
    pub(crate) fn add_side(&self) {
        lock(&self.state).pending += 1;
    }

    /// This thread takes part from now on. Returns its place.
    pub(crate) fn enter(&self) -> usize {
        let seat = local::seat().map_or(NO_SEAT, |seat| seat.index());
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

    /// The thread in this place takes part no longer. It has nothing left.
    pub(crate) fn leave(&self, place: usize) {
        lock(&self.state).places[place] = None;
    }

    /// All items of a side have been delivered. The caller may be gone after this.
    pub(crate) fn settle(&self) {
        let sleeper = {
            let mut state = lock(&self.state);
            state.pending -= 1;
            if state.pending == 0 && !planted!(TeamWakesNone) {
                state.sleeper.take()
            } else {
                None
            }
        };
        if let Some(sleeper) = sleeper {
            // SAFETY: this thread is in the pool, so the seat of the caller is alive. It is taken
            // out once.
            unsafe { sleeper.wake() };
        }
    }

    /// Whether all sides are done.
    pub(crate) fn is_done(&self) -> bool {
        lock(&self.state).pending == 0
    }

    /// Names the caller, which is about to sleep. `false`: all is done.
    fn watch(&self, sleeper: Sleeper) -> bool {
        let mut state = lock(&self.state);
        if state.pending == 0 {
            return false;
        }
        state.sleeper = Some(sleeper);
        true
    }

    /// The seat in this place, or none, if the place exists.
    fn runner(&self, place: usize) -> Option<Option<usize>> {
        lock(&self.state).places.get(place).copied()
    }

    fn is_runner(&self, seat: usize) -> bool {
        lock(&self.state).places.contains(&Some(seat))
    }

    /// How many tickets are to be put out, up to `wanted`; counts them as out. The caller is roused
    /// if it sleeps: it needs none.
    fn needs_tickets(&self, wanted: usize) -> usize {
        let (more, sleeper) = {
            let state = lock(&self.state);
            // Relaxed: a bound, by which nothing is published. The lock keeps others from adding.
            let out = self.tickets.load(Ordering::Relaxed);
            let more = wanted.min(self.most_tickets.saturating_sub(out));
            self.tickets.fetch_add(more, Ordering::Relaxed);
            (more, state.sleeper)
        };
        if let Some(sleeper) = sleeper {
            // SAFETY: the side of the part that is announced is pending, so the caller waits, in
            // its seat.
            unsafe { sleeper.rouse() };
        }
        more
    }

    /// A ticket is out no longer.
    fn ticket_is_back(&self) {
        // Relaxed: as in `needs_tickets`. Without the lock: each helper does this once, and with
        // 128 of them the lock is what they wait for.
        self.tickets.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether this thread should make room for another one that has come back from a wait.
pub(crate) fn must_stand_down() -> bool {
    local::seat().is_some_and(|seat| seat.registry().idle_set().is_overfull())
}
