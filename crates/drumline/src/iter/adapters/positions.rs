//! `positions`.

use crate::iter::item_op::{ItemOp, ItemOpConsumer, Plan, adapter};
use crate::iter::plumbing::{Folder, UnindexedConsumer};
use crate::iter::{IndexedParallelIterator, ParallelIterator};

adapter! {
    /// The indices of the items of another iterator that satisfy a predicate; see
    /// [`positions`](crate::iter::IndexedParallelIterator::positions).
    Positions<I, P> { predicate: P }
}

impl<I, P> ParallelIterator for Positions<I, P>
where
    I: IndexedParallelIterator,
    P: Fn(I::Item) -> bool + Sync + Send,
{
    type Item = usize;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<usize>,
    {
        let plan = IndexIf(&self.predicate);
        let numbered = self.base.enumerate();
        numbered.drive_unindexed(ItemOpConsumer::new(consumer, plan))
    }
}

/// Keeps the index where the item satisfies the predicate; plan and item operation in one.
struct IndexIf<'f, P>(&'f P);

impl<P> Clone for IndexIf<'_, P> {
    fn clone(&self) -> Self {
        IndexIf(self.0)
    }
}

impl<P: Sync> Plan for IndexIf<'_, P> {
    type ItemOp = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T, P> ItemOp<(usize, T)> for IndexIf<'_, P>
where
    P: Fn(T) -> bool,
{
    type Item = usize;

    #[inline]
    fn feed<F: Folder<usize>>(&mut self, folder: F, (index, item): (usize, T)) -> F {
        if (self.0)(item) {
            folder.consume(index)
        } else {
            folder
        }
    }

    #[inline]
    fn feed_all<F, I>(&mut self, folder: F, items: I) -> F
    where
        F: Folder<usize>,
        I: Iterator<Item = (usize, T)>,
    {
        folder.consume_iter(items.filter_map(|(index, item)| (self.0)(item).then_some(index)))
    }
}
