//! Parallel iterators over inclusive ranges of numbers and characters.
//!
//! They are those of the ranges that end one later. Only where there is no such range, as the last
//! number is the last one of its type, that is appended to the range that ends before it.

use std::ops::RangeInclusive;

use super::number::{Numbers, by_index, char_at, index_of};
use super::range;
use crate::iter::plumbing::{
    Consumer, ProducerCallback, UnindexedConsumer, bridge, bridge_producer_consumer,
    bridge_unindexed,
};
use crate::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

/// A parallel iterator over an inclusive range of integers or characters.
///
/// It is an [`IndexedParallelIterator`] for characters and for integers of 8 and of 16 bits, as in
/// rayon: only of those every inclusive range has a length that fits a `usize` on every platform.
///
/// ```
/// use drumline::prelude::*;
///
/// let factorial = (1..=20u64).into_par_iter().reduce(|| 1, |a, b| a * b);
/// assert_eq!(factorial, 2_432_902_008_176_640_000);
/// ```
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Iter<T> {
    range: RangeInclusive<T>,
}

impl<T> IntoParallelIterator for RangeInclusive<T>
where
    Iter<T>: ParallelIterator,
{
    type Iter = Iter<T>;
    type Item = <Iter<T> as ParallelIterator>::Item;

    fn into_par_iter(self) -> Iter<T> {
        Iter { range: self }
    }
}

mod sealed {
    use super::super::range::sealed::RangeInteger;

    /// Integers with indexed inclusive ranges.
    pub trait IndexedRangeInteger: RangeInteger<Sequence: ExactSizeIterator> {}
}

use super::range::sealed::RangeInteger;
use sealed::IndexedRangeInteger;

macro_rules! indexed {
    ($($type:ty),*) => {
        $(impl IndexedRangeInteger for $type {})*
    };
}

indexed!(u8, u16, i8, i16);

impl<T: RangeInteger> Iter<T> {
    fn numbers(self) -> Numbers<T> {
        if self.range.is_empty() {
            return Numbers::new(T::MAX..T::MAX, None);
        }
        let (start, end) = self.range.into_inner();
        if end == T::MAX {
            Numbers::new(start..end, Some(end))
        } else {
            Numbers::new(start..end.plus(1), None)
        }
    }
}

impl<T: RangeInteger> ParallelIterator for Iter<T> {
    type Item = T;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<T>,
    {
        let numbers = self.numbers();
        match numbers.len() {
            Some(len) => bridge_producer_consumer(len, numbers, consumer),
            None => bridge_unindexed(numbers, consumer),
        }
    }

    fn opt_len(&self) -> Option<usize> {
        self.clone().numbers().len()
    }
}

impl<T: IndexedRangeInteger> IndexedParallelIterator for Iter<T> {
    fn len(&self) -> usize {
        let len = self.clone().numbers().len();
        len.expect("a range of 16 bits has a length")
    }

    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<T>,
    {
        bridge(self, consumer)
    }

    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<T>,
    {
        callback.callback(self.numbers())
    }
}

impl Iter<char> {
    /// The characters by their numbers.
    fn by_index(self) -> impl IndexedParallelIterator<Item = char> {
        let range = if self.range.is_empty() {
            0..0
        } else {
            index_of(*self.range.start())..index_of(*self.range.end()) + 1
        };
        range::Iter::new(range).map(char_at)
    }
}

by_index!();
