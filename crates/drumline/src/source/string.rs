//! Parallel iterators over owned strings.

use std::ops::{Range, RangeBounds};

use super::span::span;
use crate::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use crate::iter::{ParallelDrainRange, ParallelIterator};

/// A parallel iterator that takes a range of characters out of a string; see
/// [`par_drain`](ParallelDrainRange::par_drain).
#[derive(Debug)]
#[must_use = "the characters are removed now; use `String::drain` if they are not needed"]
pub struct Drain<'data> {
    string: &'data mut String,
    range: Range<usize>,
}

/// The range is one of bytes, and begins and ends where characters do.
impl<'data> ParallelDrainRange<usize> for &'data mut String {
    type Iter = Drain<'data>;
    type Item = char;

    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> Drain<'data> {
        let range = span(&range, self.len());
        assert!(
            self.is_char_boundary(range.start) && self.is_char_boundary(range.end),
            "a range of a string begins and ends where characters do"
        );
        Drain {
            string: self,
            range,
        }
    }
}

impl ParallelIterator for Drain<'_> {
    type Item = char;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<char>,
    {
        bridge_unindexed(Chars(&self.string[self.range.clone()]), consumer)
    }
}

impl Drop for Drain<'_> {
    fn drop(&mut self) {
        self.string.drain(self.range.clone());
    }
}

/// Gives the characters of a string.
struct Chars<'data>(&'data str);

impl UnindexedProducer for Chars<'_> {
    type Item = char;

    fn split(self) -> (Self, Option<Self>) {
        let middle = self.0.len() / 2;
        // A character has four bytes at most, so this one or one of the next three.
        let middle = (middle..).find(|index| self.0.is_char_boundary(*index));
        match middle {
            Some(middle) if 0 < middle && middle < self.0.len() => {
                let (left, right) = self.0.split_at(middle);
                (Chars(left), Some(Chars(right)))
            }
            _ => (self, None),
        }
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<char>,
    {
        folder.consume_iter(self.0.chars())
    }
}
