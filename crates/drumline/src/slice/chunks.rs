//! Parts of the same length, counted from the beginning; and what all parts of the same length have
//! in common.

use crate::iter::bridged::bridged;
use crate::iter::plumbing::Producer;

/// Declares a parallel iterator over parts of the same length: its struct, and a producer that
/// splits it where `$split` says.
macro_rules! parts {
    (
        $(#[$meta:meta])*
        $name:ident($slice:ty), $producer:ident, $bound:ident, $method:ident as $sequence:ident, $split:ident
        $(, rest $rest:ident)?
    ) => {
        $(#[$meta])*
        #[derive(Debug)]
        #[must_use = "parallel iterators do nothing unless they are driven"]
        pub struct $name<'data, T> {
            size: usize,
            slice: $slice,
            $($rest: $slice,)?
        }

        bridged! {
            ['data, T] $name<'data, T> where { T: $bound }
            yields $slice;
            len |this| this.slice.len().div_ceil(this.size);
            producer |this| $producer { size: this.size, slice: this.slice };
        }

        struct $producer<'data, T> {
            size: usize,
            slice: $slice,
        }

        impl<'data, T: $bound> Producer for $producer<'data, T> {
            type Item = $slice;
            type IntoIter = std::slice::$sequence<'data, T>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.slice.$method(self.size)
            }

            #[inline]
            fn split_at(self, index: usize) -> (Self, Self) {
                let size = self.size;
                // The last part may be shorter than the others.
                let items = index.saturating_mul(size).min(self.slice.len());
                let (left, right) = $split(self.slice, items);
                let left = $producer { size, slice: left };
                (left, $producer { size, slice: right })
            }
        }
    };
}
pub(super) use parts;

/// Makes a parallel iterator over parts of a shared slice `Clone`.
macro_rules! clone_parts {
    ($($name:ident { $($field:ident),* })*) => {
        $(impl<T> Clone for $name<'_, T> {
            fn clone(&self) -> Self {
                $name { $($field: self.$field),* }
            }
        })*
    };
}
pub(super) use clone_parts;

/// Splits off `items` at the beginning.
fn split_front<T>(slice: &[T], items: usize) -> (&[T], &[T]) {
    slice.split_at(items)
}

/// As [`split_front`].
fn split_front_mut<T>(slice: &mut [T], items: usize) -> (&mut [T], &mut [T]) {
    slice.split_at_mut(items)
}

parts! {
    /// Parts of a shared slice; see [`par_chunks`](super::ParallelSlice::par_chunks).
    Chunks(&'data [T]), ChunksProducer, Sync, chunks as Chunks, split_front
}

parts! {
    /// Parts of a mutable slice; see [`par_chunks_mut`](super::ParallelSliceMut::par_chunks_mut).
    ChunksMut(&'data mut [T]), ChunksMutProducer, Send, chunks_mut as ChunksMut, split_front_mut
}

parts! {
    /// Parts of a shared slice, all of the same length; see
    /// [`par_chunks_exact`](super::ParallelSlice::par_chunks_exact).
    ChunksExact(&'data [T]), ChunksExactProducer, Sync, chunks_exact as ChunksExact, split_front,
    rest rest
}

parts! {
    /// Parts of a mutable slice, all of the same length; see
    /// [`par_chunks_exact_mut`](super::ParallelSliceMut::par_chunks_exact_mut).
    ChunksExactMut(&'data mut [T]), ChunksExactMutProducer, Send, chunks_exact_mut as ChunksExactMut,
    split_front_mut, rest rest
}

clone_parts! {
    Chunks { size, slice }
    ChunksExact { size, slice, rest }
}

impl<'data, T> Chunks<'data, T> {
    pub(super) fn new(size: usize, slice: &'data [T]) -> Self {
        Chunks { size, slice }
    }
}

impl<'data, T> ChunksMut<'data, T> {
    pub(super) fn new(size: usize, slice: &'data mut [T]) -> Self {
        ChunksMut { size, slice }
    }
}

impl<'data, T> ChunksExact<'data, T> {
    pub(super) fn new(size: usize, slice: &'data [T]) -> Self {
        let (slice, rest) = slice.split_at(slice.len() - slice.len() % size);
        ChunksExact { size, slice, rest }
    }

    /// What is left at the end of the slice, too short for a part.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = [1, 2, 3, 4, 5];
    /// assert_eq!(numbers.par_chunks_exact(2).remainder(), [5]);
    /// ```
    #[must_use]
    pub fn remainder(&self) -> &'data [T] {
        self.rest
    }
}

impl<'data, T> ChunksExactMut<'data, T> {
    pub(super) fn new(size: usize, slice: &'data mut [T]) -> Self {
        let (slice, rest) = slice.split_at_mut(slice.len() - slice.len() % size);
        ChunksExactMut { size, slice, rest }
    }

    /// Becomes what is left at the end of the slice, too short for a part.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// numbers.par_chunks_exact_mut(2).into_remainder().fill(0);
    /// assert_eq!(numbers, [1, 2, 3, 4, 0]);
    /// ```
    #[must_use]
    pub fn into_remainder(self) -> &'data mut [T] {
        self.rest
    }

    /// What is left at the end of the slice, too short for a part; nothing after
    /// [`take_remainder`](Self::take_remainder).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// let mut pairs = numbers.par_chunks_exact_mut(2);
    /// pairs.remainder().fill(0);
    /// pairs.for_each(|pair| pair.swap(0, 1));
    /// assert_eq!(numbers, [2, 1, 4, 3, 0]);
    /// ```
    pub fn remainder(&mut self) -> &mut [T] {
        self.rest
    }

    /// Takes what is left at the end of the slice, too short for a part; nothing the second time.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// let mut pairs = numbers.par_chunks_exact_mut(2);
    /// let rest = pairs.take_remainder();
    /// pairs.for_each(|pair| pair.swap(0, 1));
    /// rest.fill(0);
    /// assert_eq!(numbers, [2, 1, 4, 3, 0]);
    /// ```
    pub fn take_remainder(&mut self) -> &'data mut [T] {
        std::mem::take(&mut self.rest)
    }
}
