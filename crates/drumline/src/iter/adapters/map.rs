//! `map`, `map_with` and `map_init`.

use super::start::{CloneOf, MadeBy, With};
use crate::iter::item_op::by_fn;
use crate::iter::map_op::{MapOp, map_op_adapter};

map_op_adapter! {
    /// The items of another iterator, mapped by a function; see
    /// [`map`](crate::iter::ParallelIterator::map).
    Map<I, F> { op: F }
    where [R] { F: Fn(I::Item) -> R + Sync + Send, R: Send, }
    yields R;
    plan ByFn(&op);
}

by_fn! {
    /// Maps by a function.
    ByFn
}

impl<T, R, F> MapOp<T> for ByFn<'_, F>
where
    F: Fn(T) -> R,
{
    type Item = R;

    #[inline]
    fn apply(&mut self, item: T) -> R {
        (self.0)(item)
    }
}

map_op_adapter! {
    /// The items of another iterator, mapped by a function that is lent a clone of a value; see
    /// [`map_with`](crate::iter::ParallelIterator::map_with).
    MapWith<I, T, F> { init: T, op: F }
    where [R] { T: Send + Clone, F: Fn(&mut T, I::Item) -> R + Sync + Send, R: Send, }
    yields R;
    plan With::new(CloneOf(init), &op);
}

map_op_adapter! {
    /// The items of another iterator, mapped by a function that is lent a value made for the
    /// purpose; see [`map_init`](crate::iter::ParallelIterator::map_init).
    MapInit<I, INIT, F> { init: INIT, op: F }
    where [T, R] {
        INIT: Fn() -> T + Sync + Send,
        F: Fn(&mut T, I::Item) -> R + Sync + Send,
        R: Send,
    }
    yields R;
    plan With::new(MadeBy(&init), &op);
}

impl<T, V, R, F> MapOp<T> for With<'_, V, F>
where
    F: Fn(&mut V, T) -> R,
{
    type Item = R;

    #[inline]
    fn apply(&mut self, item: T) -> R {
        (self.op)(&mut self.start, item)
    }
}
