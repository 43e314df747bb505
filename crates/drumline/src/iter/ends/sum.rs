//! `sum`, `product` and `count`.

use std::iter::{self, Product, Sum};
use std::marker::PhantomData;

use super::reduction::{Join, Reduction};

/// Declares a reduction by a trait of the standard library.
macro_rules! by_trait {
    ($(#[$meta:meta])* $name:ident, $trait:ident, $method:ident) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub(crate) struct $name<S>(PhantomData<fn() -> S>);

        impl<S> $name<S> {
            pub(crate) fn new() -> Self {
                $name(PhantomData)
            }
        }

        impl<S: $trait<S>> Join<S> for $name<S> {
            #[inline]
            fn join(&self, left: S, right: S) -> S {
                [left, right].into_iter().$method()
            }
        }

        impl<T, S> Reduction<T> for $name<S>
        where
            S: Send + $trait<T> + $trait<S>,
        {
            type Value = S;

            #[inline]
            fn begin(&self) -> S {
                iter::empty::<T>().$method()
            }

            #[inline]
            fn take(&self, value: S, item: T) -> S {
                self.join(value, iter::once(item).$method())
            }

            #[inline]
            fn take_all<I>(&self, value: S, items: I) -> S
            where
                I: Iterator<Item = T>,
            {
                self.join(value, items.$method())
            }
        }
    };
}

by_trait! {
    /// Adds items up.
    SumOf, Sum, sum
}

by_trait! {
    /// Multiplies items.
    ProductOf, Product, product
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
