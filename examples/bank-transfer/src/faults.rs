//! Panics on purpose.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};

/// Panics now and then, in an order that comes from a seed.
#[derive(Debug)]
pub struct Faults {
    one_in: Option<NonZero<u64>>,
    seed: u64,
    chances: AtomicU64,
    hits: AtomicU64,
}

impl Faults {
    /// One of this many chances is a panic. `None`: none is.
    pub fn new(one_in: Option<NonZero<u64>>, seed: u64) -> Self {
        Faults {
            one_in,
            seed,
            chances: AtomicU64::new(0),
            hits: AtomicU64::new(0),
        }
    }

    /// Panics, or does not.
    pub fn chance(&self, place: &str) {
        let Some(one_in) = self.one_in else {
            return;
        };
        // Relaxed: a number that is taken once. Nothing is published beside it.
        let chance = self.chances.fetch_add(1, Ordering::Relaxed);
        let mut random = fastrand::Rng::with_seed(self.seed ^ chance.wrapping_mul(0x9e37_79b9));
        if random.u64(..one_in.get()) == 0 {
            // Relaxed: a count. It is read when all actors have ended.
            self.hits.fetch_add(1, Ordering::Relaxed);
            // The panic hook would print each of them.
            resume_unwind(Box::new(format!("a fault on purpose, {place}")));
        }
    }

    /// How many panics there were.
    pub fn hits(&self) -> u64 {
        // Relaxed: as above.
        self.hits.load(Ordering::Relaxed)
    }
}
