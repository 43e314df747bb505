//! Terminal operations that reduce items into one value: `sum`, `reduce`, `for_each`, `count`, …
//!
//! An operation of this kind is a [`Reduction`]: how to begin, how to take an item, and how two
//! values become one. The consumer is here.

use crate::iter::ParallelIterator;
use crate::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};

/// How two values become one: the part of a [`Reduction`] that does not depend on the items.
pub(crate) trait Join<V>: Sync {
    /// The value of the items of both, in this order.
    fn join(&self, left: V, right: V) -> V;
}

/// How items become a value.
pub(crate) trait Reduction<T>: Join<Self::Value> {
    /// The value.
    type Value: Send;

    /// The value of no items.
    fn begin(&self) -> Self::Value;

    /// The value with one more item.
    fn take(&self, value: Self::Value, item: T) -> Self::Value;

    /// The value with these items. To be replaced by what an iterator of the standard library does,
    /// where it has a method for it: the compiler knows those.
    #[inline]
    fn take_all<I>(&self, mut value: Self::Value, items: I) -> Self::Value
    where
        I: Iterator<Item = T>,
    {
        for item in items {
            value = self.take(value, item);
            if self.full(&value) || self.over() {
                break;
            }
        }
        value
    }

    /// Whether the part that holds this value needs no more items.
    #[inline]
    fn full(&self, value: &Self::Value) -> bool {
        let _ = value;
        false
    }

    /// Whether no part needs more items.
    #[inline]
    fn over(&self) -> bool {
        false
    }
}

/// Reduces the items of `iter`.
#[inline]
pub(crate) fn run_reduction<I, G>(iter: I, reduction: &G) -> G::Value
where
    I: ParallelIterator,
    G: Reduction<I::Item>,
{
    iter.drive_unindexed(ReductionConsumer(reduction))
}

/// Consumer and reducer of a [`Reduction`].
#[derive(Debug)]
pub(crate) struct ReductionConsumer<'g, G>(pub(crate) &'g G);

impl<G> Clone for ReductionConsumer<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for ReductionConsumer<'_, G> {}

impl<'g, T, G> Consumer<T> for ReductionConsumer<'g, G>
where
    G: Reduction<T>,
{
    type Folder = ReductionFolder<'g, G, G::Value>;
    type Reducer = Self;
    type Result = G::Value;
    const RESUMES: bool = true;
    const ADVANCES_UNCOUNTED: bool = true;

    #[inline]
    fn split_at(self, _index: usize) -> (Self, Self, Self) {
        (self, self, self)
    }

    #[inline]
    fn into_folder(self) -> Self::Folder {
        ReductionFolder {
            reduction: self.0,
            value: self.0.begin(),
        }
    }

    #[inline]
    fn full(&self) -> bool {
        self.0.over()
    }

    #[inline]
    fn resume(self, folder: Self::Folder) -> Self::Folder {
        folder
    }

    #[inline]
    fn advance(self, folder: Self::Folder, _count: usize) -> (Self::Folder, Self) {
        (folder, self)
    }
}

impl<T, G> UnindexedConsumer<T> for ReductionConsumer<'_, G>
where
    G: Reduction<T>,
{
    fn split_off_left(&self) -> Self {
        *self
    }

    fn to_reducer(&self) -> Self {
        *self
    }
}

impl<G, V> Reducer<V> for ReductionConsumer<'_, G>
where
    G: Join<V>,
{
    #[inline]
    fn reduce(self, left: V, right: V) -> V {
        self.0.join(left, right)
    }
}

/// The folder of a [`Reduction`].
#[derive(Debug)]
pub(crate) struct ReductionFolder<'g, G, V> {
    reduction: &'g G,
    value: V,
}

impl<T, G> Folder<T> for ReductionFolder<'_, G, G::Value>
where
    G: Reduction<T>,
{
    type Result = G::Value;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        self.value = self.reduction.take(self.value, item);
        self
    }

    #[inline]
    fn consume_iter<I>(mut self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        self.value = self.reduction.take_all(self.value, iter.into_iter());
        self
    }

    #[inline]
    fn complete(self) -> G::Value {
        self.value
    }

    #[inline]
    fn full(&self) -> bool {
        self.reduction.over() || self.reduction.full(&self.value)
    }
}
