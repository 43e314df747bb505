//! `sum`, `product` and `count`.

use std::iter::{self, Product, Sum};
use std::marker::PhantomData;

use super::reduction::{Join, Reduction};

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

impl<T, S> Reduction<T> for SumOf<S>
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

/// Multiplies items.
#[derive(Debug)]
pub(crate) struct ProductOf<P>(PhantomData<fn() -> P>);

impl<P> ProductOf<P> {
    pub(crate) fn new() -> Self {
        ProductOf(PhantomData)
    }
}

impl<P> Join<P> for ProductOf<P>
where
    P: Product<P>,
{
    #[inline]
    fn join(&self, left: P, right: P) -> P {
        [left, right].into_iter().product()
    }
}

impl<T, P> Reduction<T> for ProductOf<P>
where
    P: Send + Product<T> + Product<P>,
{
    type Value = P;

    #[inline]
    fn begin(&self) -> P {
        iter::empty::<T>().product()
    }

    #[inline]
    fn take(&self, value: P, item: T) -> P {
        self.join(value, iter::once(item).product())
    }

    #[inline]
    fn take_all<I>(&self, value: P, items: I) -> P
    where
        I: Iterator<Item = T>,
    {
        self.join(value, items.product())
    }
}

/// Counts items.
#[derive(Debug)]
pub(crate) struct CountOf;

impl Join<usize> for CountOf {
    #[inline]
    fn join(&self, left: usize, right: usize) -> usize {
        left + right
    }
}

impl<T> Reduction<T> for CountOf {
    type Value = usize;

    #[inline]
    fn begin(&self) -> usize {
        0
    }

    #[inline]
    fn take(&self, value: usize, _item: T) -> usize {
        value + 1
    }

    #[inline]
    fn take_all<I>(&self, value: usize, items: I) -> usize
    where
        I: Iterator<Item = T>,
    {
        value + items.count()
    }
}
