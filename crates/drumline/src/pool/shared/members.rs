//! The members of a pool for good: threads that are neither workers, spares nor guests.

use std::sync::OnceLock;

use crate::sync::atomic::{AtomicUsize, Ordering};

/// How many threads are members for good, and whether broadcasts go to one.
#[derive(Debug)]
pub(crate) struct Members {
    count: AtomicUsize,
    /// The seat of the member that broadcasts go to.
    broadcast_seat: OnceLock<usize>,
}

impl Members {
    pub(super) fn new() -> Self {
        Members {
            count: AtomicUsize::new(0),
            broadcast_seat: OnceLock::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        // Relaxed, here and below: written before the pool has other threads.
        self.count.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// From now on broadcasts go to the member with this seat, too.
    pub(crate) fn broadcast_to(&self, seat: usize) {
        let is_first = self.broadcast_seat.set(seat).is_ok();
        debug_assert!(is_first, "one thread builds a pool");
    }

    /// The seat of the member that broadcasts go to.
    pub(super) fn broadcast_seat(&self) -> Option<usize> {
        self.broadcast_seat.get().copied()
    }

    /// Whether broadcasts go to the member with this seat.
    pub(crate) fn is_broadcast_to(&self, seat: usize) -> bool {
        self.broadcast_seat.get() == Some(&seat)
    }
}
