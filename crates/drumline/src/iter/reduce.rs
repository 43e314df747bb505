//! `reduce`.

use super::gather::{Gather, Join};

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

impl<T, ID, OP> Gather<T> for ReduceBy<'_, ID, OP>
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
