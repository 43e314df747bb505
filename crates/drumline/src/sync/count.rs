//! A number that is counted up by one thread at a time, and read by any.
//!
//! The standard library's atomic also under a model checker: a count publishes
//! nothing and nothing waits for it, so that a step of the model for each would
//! only be time lost.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How often something has happened.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicUsize);

impl Count {
    /// Once more. A load and a store, no read-modify-write: where two threads
    /// count at once, one may be lost.
    #[inline]
    pub(crate) fn up(&self) {
        // Relaxed, here and in `get`: nothing is published by it.
        let so_far = self.0.load(Ordering::Relaxed);
        self.0.store(so_far.wrapping_add(1), Ordering::Relaxed);
    }

    /// How often so far.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed) as u64
    }
}
