//! Parallel iterators over ranges of numbers and characters.

use std::ops::Range;

use super::number::{Numbers, by_index, char_at, index_of};
use crate::iter::plumbing::{
    Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge, bridge_producer_consumer,
    bridge_unindexed,
};
use crate::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

/// A parallel iterator over a range of integers or characters.
///
/// It is an [`IndexedParallelIterator`] for characters and for integers of up to 32 bits, `usize`
/// and `isize`, as in rayon: their ranges have a length that fits a `usize`.
///
/// ```
/// use drumline::prelude::*;
///
/// let sum: u64 = (0..1_000u64).into_par_iter().map(|number| number * number).sum();
/// assert_eq!(sum, 332_833_500);
/// ```
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Iter<T> {
    range: Range<T>,
}

impl<T> Iter<T> {
    pub(super) fn new(range: Range<T>) -> Self {
        Iter { range }
    }
}

impl<T> IntoParallelIterator for Range<T>
where
    Iter<T>: ParallelIterator,
{
    type Iter = Iter<T>;
    type Item = <Iter<T> as ParallelIterator>::Item;

    fn into_par_iter(self) -> Iter<T> {
        Iter::new(self)
    }
}

pub(super) mod sealed {
    use super::super::number::Number;

    /// The integers. The implementations below are for all of them at once, and so the compiler
    /// can tell the type of a range from what is done with its items.
    pub trait RangeInteger: Number {}

    /// Integers with indexed ranges.
    pub trait IndexedRangeInteger: RangeInteger<Sequence: ExactSizeIterator> {}
}

use sealed::{IndexedRangeInteger, RangeInteger};

macro_rules! integers {
    ($($trait:ident: $($type:ty),*;)*) => {
        $($(impl $trait for $type {})*)*
    };
}

integers! {
    RangeInteger: u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize;
    IndexedRangeInteger: u8, u16, u32, usize, i8, i16, i32, isize;
}

impl<T: RangeInteger> ParallelIterator for Iter<T> {
    type Item = T;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<T>,
    {
        let numbers = Numbers::new(self.range, None);
        match numbers.len() {
            Some(len) => bridge_producer_consumer(len, numbers, consumer),
            None => bridge_unindexed(numbers, consumer),
        }
    }

    fn opt_len(&self) -> Option<usize> {
        Numbers::new(self.range.clone(), None).len()
    }
}

impl<T: IndexedRangeInteger> IndexedParallelIterator for Iter<T> {
    fn len(&self) -> usize {
        T::sequence(self.range.clone()).len()
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
        callback.callback(IterProducer { range: self.range })
    }
}

/// The producer of what is indexed.
struct IterProducer<T> {
    range: Range<T>,
}

impl<T: IndexedRangeInteger> Producer for IterProducer<T> {
    type Item = T;
    type IntoIter = T::Sequence;

    #[inline]
    fn into_iter(self) -> T::Sequence {
        T::sequence(self.range)
    }

    #[inline]
    fn split_at(self, index: usize) -> (Self, Self) {
        let Range { start, end } = self.range;
        let middle = start.plus(index as u128);
        (
            IterProducer {
                range: start..middle,
            },
            IterProducer { range: middle..end },
        )
    }
}

impl Iter<char> {
    /// The characters by their numbers.
    fn by_index(self) -> impl IndexedParallelIterator<Item = char> {
        let range = index_of(self.range.start)..index_of(self.range.end);
        Iter::new(range).map(char_at)
    }
}

by_index!();
