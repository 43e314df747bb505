//! What ranges are made of: integers, and characters by their number.

use std::ops::Range;

use crate::iter::plumbing::{Folder, Producer, UnindexedProducer};

/// An integer.
pub trait Number: Copy + Ord + Send + Sync {
    /// The sequential iterator over a range: the range.
    type Sequence: DoubleEndedIterator<Item = Self> + Send;

    /// The last one.
    const MAX: Self;

    /// How many there are from `self` to `end`, without `end`.
    fn steps(self, end: Self) -> u128;

    /// The one that comes `steps` later.
    #[must_use]
    fn plus(self, steps: u128) -> Self;

    /// Iterates.
    fn sequence(range: Range<Self>) -> Self::Sequence;
}

macro_rules! numbers {
    ($($type:ty)*) => {
        $(impl Number for $type {
            type Sequence = Range<Self>;
            const MAX: Self = <$type>::MAX;

            // Both casts extend the sign where there is one; what overflows then comes out right.

            #[inline]
            fn steps(self, end: Self) -> u128 {
                if self < end { (end as u128).wrapping_sub(self as u128) } else { 0 }
            }

            #[inline]
            fn plus(self, steps: u128) -> Self {
                (self as u128).wrapping_add(steps) as Self
            }

            #[inline]
            fn sequence(range: Range<Self>) -> Range<Self> {
                range
            }
        })*
    };
}

numbers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

/// A range and perhaps one more number after it: [`Number::MAX`], which no range ends after.
///
/// As a producer it is for ranges with a length that fits a `usize`. As one that is not indexed, it
/// is for any.
#[derive(Clone, Debug)]
pub(super) struct Numbers<T> {
    range: Range<T>,
    last: Option<T>,
}

impl<T: Number> Numbers<T> {
    pub(super) fn new(range: Range<T>, last: Option<T>) -> Self {
        Numbers { range, last }
    }

    fn steps(&self) -> u128 {
        self.range.start.steps(self.range.end)
    }

    /// How many there are, if that fits.
    pub(super) fn len(&self) -> Option<usize> {
        let len = usize::try_from(self.steps()).ok()?;
        len.checked_add(self.last.is_some().into())
    }

    fn split(self, at: u128) -> (Self, Self) {
        let Range { start, end } = self.range;
        let middle = start.plus(at);
        let left = Numbers::new(start..middle, None);
        (left, Numbers::new(middle..end, self.last))
    }
}

impl<T: Number> Producer for Numbers<T> {
    type Item = T;
    type IntoIter = NumbersIter<T>;

    fn into_iter(self) -> NumbersIter<T> {
        NumbersIter {
            left: self.len().expect("a producer has a length"),
            range: T::sequence(self.range),
            last: self.last,
        }
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let index = index as u128;
        if index > self.steps() {
            // Behind the last one.
            let end = self.range.end;
            return (self, Numbers::new(end..end, None));
        }
        self.split(index)
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<T>,
    {
        let folder = folder.consume_iter(T::sequence(self.range));
        match self.last {
            Some(last) if !folder.full() => folder.consume(last),
            _ => folder,
        }
    }
}

/// A range that is not indexed does not show the loop its end. It is not split into less than this.
const PIECE: u128 = 1024;

impl<T: Number> UnindexedProducer for Numbers<T> {
    type Item = T;

    fn split(self) -> (Self, Option<Self>) {
        let steps = self.steps();
        if steps <= PIECE {
            return (self, None);
        }
        let (left, right) = self.split(steps / 2);
        (left, Some(right))
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<T>,
    {
        Producer::fold_with(self, folder)
    }
}

/// The sequential iterator of [`Numbers`].
#[derive(Debug)]
pub(super) struct NumbersIter<T: Number> {
    range: T::Sequence,
    last: Option<T>,
    /// How many there are.
    left: usize,
}

impl<T: Number> Iterator for NumbersIter<T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let item = self.range.next().or_else(|| self.last.take())?;
        self.left -= 1;
        Some(item)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    #[inline]
    fn fold<B, F>(self, init: B, fold: F) -> B
    where
        F: FnMut(B, T) -> B,
    {
        self.range.chain(self.last).fold(init, fold)
    }
}

impl<T: Number> DoubleEndedIterator for NumbersIter<T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        let item = self.last.take().or_else(|| self.range.next_back())?;
        self.left -= 1;
        Some(item)
    }
}

impl<T: Number> ExactSizeIterator for NumbersIter<T> {}

/// The first number that is not a character, and the next one that is.
const SURROGATES: Range<u32> = 0xd800..0xe000;

/// How many characters come before this one.
pub(super) fn index_of(character: char) -> u32 {
    let code = u32::from(character);
    if code < SURROGATES.start {
        code
    } else {
        code - (SURROGATES.end - SURROGATES.start)
    }
}

/// The character with `index` characters before it.
#[inline]
pub(super) fn char_at(index: u32) -> char {
    let code = if index < SURROGATES.start {
        index
    } else {
        index + (SURROGATES.end - SURROGATES.start)
    };
    char::from_u32(code).expect("the index is that of a character")
}

/// Declares that a range of characters, `Iter<char>`, is what its `by_index` gives.
macro_rules! by_index {
    () => {
        impl ParallelIterator for Iter<char> {
            type Item = char;

            fn drive_unindexed<C>(self, consumer: C) -> C::Result
            where
                C: $crate::iter::plumbing::UnindexedConsumer<char>,
            {
                self.by_index().drive(consumer)
            }

            fn opt_len(&self) -> Option<usize> {
                Some(self.len())
            }
        }

        impl IndexedParallelIterator for Iter<char> {
            fn len(&self) -> usize {
                self.clone().by_index().len()
            }

            fn drive<C>(self, consumer: C) -> C::Result
            where
                C: $crate::iter::plumbing::Consumer<char>,
            {
                self.by_index().drive(consumer)
            }

            fn with_producer<CB>(self, callback: CB) -> CB::Output
            where
                CB: $crate::iter::plumbing::ProducerCallback<char>,
            {
                self.by_index().with_producer(callback)
            }
        }
    };
}
pub(super) use by_index;
