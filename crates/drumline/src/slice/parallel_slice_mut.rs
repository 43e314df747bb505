//! What a mutable slice can do in parallel.

use std::cmp::Ordering;

use super::sort::{self, By, ByKey, Natural};
use super::{
    ChunkByMut, ChunksExactMut, ChunksMut, RChunksExactMut, RChunksMut, SplitInclusiveMut, SplitMut,
};

/// Methods of mutable slices: parallel iterators over parts of them, and sorting.
///
/// ```
/// use drumline::prelude::*;
///
/// let mut words = vec!["tom", "snare", "bass"];
/// words.par_sort();
/// assert_eq!(words, ["bass", "snare", "tom"]);
/// ```
pub trait ParallelSliceMut<T: Send> {
    /// The slice itself.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = vec![1, 2, 3];
    /// numbers.as_parallel_slice_mut().reverse();
    /// assert_eq!(numbers, [3, 2, 1]);
    /// ```
    fn as_parallel_slice_mut(&mut self) -> &mut [T];

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

    /// Parts of `chunk_size` items, from the end on; the last, which is the beginning of the slice,
    /// may be shorter.
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

    /// Sorts the items, and keeps equal ones in order.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut words = ["pear", "fig", "apple"];
    /// words.par_sort();
    /// assert_eq!(words, ["apple", "fig", "pear"]);
    /// ```
    ///
    /// It takes *O*(*n* log *n*) time on all threads together, and less for items that are in order
    /// in parts; slices that are sorted, or exactly the other way round, take *O*(*n*).
    /// [`par_sort_unstable`](Self::par_sort_unstable) is faster where the order of equal items is
    /// all the same, and needs less memory.
    ///
    /// # How
    ///
    /// A merge sort, with a buffer as long as the slice. Short parts are sorted by
    /// [`sort`](slice::sort) (driftsort, Bergdoll and Peters, 2024), at the same time. Two sorted
    /// parts are merged in parallel, after binary searches for what belongs together (Shiloach and
    /// Vishkin, 1981). Integers are sorted as by `par_sort_unstable` unless they come in runs: the
    /// difference cannot be seen. Up to about two thousand items, and in a pool with one job,
    /// `sort` does it all.
    ///
    /// # Panics
    ///
    /// Where a comparison does. After it, and also if the comparisons contradict each other, the
    /// slice has all its items, in some order. If they contradict each other it may panic, too.
    ///
    /// # Blocking
    ///
    /// Until the slice is sorted; the calling thread takes part in it.
    fn par_sort(&mut self)
    where
        T: Ord,
    {
        sort::stable(self.as_parallel_slice_mut(), &Natural);
    }

    /// [`par_sort`](Self::par_sort) by what a function says of two items.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [2.5, -1.0, 7.25_f64];
    /// numbers.par_sort_by(|a, b| b.total_cmp(a));
    /// assert_eq!(numbers, [7.25, 2.5, -1.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`par_sort`](Self::par_sort).
    ///
    /// # Blocking
    ///
    /// As [`par_sort`](Self::par_sort).
    fn par_sort_by<F>(&mut self, compare: F)
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        sort::stable(self.as_parallel_slice_mut(), &By(compare));
    }

    /// [`par_sort`](Self::par_sort) by what a function makes of each item.
    ///
    /// The function is called twice for each comparison; if it takes long,
    /// [`par_sort_by_cached_key`](Self::par_sort_by_cached_key) is faster.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [-3_i32, 2, 1, -2];
    /// numbers.par_sort_by_key(|number| number.abs());
    /// assert_eq!(numbers, [1, 2, -2, -3]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`par_sort`](Self::par_sort).
    ///
    /// # Blocking
    ///
    /// As [`par_sort`](Self::par_sort).
    fn par_sort_by_key<K, F>(&mut self, f: F)
    where
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        sort::stable(self.as_parallel_slice_mut(), &ByKey(f));
    }

    /// [`par_sort`](Self::par_sort) by what a function makes of each item; it is called only once
    /// for each, in parallel.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [10, 9, 100];
    /// numbers.par_sort_by_cached_key(|number| number.to_string());
    /// assert_eq!(numbers, [10, 100, 9]);
    /// ```
    ///
    /// It takes *O*(*n*) calls of the function, and *O*(*n* log *n*) comparisons of keys. The keys
    /// are kept in memory, each with the index of its item, and sorted as by
    /// [`par_sort_unstable`](Self::par_sort_unstable). Then all items are moved to their places,
    /// through a buffer as long as the slice.
    ///
    /// # Panics
    ///
    /// As [`par_sort`](Self::par_sort).
    ///
    /// # Blocking
    ///
    /// As [`par_sort`](Self::par_sort).
    fn par_sort_by_cached_key<K, F>(&mut self, f: F)
    where
        F: Fn(&T) -> K + Sync,
        K: Ord + Send,
    {
        sort::sort_by_cached_key(self.as_parallel_slice_mut(), f);
    }

    /// Sorts the items; equal ones end up in any order.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [3, 1, 2];
    /// numbers.par_sort_unstable();
    /// assert_eq!(numbers, [1, 2, 3]);
    /// ```
    ///
    /// It takes *O*(*n* log *n*) time on all threads together, *O*(*n* log *k*) for *k* different
    /// items, and *O*(*n*) for slices that are sorted, or exactly the other way round. It works in
    /// place, without a buffer.
    ///
    /// # How
    ///
    /// A quicksort (Hoare, 1961): the items are divided by the median of a sample, by one thread,
    /// then both sides at the same time, and so on. Short parts are sorted by
    /// [`sort_unstable`](slice::sort_unstable) (ipnsort, Bergdoll and Peters, 2024), which also
    /// takes over where the medians turn out badly. Up to about two thousand items, and in a pool
    /// with one job, `sort_unstable` does it all.
    ///
    /// # Panics
    ///
    /// As [`par_sort`](Self::par_sort).
    ///
    /// # Blocking
    ///
    /// As [`par_sort`](Self::par_sort).
    fn par_sort_unstable(&mut self)
    where
        T: Ord,
    {
        sort::unstable(self.as_parallel_slice_mut(), &Natural);
    }

    /// [`par_sort_unstable`](Self::par_sort_unstable) by what a function says of two items.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = [2.5, -1.0, 7.25];
    /// numbers.par_sort_unstable_by(f64::total_cmp);
    /// assert_eq!(numbers, [-1.0, 2.5, 7.25]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`par_sort_unstable`](Self::par_sort_unstable).
    ///
    /// # Blocking
    ///
    /// As [`par_sort_unstable`](Self::par_sort_unstable).
    fn par_sort_unstable_by<F>(&mut self, compare: F)
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        sort::unstable(self.as_parallel_slice_mut(), &By(compare));
    }

    /// [`par_sort_unstable`](Self::par_sort_unstable) by what a function makes of each item.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut words = ["heron", "owl", "swan"];
    /// words.par_sort_unstable_by_key(|word| word.len());
    /// assert_eq!(words, ["owl", "swan", "heron"]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`par_sort_unstable`](Self::par_sort_unstable).
    ///
    /// # Blocking
    ///
    /// As [`par_sort_unstable`](Self::par_sort_unstable).
    fn par_sort_unstable_by_key<K, F>(&mut self, f: F)
    where
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        sort::unstable(self.as_parallel_slice_mut(), &ByKey(f));
    }
}

impl<T: Send> ParallelSliceMut<T> for [T] {
    #[inline]
    fn as_parallel_slice_mut(&mut self) -> &mut [T] {
        self
    }
}
