//! What a mutable slice can do in parallel.

use super::{
    ChunkByMut, ChunksExactMut, ChunksMut, RChunksExactMut, RChunksMut, SplitInclusiveMut, SplitMut,
};

/// Methods of mutable slices: parallel iterators over parts of them, and sorting.
pub trait ParallelSliceMut<T: Send> {
    /// The slice itself.
    fn as_parallel_slice_mut(&mut self) -> &mut [T];

    // ---- parts ----------------------------------------------------------

    /// The parts between the items that satisfy `separator`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut text = *b"one two";
    /// text.par_split_mut(|&byte| byte == b' ').for_each(|word| word[0].make_ascii_uppercase());
    /// assert_eq!(&text, b"One Two");
    /// ```
    fn par_split_mut<P>(&mut self, separator: P) -> SplitMut<'_, T, P>
    where
        P: Fn(&T) -> bool + Sync + Send,
    {
        SplitMut::new(self.as_parallel_slice_mut(), separator)
    }

    /// The parts that end with an item that satisfies `separator`, and what follows the last one.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [1, 2, 0, 3, 0];
    /// numbers.par_split_inclusive_mut(|&number| number == 0).for_each(<[i32]>::reverse);
    /// assert_eq!(numbers, [0, 2, 1, 0, 3]);
    /// ```
    fn par_split_inclusive_mut<P>(&mut self, separator: P) -> SplitInclusiveMut<'_, T, P>
    where
        P: Fn(&T) -> bool + Sync + Send,
    {
        SplitInclusiveMut::new(self.as_parallel_slice_mut(), separator)
    }

    /// Parts of `chunk_size` items, from the beginning on; the last may be shorter.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// numbers.par_chunks_mut(2).for_each(<[i32]>::reverse);
    /// assert_eq!(numbers, [2, 1, 4, 3, 5]);
    /// ```
    ///
    /// # Panics
    ///
    /// If `chunk_size` is 0.
    fn par_chunks_mut(&mut self, chunk_size: usize) -> ChunksMut<'_, T> {
        assert!(chunk_size != 0, "a chunk needs a size");
        ChunksMut::new(chunk_size, self.as_parallel_slice_mut())
    }

    /// Parts of exactly `chunk_size` items, from the beginning on; what is left is the
    /// [`remainder`](ChunksExactMut::remainder).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// numbers.par_chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
    /// assert_eq!(numbers, [2, 1, 4, 3, 5]);
    /// ```
    ///
    /// # Panics
    ///
    /// If `chunk_size` is 0.
    fn par_chunks_exact_mut(&mut self, chunk_size: usize) -> ChunksExactMut<'_, T> {
        assert!(chunk_size != 0, "a chunk needs a size");
        ChunksExactMut::new(chunk_size, self.as_parallel_slice_mut())
    }

    /// Parts of `chunk_size` items, from the end on; the last, which is the beginning of the slice, may be
    /// shorter.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// numbers.par_rchunks_mut(2).for_each(<[i32]>::reverse);
    /// assert_eq!(numbers, [1, 3, 2, 5, 4]);
    /// ```
    ///
    /// # Panics
    ///
    /// If `chunk_size` is 0.
    fn par_rchunks_mut(&mut self, chunk_size: usize) -> RChunksMut<'_, T> {
        assert!(chunk_size != 0, "a chunk needs a size");
        RChunksMut::new(chunk_size, self.as_parallel_slice_mut())
    }

    /// Parts of exactly `chunk_size` items, from the end on; what is left is the
    /// [`remainder`](RChunksExactMut::remainder).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// numbers.par_rchunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
    /// assert_eq!(numbers, [1, 3, 2, 5, 4]);
    /// ```
    ///
    /// # Panics
    ///
    /// If `chunk_size` is 0.
    fn par_rchunks_exact_mut(&mut self, chunk_size: usize) -> RChunksExactMut<'_, T> {
        assert!(chunk_size != 0, "a chunk needs a size");
        RChunksExactMut::new(chunk_size, self.as_parallel_slice_mut())
    }

    /// The longest parts in which `pred` holds for all pairs of neighbours. It is called once for
    /// every pair of neighbours in the slice.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [1, 2, 9, 3, 4];
    /// numbers.par_chunk_by_mut(|a, b| a < b).for_each(<[i32]>::reverse);
    /// assert_eq!(numbers, [9, 2, 1, 4, 3]);
    /// ```
    fn par_chunk_by_mut<F>(&mut self, pred: F) -> ChunkByMut<'_, T, F>
    where
        F: Fn(&T, &T) -> bool + Send + Sync,
    {
        ChunkByMut::new(self.as_parallel_slice_mut(), pred)
    }

    // ---- sorting --------------------------------------------------------
}

impl<T: Send> ParallelSliceMut<T> for [T] {
    #[inline]
    fn as_parallel_slice_mut(&mut self) -> &mut [T] {
        self
    }
}
