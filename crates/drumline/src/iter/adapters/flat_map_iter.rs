//! `flat_map_iter` and `flatten_iter`.

use crate::iter::item_op::{ItemOp, Plan, by_fn, item_op_adapter};
use crate::iter::plumbing::Folder;

item_op_adapter! {
    /// The items of the sequential iterators that a function makes of the items of another
    /// iterator; see [`flat_map_iter`](crate::iter::ParallelIterator::flat_map_iter).
    FlatMapIter<I, F> { op: F }
    where [S] { F: Fn(I::Item) -> S + Sync + Send, S: IntoIterator<Item: Send>, }
    yields S::Item;
    plan Unpacking(&op);
}

by_fn! {
    /// Hands on all items of what a function makes.
    ///
    /// Inner iterators are handed on one by one instead of as one flat iterator: folders that know
    /// what to do with an iterator's length or slice get to see it.
    Unpacking
}

impl<T, S, F> ItemOp<T> for Unpacking<'_, F>
where
    F: Fn(T) -> S,
    S: IntoIterator,
{
    type Item = S::Item;

    #[inline]
    fn feed<O: Folder<S::Item>>(&mut self, folder: O, item: T) -> O {
        folder.consume_iter((self.0)(item))
    }
}

item_op_adapter! {
    /// The items of the sequential iterators that another iterator gives; see
    /// [`flatten_iter`](crate::iter::ParallelIterator::flatten_iter).
    FlattenIter<I> {}
    where [] { I::Item: IntoIterator<Item: Send>, }
    yields <I::Item as IntoIterator>::Item;
    plan Flattening;
}

/// Hands on all items of an item; plan and item operation in one.
#[derive(Clone, Debug)]
struct Flattening;

impl Plan for Flattening {
    type ItemOp = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T: IntoIterator> ItemOp<T> for Flattening {
    type Item = T::Item;

    #[inline]
    fn feed<F: Folder<T::Item>>(&mut self, folder: F, item: T) -> F {
        folder.consume_iter(item)
    }
}
