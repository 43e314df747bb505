//! `reduce` and `reduce_with`; the smallest and the largest item are found by the latter.

use super::reduction::{Join, Reduction};

/// Joins items by an operation that has an identity.
#[derive(Debug)]
pub(crate) struct ReduceBy<'f, ID, OP> {
    pub(crate) identity: &'f ID,
    pub(crate) op: &'f OP,
}

impl<T, ID, OP> Join<T> for ReduceBy<'_, ID, OP>
where
    ID: Sync,
    OP: Fn(T, T) -> T + Sync,
{
    #[inline]
    fn join(&self, left: T, right: T) -> T {
        (self.op)(left, right)
    }
}

impl<T, ID, OP> Reduction<T> for ReduceBy<'_, ID, OP>
where
    T: Send,
    ID: Fn() -> T + Sync,
    OP: Fn(T, T) -> T + Sync,
{
    type Value = T;

    #[inline]
    fn begin(&self) -> T {
        (self.identity)()
    }

    #[inline]
    fn take(&self, value: T, item: T) -> T {
        (self.op)(value, item)
    }

    #[inline]
    fn take_all<I>(&self, value: T, items: I) -> T
    where
        I: Iterator<Item = T>,
    {
        items.fold(value, self.op)
    }
}

/// Joins items by an operation that has none: nothing comes of no items.
#[derive(Debug)]
pub(crate) struct ReduceWith<'f, OP>(pub(crate) &'f OP);

impl<T, OP> Join<Option<T>> for ReduceWith<'_, OP>
where
    OP: Fn(T, T) -> T + Sync,
{
    #[inline]
    fn join(&self, left: Option<T>, right: Option<T>) -> Option<T> {
        match (left, right) {
            (Some(left), Some(right)) => Some((self.0)(left, right)),
            (left, right) => left.or(right),
        }
    }
}

impl<T, OP> Reduction<T> for ReduceWith<'_, OP>
where
    T: Send,
    OP: Fn(T, T) -> T + Sync,
{
    type Value = Option<T>;

    #[inline]
    fn begin(&self) -> Option<T> {
        None
    }

    #[inline]
    fn take(&self, value: Option<T>, item: T) -> Option<T> {
        self.join(value, Some(item))
    }

    #[inline]
    fn take_all<I>(&self, value: Option<T>, items: I) -> Option<T>
    where
        I: Iterator<Item = T>,
    {
        match value {
            Some(value) => Some(items.fold(value, self.0)),
            None => items.reduce(self.0),
        }
    }
}
