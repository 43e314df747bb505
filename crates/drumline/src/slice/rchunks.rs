//! Parts of the same length, counted from the end.

use super::chunks::{clone_parts, parts};
use crate::iter::bridged::bridged;
use crate::iter::plumbing::Producer;

/// Splits off `items` at the end, which come first.
fn split_back<T>(slice: &[T], items: usize) -> (&[T], &[T]) {
    let (right, left) = slice.split_at(slice.len() - items);
    (left, right)
}

/// As [`split_back`].
fn split_back_mut<T>(slice: &mut [T], items: usize) -> (&mut [T], &mut [T]) {
    let (right, left) = slice.split_at_mut(slice.len() - items);
    (left, right)
}

parts! {
    /// Parts of a shared slice, the last one first; see
    /// [`par_rchunks`](super::ParallelSlice::par_rchunks).
    RChunks(&'data [T]), RChunksProducer, Sync, rchunks as RChunks, split_back
}

parts! {
    /// Parts of a mutable slice, the last one first; see
    /// [`par_rchunks_mut`](super::ParallelSliceMut::par_rchunks_mut).
    RChunksMut(&'data mut [T]), RChunksMutProducer, Send, rchunks_mut as RChunksMut, split_back_mut
}

parts! {
    /// Parts of a shared slice, all of the same length, the last one first; see
    /// [`par_rchunks_exact`](super::ParallelSlice::par_rchunks_exact).
    RChunksExact(&'data [T]), RChunksExactProducer, Sync, rchunks_exact as RChunksExact, split_back,
    rest rest
}

parts! {
    /// Parts of a mutable slice, all of the same length, the last one first; see
    /// [`par_rchunks_exact_mut`](super::ParallelSliceMut::par_rchunks_exact_mut).
    RChunksExactMut(&'data mut [T]), RChunksExactMutProducer, Send,
    rchunks_exact_mut as RChunksExactMut, split_back_mut, rest rest
}

clone_parts! {
    RChunks { size, slice }
    RChunksExact { size, slice, rest }
}

impl<'data, T> RChunks<'data, T> {
    pub(super) fn new(size: usize, slice: &'data [T]) -> Self {
        RChunks { size, slice }
    }
}

impl<'data, T> RChunksMut<'data, T> {
    pub(super) fn new(size: usize, slice: &'data mut [T]) -> Self {
        RChunksMut { size, slice }
    }
}

impl<'data, T> RChunksExact<'data, T> {
    pub(super) fn new(size: usize, slice: &'data [T]) -> Self {
        let (rest, slice) = slice.split_at(slice.len() % size);
        RChunksExact { size, slice, rest }
    }

    /// What is left at the beginning of the slice, too short for a part.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = [1, 2, 3, 4, 5];
    /// assert_eq!(numbers.par_rchunks_exact(2).remainder(), [1]);
    /// ```
    #[must_use]
    pub fn remainder(&self) -> &'data [T] {
        self.rest
    }
}

impl<'data, T> RChunksExactMut<'data, T> {
    pub(super) fn new(size: usize, slice: &'data mut [T]) -> Self {
        let (rest, slice) = slice.split_at_mut(slice.len() % size);
        RChunksExactMut { size, slice, rest }
    }

    /// Becomes what is left at the beginning of the slice, too short for a part.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// numbers.par_rchunks_exact_mut(2).into_remainder().fill(0);
    /// assert_eq!(numbers, [0, 2, 3, 4, 5]);
    /// ```
    #[must_use]
    pub fn into_remainder(self) -> &'data mut [T] {
        self.rest
    }

    /// What is left at the beginning of the slice, too short for a part; nothing after
    /// [`take_remainder`](Self::take_remainder).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// let mut pairs = numbers.par_rchunks_exact_mut(2);
    /// pairs.remainder().fill(0);
    /// pairs.for_each(|pair| pair.swap(0, 1));
    /// assert_eq!(numbers, [0, 3, 2, 5, 4]);
    /// ```
    pub fn remainder(&mut self) -> &mut [T] {
        self.rest
    }

    /// Takes what is left at the beginning of the slice, too short for a part; nothing the second
    /// time.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// let mut pairs = numbers.par_rchunks_exact_mut(2);
    /// let rest = pairs.take_remainder();
    /// pairs.for_each(|pair| pair.swap(0, 1));
    /// rest.fill(0);
    /// assert_eq!(numbers, [0, 3, 2, 5, 4]);
    /// ```
    pub fn take_remainder(&mut self) -> &'data mut [T] {
        std::mem::take(&mut self.rest)
    }
}
