//! `sum`, `product` and `count`.

use std::iter::{self, Sum};
use std::marker::PhantomData;

use super::gather::{Gather, Join};

/// Adds items up.
#[derive(Debug)]
pub(crate) struct SumOf<S>(PhantomData<fn() -> S>);

impl<S> SumOf<S> {
    pub(crate) fn new() -> Self {
        SumOf(PhantomData)
    }
}

impl<S> Join<S> for SumOf<S>
where
    S: Sum<S>,
{
    #[inline]
    fn join(&self, left: S, right: S) -> S {
        [left, right].into_iter().sum()
    }
}

impl<T, S> Gather<T> for SumOf<S>
where
    S: Send + Sum<T> + Sum<S>,
{
    type Value = S;

    #[inline]
    fn begin(&self) -> S {
        iter::empty::<T>().sum()
    }

    #[inline]
    fn take(&self, value: S, item: T) -> S {
        self.join(value, iter::once(item).sum())
    }

    #[inline]
    fn take_all<I>(&self, value: S, items: I) -> S
    where
        I: Iterator<Item = T>,
    {
        self.join(value, items.sum())
    }
}
