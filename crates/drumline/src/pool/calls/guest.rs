//! Calls from threads outside the pool.
//!
//! A guest borrows a seat for the length of one call and runs the call itself:
//! no hand-over, no context switch. It counts among the active threads, but
//! is let in also when no place is free. Where the pool has no workers at all,
//! a guest that leaves first runs what was spawned from its seat.
//!
//! A guest that is inside during a `fork` goes on alone in the child. A thread of the parent may
//! hold the thief-lock of its deque, so the guest opens it (`pool::waiting`). It touches no lock of
//! the pool on its way out.

use crate::pool::shared::local::{self, Restore};
use crate::pool::shared::registry::Registry;
use crate::pool::shared::seat::Seat;
use crate::unwind;

/// A guest's stay; ends when it is dropped, also by a panic of the call.
struct GuestStay<'a> {
    registry: &'a Registry,
    seat: &'a Seat,
    restore: Option<Restore>,
}

impl Drop for GuestStay<'_> {
    fn drop(&mut self) {
        self.seat.set_outer(std::ptr::null());
        self.restore = None;
        self.registry.dismiss(self.seat);
    }
}

/// Runs `op` on this thread, as a member of the pool.
///
/// # Panics
///
/// Where `op` panics, and in a forked child.
pub(crate) fn enter<R>(registry: &Registry, op: impl FnOnce(&Seat) -> R) -> R {
    registry.forbid_fork();
    if let Some(seat) = local::find(registry) {
        // In the pool already, perhaps with calls into other pools in between.
        let _reentry = local::reenter(seat);
        return op(seat);
    }
    let seat = registry.admit();
    let restore = local::switch(seat, seat.first_deque());
    seat.set_outer(restore.seat());
    let _visit = GuestStay {
        registry,
        seat,
        restore: Some(restore),
    };
    let outcome = unwind::catch(|| op(seat));
    if seat.queue().len() > 0 && registry.has_lost_workers() {
        // No other thread will run what was spawned here.
        while let Some(job) = seat.queue().pop() {
            // SAFETY: taken from its queue, so it is run here and only here.
            unsafe { seat.run(job) };
        }
    }
    outcome.unwrap_or_else(|payload| unwind::resume(payload))
}

/// Runs `op` on this thread: as a member of the pool if that takes guests, or else outside.
pub(crate) fn visit<R>(registry: &Registry, op: impl FnOnce() -> R) -> R {
    if may_visit(registry) {
        enter(registry, |_| op())
    } else {
        op()
    }
}

/// Whether this thread may run something as a member of the pool.
pub(crate) fn may_visit(registry: &Registry) -> bool {
    registry.has_guests() || local::find(registry).is_some()
}

/// Whether this thread may do the work of the pool's workers: as a member of the pool, or because
/// there is no worker.
pub(crate) fn may_work(registry: &Registry) -> bool {
    may_visit(registry) || registry.workers() == 0
}

/// Whether this thread is in a pool.
pub(crate) fn is_in_any() -> bool {
    local::seat().is_some()
}

/// Whether the pool is the one that this thread has entered last.
pub(crate) fn is_inmost(registry: &Registry) -> bool {
    local::seat().is_some_and(|seat| std::ptr::eq(seat.registry(), registry))
}
