//! One of two.

use crate::iter::plumbing::{Consumer, ProducerCallback, UnindexedConsumer};
use crate::iter::{
    IndexedParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator,
};

#[cfg(feature = "either")]
pub use ::either::Either;

#[cfg(not(feature = "either"))]
pub use self::own::Either;

/// `either!(self, value => expression)`: the expression with what is in it, whatever side it is.
macro_rules! either {
    ($either:expr, $value:pat => $result:expr) => {
        match $either {
            Either::Left($value) => $result,
            Either::Right($value) => $result,
        }
    };
}

impl<L, R> ParallelIterator for Either<L, R>
where
    L: ParallelIterator,
    R: ParallelIterator<Item = L::Item>,
{
    type Item = L::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<Self::Item>,
    {
        either!(self, iter => iter.drive_unindexed(consumer))
    }

    fn opt_len(&self) -> Option<usize> {
        either!(self, iter => iter.opt_len())
    }
}

impl<L, R> IndexedParallelIterator for Either<L, R>
where
    L: IndexedParallelIterator,
    R: IndexedParallelIterator<Item = L::Item>,
{
    fn len(&self) -> usize {
        either!(self, iter => iter.len())
    }

    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<Self::Item>,
    {
        either!(self, iter => iter.drive(consumer))
    }

    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<Self::Item>,
    {
        either!(self, iter => iter.with_producer(callback))
    }
}

/// Extends the collection that is in it.
impl<L, R, T> ParallelExtend<T> for Either<L, R>
where
    L: ParallelExtend<T>,
    R: ParallelExtend<T>,
    T: Send,
{
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = T>,
    {
        either!(self, collection => collection.par_extend(iter));
    }
}

/// The type without the feature `either`: with the variants and methods of that crate's which
/// concern one side or both.
#[cfg(not(feature = "either"))]
mod own {
    /// One of two: says where [`partition_map`](crate::iter::ParallelIterator::partition_map) puts
    /// an item.
    ///
    /// It is a parallel iterator itself where both are, of the same items:
    ///
    /// ```
    /// use drumline::iter::Either;
    /// use drumline::prelude::*;
    ///
    /// fn first(of: &[u32], count: Option<usize>) -> impl ParallelIterator<Item = &u32> {
    ///     match count {
    ///         Some(count) => Either::Left(of[..count].par_iter()),
    ///         None => Either::Right(of.par_iter().filter(|number| **number != 0)),
    ///     }
    /// }
    /// assert_eq!(first(&[1, 0, 2], Some(2)).sum::<u32>(), 1);
    /// assert_eq!(first(&[1, 0, 2], None).sum::<u32>(), 3);
    /// ```
    ///
    /// With the feature `either` this is the type of the crate `either`.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Either<L, R> {
        /// The one.
        Left(L),
        /// The other.
        Right(R),
    }

    impl<L, R> Either<L, R> {
        /// What is on the left side.
        ///
        /// ```
        /// use drumline::iter::Either;
        ///
        /// assert_eq!(Either::<u32, &str>::Left(1).left(), Some(1));
        /// assert_eq!(Either::<u32, &str>::Right("one").left(), None);
        /// ```
        #[must_use]
        pub fn left(self) -> Option<L> {
            match self {
                Either::Left(left) => Some(left),
                Either::Right(_) => None,
            }
        }

        /// What is on the right side.
        ///
        /// ```
        /// use drumline::iter::Either;
        ///
        /// assert_eq!(Either::<u32, &str>::Right("one").right(), Some("one"));
        /// assert_eq!(Either::<u32, &str>::Left(1).right(), None);
        /// ```
        #[must_use]
        pub fn right(self) -> Option<R> {
            match self {
                Either::Left(_) => None,
                Either::Right(right) => Some(right),
            }
        }

        /// Whether it is the left one.
        ///
        /// ```
        /// use drumline::iter::Either;
        ///
        /// assert!(Either::<u32, &str>::Left(1).is_left());
        /// ```
        #[must_use]
        pub fn is_left(&self) -> bool {
            matches!(self, Either::Left(_))
        }

        /// Whether it is the right one.
        ///
        /// ```
        /// use drumline::iter::Either;
        ///
        /// assert!(Either::<u32, &str>::Right("one").is_right());
        /// ```
        #[must_use]
        pub fn is_right(&self) -> bool {
            matches!(self, Either::Right(_))
        }

        /// The same of references.
        ///
        /// ```
        /// use drumline::iter::Either;
        ///
        /// let either: Either<String, u32> = Either::Left("one".to_owned());
        /// assert_eq!(either.as_ref().left().map(String::len), Some(3));
        /// assert!(either.is_left()); // it is still there
        /// ```
        #[must_use]
        pub fn as_ref(&self) -> Either<&L, &R> {
            match self {
                Either::Left(left) => Either::Left(left),
                Either::Right(right) => Either::Right(right),
            }
        }

        /// The same of mutable references.
        ///
        /// ```
        /// use drumline::iter::Either;
        ///
        /// let mut either: Either<String, u32> = Either::Right(1);
        /// if let Either::Right(number) = either.as_mut() {
        ///     *number += 1;
        /// }
        /// assert_eq!(either.right(), Some(2));
        /// ```
        #[must_use]
        pub fn as_mut(&mut self) -> Either<&mut L, &mut R> {
            match self {
                Either::Left(left) => Either::Left(left),
                Either::Right(right) => Either::Right(right),
            }
        }

        /// The sides exchanged.
        ///
        /// ```
        /// use drumline::iter::Either;
        ///
        /// assert_eq!(Either::<u32, &str>::Left(1).flip().right(), Some(1));
        /// ```
        #[must_use]
        pub fn flip(self) -> Either<R, L> {
            match self {
                Either::Left(left) => Either::Right(left),
                Either::Right(right) => Either::Left(right),
            }
        }

        /// What the function of its side makes of it.
        ///
        /// ```
        /// use drumline::iter::Either;
        ///
        /// let either: Either<u32, &str> = Either::Right("one");
        /// assert_eq!(either.either(|number| number as usize, |word| word.len()), 3);
        /// ```
        pub fn either<F, G, T>(self, left: F, right: G) -> T
        where
            F: FnOnce(L) -> T,
            G: FnOnce(R) -> T,
        {
            match self {
                Either::Left(value) => left(value),
                Either::Right(value) => right(value),
            }
        }

        /// Maps the left side.
        ///
        /// ```
        /// use drumline::iter::Either;
        ///
        /// let either: Either<u32, &str> = Either::Left(20);
        /// assert_eq!(either.map_left(|number| number + 1).left(), Some(21));
        /// ```
        pub fn map_left<F, T>(self, op: F) -> Either<T, R>
        where
            F: FnOnce(L) -> T,
        {
            match self {
                Either::Left(left) => Either::Left(op(left)),
                Either::Right(right) => Either::Right(right),
            }
        }

        /// Maps the right side.
        ///
        /// ```
        /// use drumline::iter::Either;
        ///
        /// assert_eq!(Either::<u32, &str>::Right("one").map_right(str::len).right(), Some(3));
        /// ```
        pub fn map_right<F, T>(self, op: F) -> Either<L, T>
        where
            F: FnOnce(R) -> T,
        {
            match self {
                Either::Left(left) => Either::Left(left),
                Either::Right(right) => Either::Right(op(right)),
            }
        }
    }

    impl<T> Either<T, T> {
        /// What is in it, whatever side it is.
        ///
        /// ```
        /// use drumline::iter::Either;
        ///
        /// assert_eq!(Either::<u32, u32>::Right(7).into_inner(), 7);
        /// ```
        #[must_use]
        pub fn into_inner(self) -> T {
            either!(self, inner => inner)
        }
    }
}
