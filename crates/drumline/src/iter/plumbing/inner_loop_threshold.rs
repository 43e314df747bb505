//! How fast inner loops are: so that the short ones need not be offered.

use std::cell::Cell;

use crate::sync::Ticks;

/// Inner loops that took less than this together, in nanoseconds, may be followed by longer ones.
const SHORT: u64 = 4_000;

/// Inner loops that took more than this together are followed by shorter ones.
const LONG: u64 = 16_000;

/// Measures inner loops that follow each other, and says which may hide.
///
/// An offer costs some nanoseconds, which is much for a loop of two items and nothing for a
/// long one. How long a loop takes is only known from those before it: as many items may hide as
/// have taken some microseconds lately, and then the clock is looked at again.
#[derive(Debug, Default)]
pub struct InnerLoopThreshold {
    /// How many items may hide between two looks at the clock.
    batch: Cell<usize>,
    /// How many of them are left.
    left: Cell<usize>,
    /// How many items there have been since the last look.
    work: Cell<usize>,
    /// When that was.
    since: Cell<Option<Ticks>>,
}

impl InnerLoopThreshold {
    /// Whether the loop that begins now, of `len` items, may hide.
    #[inline]
    pub(super) fn hides(&self, len: usize) -> bool {
        let len = len.max(1);
        let Some(left) = self.left.get().checked_sub(len) else {
            return self.hides_after_look(len);
        };
        self.left.set(left);
        // No overflow: this many were let through, and they are no more than the batch.
        self.work.set(self.work.get() + len);
        true
    }

    /// As [`hides`](Self::hides), when too few are left.
    #[cold]
    fn hides_after_look(&self, len: usize) -> bool {
        self.look();
        self.work.set(len);
        let left = self.left.get().checked_sub(len);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    fn look(&self) {
        let now = Ticks::now();
        let work = self.work.replace(0);
        if let Some(since) = self.since.replace(Some(now)) {
            self.learn(work, now.nanos_since(since));
        }
        self.left.set(self.batch.get());
    }

    fn learn(&self, work: usize, took: u64) {
        let batch = self.batch.get();
        if took < SHORT {
            self.batch.set(batch.max(work).saturating_mul(2));
        } else if took > LONG {
            self.batch.set(batch / 2);
        }
    }
}
