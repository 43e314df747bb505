//! Counting what is done.

use crate::sync::Arc;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// Lines of cache that a count is spread over, so that threads do not pull at the same one.
const SHARDS: usize = 16;

/// Counts the items with which loops and streams are *done*: everything that comes after
/// [`progress`](crate::iter::ParallelIterator::progress) in the chain has returned for them. Every
/// clone stands for the same count.
///
/// ```
/// use drumline::Progress;
/// use drumline::prelude::*;
///
/// let progress = Progress::new();
/// let numbers = [1, 2, 3, 4];
/// let sum: u32 = numbers.par_iter().progress(&progress).map(|number| number * 2).sum();
/// assert_eq!((sum, progress.finished()), (20, 4));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Progress {
    shards: Arc<[Shard; SHARDS]>,
}

#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard(AtomicUsize);

impl Progress {
    /// A count of none.
    ///
    /// ```
    /// use drumline::Progress;
    /// use drumline::prelude::*;
    ///
    /// let progress = Progress::new();
    /// (0..1_000u32).into_par_iter().progress(&progress).for_each(|_| ());
    /// assert_eq!(progress.finished(), 1_000);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many items are done, in all loops and streams that count here. While they run this is a
    /// moment's count; after they have returned it is exact.
    ///
    /// Takes a constant time: a few lines of cache are read.
    ///
    /// ```
    /// use drumline::Progress;
    /// use drumline::prelude::*;
    ///
    /// let progress = Progress::new();
    /// assert_eq!(progress.finished(), 0);
    /// (0..10u32).into_par_iter().progress(&progress).for_each(|_| ());
    /// (0..10u32).into_par_iter().progress(&progress).for_each(|_| ());
    /// assert_eq!(progress.finished(), 20);
    /// ```
    #[must_use]
    pub fn finished(&self) -> usize {
        // Relaxed: a count, which publishes nothing.
        let counts = self
            .shards
            .iter()
            .map(|shard| shard.0.load(Ordering::Relaxed));
        counts.sum()
    }

    /// `items` more are done, by the thread in place `here`.
    pub(crate) fn add(&self, here: usize, items: usize) {
        // Relaxed: as in `finished`.
        self.shard(here).fetch_add(items, Ordering::Relaxed);
    }

    /// The part of the count that the thread in place `here` should use.
    pub(crate) fn shard(&self, here: usize) -> &AtomicUsize {
        &self.shards[here % SHARDS].0
    }
}
