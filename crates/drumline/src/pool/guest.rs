//! Calls from threads outside the pool.
//!
//! A guest borrows a seat for the length of one call and runs the call itself:
//! no hand-over, no context switch. It counts among the active threads, but
//! is let in also when no place is free.

use super::local::{self, Restore};
use super::registry::Registry;
use super::seat::Seat;

/// A guest's stay; ends when it is dropped, also by a panic of the call.
struct Visit<'a> {
    registry: &'a Registry,
    seat: &'a Seat,
    restore: Option<Restore>,
}

impl Drop for Visit<'_> {
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
        let _restore = local::switch(seat, seat.current());
        return op(seat);
    }
    let seat = registry.admit();
    let restore = local::switch(seat, seat.first_deque());
    seat.set_outer(restore.seat());
    let _visit = Visit {
        registry,
        seat,
        restore: Some(restore),
    };
    op(seat)
}
