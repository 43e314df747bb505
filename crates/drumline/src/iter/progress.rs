//! Counting what a loop has done.

use super::plumbing::Folder;
use super::stage::{Plan, Stage, stage_adapter};
use crate::sync::Arc;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// Lines of cache that a count is spread over, so that threads do not pull at the same one.
const SHARDS: usize = 16;

/// Counts the items with which loops are *done*: everything that comes after
/// [`progress`](super::ParallelIterator::progress) in the chain has returned for them. Every clone stands for
/// the same count.
///
/// ```
/// use drumline::iter::Progress;
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
    pub fn new() -> Self {
        Self::default()
    }

    /// How many items are done, in all loops that count here. While they run this is a moment's
    /// count; after they have returned it is exact.
    ///
    /// Takes a constant time: a few lines of cache are read.
    pub fn finished(&self) -> usize {
        // Relaxed: a count, which publishes nothing.
        let counts = self
            .shards
            .iter()
            .map(|shard| shard.0.load(Ordering::Relaxed));
        counts.sum()
    }

    fn shard(&self) -> &AtomicUsize {
        &self.shards[crate::join::here() % SHARDS].0
    }
}

stage_adapter! {
    /// Another iterator whose finished items are counted; see
    /// [`progress`](super::ParallelIterator::progress).
    WithProgress<I> { progress: Progress }
    where [] { }
    yields I::Item;
    plan Counting(&progress);
}

/// Counts what the rest of the chain is done with.
#[derive(Clone, Debug)]
struct Counting<'p>(&'p Progress);

impl<'p> Plan for Counting<'p> {
    type Stage = Counter<'p>;

    fn begin(self) -> Counter<'p> {
        Counter(self.0.shard())
    }
}

#[derive(Debug)]
struct Counter<'p>(&'p AtomicUsize);

impl<T> Stage<T> for Counter<'_> {
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: T) -> F {
        let folder = folder.consume(item);
        // Relaxed: as in `finished`. A line that this thread has nearly to itself.
        self.0.fetch_add(1, Ordering::Relaxed);
        folder
    }
}
