//! Terminal operations that gather items into one value: `sum`, `reduce`, `for_each`, `count`, …
//!
//! An operation of this kind is a [`Gather`]: how to begin, how to take an item, and how two values
//! become one. The consumer is here.

use super::ParallelIterator;
use super::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};

/// How two values become one: the part of a [`Gather`] that does not depend on the items.
pub(crate) trait Join<V>: Sync {
    /// The value of the items of both, in this order.
    fn join(&self, left: V, right: V) -> V;
}

/// How items become a value.
pub(crate) trait Gather<T>: Join<Self::Value> {
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

    /// Whether no more items are needed, by anybody who holds this value.
    #[inline]
    fn full(&self, value: &Self::Value) -> bool {
        let _ = value;
        false
    }

    /// Whether no more items are needed by anybody at all.
    #[inline]
    fn over(&self) -> bool {
        false
    }
}

/// Gathers the items of `iter`.
#[inline]
pub(crate) fn gather<I, G>(iter: I, gather: &G) -> G::Value
where
    I: ParallelIterator,
    G: Gather<I::Item>,
{
    iter.drive_unindexed(Gathering(gather))
}

/// Consumer and reducer of a [`Gather`].
#[derive(Debug)]
pub(crate) struct Gathering<'g, G>(pub(crate) &'g G);

impl<G> Clone for Gathering<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Gathering<'_, G> {}

impl<'g, T, G> Consumer<T> for Gathering<'g, G>
where
    G: Gather<T>,
{
    type Folder = GatherFolder<'g, G, G::Value>;
    type Reducer = Self;
    type Result = G::Value;
    const RESUMES: bool = true;

    #[inline]
    fn split_at(self, _index: usize) -> (Self, Self, Self) {
        (self, self, self)
    }

    #[inline]
    fn into_folder(self) -> Self::Folder {
        GatherFolder {
            gather: self.0,
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

impl<T, G> UnindexedConsumer<T> for Gathering<'_, G>
where
    G: Gather<T>,
{
    fn split_off_left(&self) -> Self {
        *self
    }

    fn to_reducer(&self) -> Self {
        *self
    }
}

impl<G, V> Reducer<V> for Gathering<'_, G>
where
    G: Join<V>,
{
    #[inline]
    fn reduce(self, left: V, right: V) -> V {
        self.0.join(left, right)
    }
}

/// The folder of a [`Gather`].
#[derive(Debug)]
pub(crate) struct GatherFolder<'g, G, V> {
    gather: &'g G,
    value: V,
}

impl<T, G> Folder<T> for GatherFolder<'_, G, G::Value>
where
    G: Gather<T>,
{
    type Result = G::Value;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        self.value = self.gather.take(self.value, item);
        self
    }

    #[inline]
    fn consume_iter<I>(mut self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        self.value = self.gather.take_all(self.value, iter.into_iter());
        self
    }

    #[inline]
    fn complete(self) -> G::Value {
        self.value
    }

    #[inline]
    fn full(&self) -> bool {
        self.gather.over() || self.gather.full(&self.value)
    }
}
