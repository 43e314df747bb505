//! The threads of a pool that share one loop.

use super::roster::{NO_SEAT, Roster};
use crate::pool::{Registry, local};
use crate::sync::Arc;

/// What a team shares.
pub(crate) trait Shared: Send + Sync + Sized {
    /// The team.
    fn team(&self) -> &Team;

    /// Whether a thread could take some of what another participant has left.
    fn is_open(&self) -> bool;

    /// Takes part until nothing is open. It must not unwind.
    fn take_part(self: &Arc<Self>);
}

/// The threads that share one loop.
pub(crate) struct Team {
    registry: *const Registry,
    roster: Roster,
}

// SAFETY: `registry` is used as a shared reference only, and `Registry` is `Sync`; the roster is
// itself `Send` and `Sync`.
unsafe impl Send for Team {}
// SAFETY: as for `Send`.
unsafe impl Sync for Team {}

impl Team {
    /// The place of what was taken first.
    pub(crate) const FIRST: usize = 0;

    /// A team of threads of this thread's pool, with one side pending, in the first place.
    pub(crate) fn found() -> Team {
        let seat = local::seat().expect("a loop runs inside a pool");
        let registry = seat.registry();
        Team {
            registry: std::ptr::from_ref(registry),
            roster: Roster::new(registry.jobs()),
        }
    }

    /// The pool of the team. To be called only while a side is pending.
    pub(super) fn registry(&self) -> &Registry {
        // SAFETY: the caller is inside the pool, and waits for all sides.
        unsafe { &*self.registry }
    }

    pub(super) fn roster(&self) -> &Roster {
        &self.roster
    }

    /// How many places have been used.
    pub(crate) fn used(&self) -> usize {
        self.roster.used()
    }

    /// The caller brings in a side of its own.
    pub(crate) fn add_side(&self) {
        self.roster.add_side();
    }

    /// This thread takes part from now on. Returns its place.
    pub(crate) fn enter(&self) -> usize {
        let seat = local::seat().map_or(NO_SEAT, |seat| seat.index());
        self.roster.enter(seat)
    }

    /// All items of a side have been delivered. The caller may be gone after this.
    pub(crate) fn settle(&self) {
        if let Some(sleeper) = self.roster.settle() {
            // SAFETY: this thread is in the pool, so the seat of the caller is alive. It is taken
            // out once.
            unsafe { sleeper.wake() };
        }
    }

    /// How many tickets are to be put out, up to `wanted`; counts them as out. The caller is roused
    /// if it sleeps: it needs none.
    pub(super) fn needs_tickets(&self, wanted: usize) -> usize {
        let (more, sleeper) = self.roster.add_tickets(wanted);
        if let Some(sleeper) = sleeper {
            // SAFETY: the side of the part that is announced is pending, so the caller waits, in
            // its seat.
            unsafe { sleeper.rouse() };
        }
        more
    }
}

/// Whether this thread should make room for another one that has come back from a wait.
pub(crate) fn must_stand_down() -> bool {
    local::seat().is_some_and(|seat| seat.registry().idle_set().is_overfull())
}
