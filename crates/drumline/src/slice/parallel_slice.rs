//! What a shared slice can do in parallel.

use super::{
    ArrayWindows, ChunkBy, Chunks, ChunksExact, RChunks, RChunksExact, Split, SplitInclusive,
    Windows,
};

/// Methods of slices that give parallel iterators over parts of them.
///
/// ```
/// use drumline::prelude::*;
///
/// let numbers = vec![1, 2, 3, 4, 5];
/// let longest = numbers.par_chunks(2).map(<[i32]>::len).max();
/// assert_eq!(longest, Some(2));
/// ```
pub trait ParallelSlice<T: Sync> {
    /// The slice itself.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert_eq!(vec![1, 2, 3].as_parallel_slice(), [1, 2, 3]);
    /// ```
    fn as_parallel_slice(&self) -> &[T];

    /// The parts between the items that satisfy `separator`; as
    /// [`slice::split`](https://doc.rust-lang.org/std/primitive.slice.html#method.split).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let digits = [3, 1, 0, 4, 0, 0, 1];
    /// let sums = digits.par_split(|&digit| digit == 0).map(|part| part.iter().sum::<u32>());
    /// assert_eq!(sums.reduce(|| 0, u32::max), 4);
    /// ```
    fn par_split<P>(&self, separator: P) -> Split<'_, T, P>
    where
        P: Fn(&T) -> bool + Sync + Send,
    {
        Split::new(self.as_parallel_slice(), separator)
    }

    /// The parts that end with an item that satisfies `separator`, and what follows the last one.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let text = b"one. two. three.";
    /// let longest = text.par_split_inclusive(|&byte| byte == b'.').map(<[u8]>::len).reduce(|| 0, usize::max);
    /// assert_eq!(longest, b" three.".len());
    /// ```
    fn par_split_inclusive<P>(&self, separator: P) -> SplitInclusive<'_, T, P>
    where
        P: Fn(&T) -> bool + Sync + Send,
    {
        SplitInclusive::new(self.as_parallel_slice(), separator)
    }

    /// The parts of `window_size` items that begin at each place with that many items from there
    /// on.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let heights = [2, 3, 5, 4, 4, 6];
    /// let climbs = heights.par_windows(2).filter(|pair| pair[0] < pair[1]);
    /// assert_eq!(climbs.map(|pair| pair[1] - pair[0]).sum::<u32>(), 5);
    /// ```
    ///
    /// # Panics
    ///
    /// If `window_size` is 0.
    fn par_windows(&self, window_size: usize) -> Windows<'_, T> {
        assert!(window_size != 0, "a window needs a size");
        Windows::new(window_size, self.as_parallel_slice())
    }

    /// As [`par_windows`](Self::par_windows), with windows that are arrays.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let heights = [2, 3, 5, 4, 4, 6];
    /// let peaks = heights.par_array_windows().filter(|[a, b, c]| a < b && b > c);
    /// assert_eq!(peaks.map(|[_, peak, _]| *peak).sum::<u32>(), 5);
    /// ```
    ///
    /// # Panics
    ///
    /// If `N` is 0.
    fn par_array_windows<const N: usize>(&self) -> ArrayWindows<'_, T, N> {
        assert!(N != 0, "a window needs a size");
        ArrayWindows::new(self.as_parallel_slice())
    }

    /// Parts of `chunk_size` items, from the beginning on; the last may be shorter.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = [1, 2, 3, 4, 5];
    /// let products = numbers.par_chunks(2).map(|pair| pair.iter().product::<u32>());
    /// assert_eq!(products.sum::<u32>(), 2 + 12 + 5);
    /// ```
    ///
    /// # Panics
    ///
    /// If `chunk_size` is 0.
    fn par_chunks(&self, chunk_size: usize) -> Chunks<'_, T> {
        assert!(chunk_size != 0, "a chunk needs a size");
        Chunks::new(chunk_size, self.as_parallel_slice())
    }

    /// Parts of exactly `chunk_size` items, from the beginning on; what is left is the
    /// [`remainder`](ChunksExact::remainder).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = [1, 2, 3, 4, 5];
    /// let pairs = numbers.par_chunks_exact(2);
    /// assert_eq!(pairs.remainder(), [5]);
    /// assert_eq!(pairs.map(|pair| pair[0] * pair[1]).sum::<u32>(), 2 + 12);
    /// ```
    ///
    /// # Panics
    ///
    /// If `chunk_size` is 0.
    fn par_chunks_exact(&self, chunk_size: usize) -> ChunksExact<'_, T> {
        assert!(chunk_size != 0, "a chunk needs a size");
        ChunksExact::new(chunk_size, self.as_parallel_slice())
    }

    /// Parts of `chunk_size` items, from the end on; the last, which is the beginning of the slice,
    /// may be shorter.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let digits = *b"1234567";
    /// let groups = digits.par_rchunks(3).filter(|group| group.len() == 3);
    /// assert_eq!(groups.map(|_| 1).sum::<u32>(), 2); // 1'234'567
    /// ```
    ///
    /// # Panics
    ///
    /// If `chunk_size` is 0.
    fn par_rchunks(&self, chunk_size: usize) -> RChunks<'_, T> {
        assert!(chunk_size != 0, "a chunk needs a size");
        RChunks::new(chunk_size, self.as_parallel_slice())
    }

    /// Parts of exactly `chunk_size` items, from the end on; what is left is the
    /// [`remainder`](RChunksExact::remainder).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = [1, 2, 3, 4, 5];
    /// let pairs = numbers.par_rchunks_exact(2);
    /// assert_eq!(pairs.remainder(), [1]);
    /// assert_eq!(pairs.map(|pair| pair[0] * pair[1]).sum::<u32>(), 20 + 6);
    /// ```
    ///
    /// # Panics
    ///
    /// If `chunk_size` is 0.
    fn par_rchunks_exact(&self, chunk_size: usize) -> RChunksExact<'_, T> {
        assert!(chunk_size != 0, "a chunk needs a size");
        RChunksExact::new(chunk_size, self.as_parallel_slice())
    }

    /// The longest parts in which `pred` holds for all pairs of neighbours. It is called once for
    /// every pair of neighbours in the slice.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = [1, 1, 2, 3, 3, 3];
    /// let longest = numbers.par_chunk_by(|a, b| a == b).map(<[i32]>::len).reduce(|| 0, usize::max);
    /// assert_eq!(longest, 3);
    /// ```
    fn par_chunk_by<F>(&self, pred: F) -> ChunkBy<'_, T, F>
    where
        F: Fn(&T, &T) -> bool + Send + Sync,
    {
        ChunkBy::new(self.as_parallel_slice(), pred)
    }
}

impl<T: Sync> ParallelSlice<T> for [T] {
    #[inline]
    fn as_parallel_slice(&self) -> &[T] {
        self
    }
}
