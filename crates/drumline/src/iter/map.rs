//! `map`.

use super::each::{Each, each_adapter};
use super::stage::Plan;

each_adapter! {
    /// The items of another iterator, mapped by a function; see
    /// [`map`](super::ParallelIterator::map).
    Map<I, F> { op: F }
    where [R] { F: Fn(I::Item) -> R + Sync + Send, R: Send, }
    yields R;
    plan ByFn(&op);
}

/// Applies a function; plan and stage in one.
#[derive(Debug)]
pub(crate) struct ByFn<'f, F>(pub(crate) &'f F);

impl<F> Clone for ByFn<'_, F> {
    fn clone(&self) -> Self {
        ByFn(self.0)
    }
}

impl<F: Sync> Plan for ByFn<'_, F> {
    type Stage = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T, R, F> Each<T> for ByFn<'_, F>
where
    F: Fn(T) -> R,
{
    type Item = R;

    #[inline]
    fn apply(&mut self, item: T) -> R {
        (self.0)(item)
    }
}
