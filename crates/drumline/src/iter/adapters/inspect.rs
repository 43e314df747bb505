//! `inspect` and `update`.

use crate::iter::item_op::by_fn;
use crate::iter::map_op::{MapOp, map_op_adapter};

map_op_adapter! {
    /// The items of another iterator, each of them shown to a function; see
    /// [`inspect`](crate::iter::ParallelIterator::inspect).
    Inspect<I, F> { op: F }
    where [] { F: Fn(&I::Item) + Sync + Send, }
    yields I::Item;
    plan Showing(&op);
}

by_fn! {
    /// Shows each item.
    Showing
}

impl<T, F> MapOp<T> for Showing<'_, F>
where
    F: Fn(&T),
{
    type Item = T;

    #[inline]
    fn apply(&mut self, item: T) -> T {
        (self.0)(&item);
        item
    }
}

map_op_adapter! {
    /// The items of another iterator, each of them changed by a function; see
    /// [`update`](crate::iter::ParallelIterator::update).
    Update<I, F> { op: F }
    where [] { F: Fn(&mut I::Item) + Sync + Send, }
    yields I::Item;
    plan Changing(&op);
}

by_fn! {
    /// Changes each item.
    Changing
}

impl<T, F> MapOp<T> for Changing<'_, F>
where
    F: Fn(&mut T),
{
    type Item = T;

    #[inline]
    fn apply(&mut self, mut item: T) -> T {
        (self.0)(&mut item);
        item
    }
}
