//! Counting what a loop has done.

use crate::control::Progress;
use crate::iter::item_op::{ItemOp, Plan, item_op_adapter};
use crate::iter::plumbing::Folder;
use crate::sync::atomic::{AtomicUsize, Ordering};

item_op_adapter! {
    /// Another iterator, with a count of its finished items; see
    /// [`progress`](crate::iter::ParallelIterator::progress).
    WithProgress<I> { progress: Progress }
    where [] { }
    yields I::Item;
    plan Counting(&progress);
}

/// Counts what the rest of the chain is done with.
#[derive(Clone, Debug)]
struct Counting<'p>(&'p Progress);

impl<'p> Plan for Counting<'p> {
    type ItemOp = Counter<'p>;

    fn begin(self) -> Counter<'p> {
        Counter(self.0.shard(crate::join::here()))
    }
}

#[derive(Debug)]
struct Counter<'p>(&'p AtomicUsize);

impl<T> ItemOp<T> for Counter<'_> {
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: T) -> F {
        let folder = folder.consume(item);
        // Relaxed: as in `finished`. A line that this thread has nearly to itself.
        self.0.fetch_add(1, Ordering::Relaxed);
        folder
    }
}
