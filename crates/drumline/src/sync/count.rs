//! Numbers that are kept for statistics: written by one thread at a time, read by any.
//!
//! The standard library's atomics also under a model checker: they publish nothing and no thread
//! waits for them, so that a step of the model for each would only be time lost.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How often something has happened.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicUsize);

impl Count {
    /// Once more. A load and a store, no read-modify-write: where two threads
    /// count at once, one may be lost.
    #[inline]
    pub(crate) fn up(&self) {
        // Relaxed, here and below: nothing is published by it.
        let so_far = self.0.load(Ordering::Relaxed);
        self.0.store(so_far.wrapping_add(1), Ordering::Relaxed);
    }
}

#[cfg(not(drumline_loom))]
impl Count {
    /// Once more, where several threads may count at once.
    pub(crate) fn up_shared(&self) {
        // Relaxed: as in `up`.
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How often so far.
    pub(crate) fn get(&self) -> u64 {
        // Relaxed: the number is of the past in any case.
        self.0.load(Ordering::Relaxed) as u64
    }
}

/// A number that is set, and the largest of many.
#[derive(Debug, Default)]
pub(crate) struct Level(AtomicUsize);

impl Level {
    pub(crate) fn set(&self, level: usize) {
        // Relaxed, here and below: nothing is published by it.
        self.0.store(level, Ordering::Relaxed);
    }

    /// Sets it to `level`, unless it is above that.
    #[cfg(not(drumline_loom))]
    pub(crate) fn raise(&self, level: usize) {
        self.0.fetch_max(level, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> usize {
        // Relaxed: as in `set`.
        self.0.load(Ordering::Relaxed)
    }
}
