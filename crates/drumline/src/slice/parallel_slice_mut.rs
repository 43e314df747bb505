//! What a mutable slice can do in parallel.

use std::cmp::Ordering;

use super::sort::{self, By, ByKey, Natural};

/// Methods of mutable slices: parallel iterators over parts of them, and sorting.
pub trait ParallelSliceMut<T: Send> {
    /// The slice itself.
    fn as_parallel_slice_mut(&mut self) -> &mut [T];

    // ---- parts ----------------------------------------------------------

    // ---- sorting --------------------------------------------------------

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
    /// [`sort`](slice::sort) (driftsort, Bergdoll and Peters, 2024), at the same time; two sorted
    /// parts are merged in parallel, after binary searches for what belongs together (Shiloach and
    /// Vishkin, 1981). Integers are sorted as by `par_sort_unstable` unless they come in runs:
    /// nobody can tell the difference. Up to about two thousand items, and in a pool with one job,
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
    /// The keys are kept in memory, each with the index of its item, and sorted as by
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
