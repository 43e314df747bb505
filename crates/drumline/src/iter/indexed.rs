//! What a parallel iterator with a known number of items can do.
//!
//! A trait has one body, so all of its methods are in one file. Most lines are their examples; what
//! a method does is in the file of its adapter or end.

use crate::iter::ends::collect;
use std::cmp::Ordering;

use crate::iter::adapters::blocks::{ExponentialBlocks, UniformBlocks};
use crate::iter::adapters::chunks::Chunks;
use crate::iter::adapters::enumerate::Enumerate;
use crate::iter::adapters::fold_chunks::{FoldChunks, FoldChunksWith};
use crate::iter::adapters::interleave::Interleave;
use crate::iter::adapters::interleave::InterleaveShortest;
use crate::iter::adapters::part_len::{MaxLen, MinLen};
use crate::iter::adapters::positions::Positions;
use crate::iter::adapters::rev::Rev;
use crate::iter::adapters::step_by::StepBy;
use crate::iter::adapters::take_skip::Skip;
use crate::iter::adapters::take_skip::Take;
use crate::iter::adapters::zip::Zip;
use crate::iter::adapters::zip::ZipEq;
use crate::iter::ends::fixed;
use crate::iter::ends::ordered_search;
use crate::iter::ends::search;
use crate::iter::plumbing::{Consumer, ProducerCallback};
use crate::iter::{IntoParallelIterator, ParallelIterator};
use std::iter::{self, Sum};

/// A parallel iterator that knows how many items it has, and can be split before any of them.
///
/// ```
/// use drumline::prelude::*;
///
/// let (lows, highs) = ([1, 2, 3], [10, 20, 30]);
/// let mut sums = Vec::new();
/// lows.par_iter().zip(&highs).map(|(low, high)| low + high).collect_into_vec(&mut sums);
/// assert_eq!(sums, [11, 22, 33]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not know in advance how many items it has",
    label = "the number of items is not known",
    note = "after `filter`, `flat_map` or `par_bridge` it is not: call what needs it (`zip`, \
            `enumerate`, `rev`, ...) before them, or collect into a `Vec` first"
)]
#[expect(
    clippy::len_without_is_empty,
    reason = "rayon has none, and iterators that have one would become ambiguous"
)]
pub trait IndexedParallelIterator: ParallelIterator {
    /// How many items there are.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = [3, 1, 4, 1, 5];
    /// assert_eq!(numbers.par_iter().step_by(2).len(), 3);
    /// ```
    fn len(&self) -> usize;

    /// As [`drive_unindexed`](ParallelIterator::drive_unindexed); the consumer is told where it is
    /// split.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Consumer, ProducerCallback, UnindexedConsumer, bridge};
    /// use drumline::prelude::*;
    ///
    /// /// The items of a vector.
    /// struct Items<T>(Vec<T>);
    ///
    /// impl<T: Send> ParallelIterator for Items<T> {
    ///     type Item = T;
    ///     fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
    ///         self.drive(consumer)
    ///     }
    /// }
    ///
    /// impl<T: Send> IndexedParallelIterator for Items<T> {
    ///     fn len(&self) -> usize {
    ///         self.0.len()
    ///     }
    ///     fn drive<C: Consumer<T>>(self, consumer: C) -> C::Result {
    ///         bridge(self, consumer)
    ///     }
    ///     fn with_producer<CB: ProducerCallback<T>>(self, callback: CB) -> CB::Output {
    ///         self.0.into_par_iter().with_producer(callback)
    ///     }
    /// }
    ///
    /// assert_eq!(Items(vec![1, 2, 3]).enumerate().map(|(at, item)| at * item).sum::<usize>(), 8);
    /// ```
    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<Self::Item>;

    /// Gives its producer to `callback`; see [`plumbing`](crate::iter::plumbing).
    ///
    /// ```
    /// use drumline::iter::plumbing::{Producer, ProducerCallback};
    /// use drumline::prelude::*;
    ///
    /// /// The items, on one thread.
    /// struct InSequence;
    ///
    /// impl<T> ProducerCallback<T> for InSequence {
    ///     type Output = Vec<T>;
    ///     fn callback<P: Producer<Item = T>>(self, producer: P) -> Vec<T> {
    ///         producer.into_iter().collect()
    ///     }
    /// }
    ///
    /// assert_eq!(vec![3, 1, 4].into_par_iter().rev().with_producer(InSequence), [4, 1, 3]);
    /// ```
    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<Self::Item>;

    /// Goes through the items in blocks, one block after the other, each of them in parallel. The
    /// first block has as many items as the pool has [jobs](crate::current_jobs), and each of the
    /// others twice as many as the one before.
    ///
    /// For searches that end early: no thread is far ahead of where the search ends.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let tens: Vec<u32> = (0..1_000).map(|ten| 10 * ten).collect();
    /// let found = tens.par_iter().by_exponential_blocks().find_first(|ten| **ten > 42);
    /// assert_eq!(found, Some(&50));
    /// ```
    fn by_exponential_blocks(self) -> ExponentialBlocks<Self> {
        ExponentialBlocks::new(self)
    }

    /// Goes through the items in blocks of `block_size`, one block after the other, each of them in
    /// parallel.
    ///
    /// For a working set that fits the caches.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = [1, 2, 3, 4, 5];
    /// let sum: u32 = numbers.par_iter().by_uniform_blocks(2).sum();
    /// assert_eq!(sum, 15);
    /// ```
    ///
    /// # Panics
    ///
    /// If `block_size` is 0.
    #[track_caller]
    fn by_uniform_blocks(self, block_size: usize) -> UniformBlocks<Self> {
        assert!(block_size > 0, "block_size must not be zero");
        UniformBlocks::new(self, block_size)
    }

    /// Turns the order around.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let back: Vec<_> = [1, 2, 3].par_iter().rev().collect();
    /// assert_eq!(back, [&3, &2, &1]);
    /// ```
    fn rev(self) -> Rev<Self> {
        Rev::new(self)
    }

    /// Pairs each item with one of another iterator, as long as both have items.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let (numbers, words) = ([1, 2, 3], ["one", "two"]);
    /// let pairs: Vec<_> = numbers.par_iter().zip(&words).collect();
    /// assert_eq!(pairs, [(&1, &"one"), (&2, &"two")]);
    /// ```
    fn zip<Z>(self, zip_op: Z) -> Zip<Self, Z::Iter>
    where
        Z: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        Zip::new(self, zip_op.into_par_iter())
    }

    /// Pairs each item with one of another iterator that is as long as this one.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let (numbers, words) = ([1, 2], ["one", "two"]);
    /// let pairs: Vec<_> = numbers.par_iter().zip_eq(&words).collect();
    /// assert_eq!(pairs, [(&1, &"one"), (&2, &"two")]);
    /// ```
    ///
    /// # Panics
    ///
    /// If it is not as long, at once.
    #[track_caller]
    fn zip_eq<Z>(self, zip_op: Z) -> ZipEq<Self, Z::Iter>
    where
        Z: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        let other = zip_op.into_par_iter();
        assert_eq!(
            self.len(),
            other.len(),
            "iterators must have the same length"
        );
        ZipEq::new(self, other)
    }

    /// Takes items from this and another iterator in turns, and what is left of the longer one at
    /// the end.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let turns: Vec<_> = [1, 2].par_iter().interleave(&[10, 20, 30, 40]).collect();
    /// assert_eq!(turns, [&1, &10, &2, &20, &30, &40]);
    /// ```
    fn interleave<I>(self, other: I) -> Interleave<Self, I::Iter>
    where
        I: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
    {
        Interleave::new(self, other.into_par_iter())
    }

    /// Takes items from this and another iterator in turns, until it is the turn of one that has no
    /// more.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let turns: Vec<_> = [1, 2].par_iter().interleave_shortest(&[10, 20, 30, 40]).collect();
    /// assert_eq!(turns, [&1, &10, &2, &20]);
    /// ```
    fn interleave_shortest<I>(self, other: I) -> InterleaveShortest<Self, I::Iter>
    where
        I: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
    {
        InterleaveShortest::new(self, other.into_par_iter())
    }

    /// Collects each `chunk_size` items in a vector; the last one has what is left.
    ///
    /// To go through chunks of a slice,
    /// [`par_chunks`](crate::slice::ParallelSlice::par_chunks) is better, which allocates nothing.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let chunks: Vec<_> = [1, 2, 3, 4, 5].par_iter().map(|n| n * n).chunks(2).collect();
    /// assert_eq!(chunks, [vec![1, 4], vec![9, 16], vec![25]]);
    /// ```
    ///
    /// # Panics
    ///
    /// If `chunk_size` is 0.
    #[track_caller]
    fn chunks(self, chunk_size: usize) -> Chunks<Self> {
        assert!(chunk_size > 0, "chunk_size must not be zero");
        Chunks::new(self, chunk_size)
    }

    /// Folds each `chunk_size` items by `fold_op`, beginning with what `identity` makes.
    ///
    /// Unlike in `fold`, the parts are the same in every run.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let sums: Vec<u32> = [1, 2, 3, 4, 5]
    ///     .par_iter()
    ///     .fold_chunks(2, || 0, |sum, number| sum + number)
    ///     .collect();
    /// assert_eq!(sums, [3, 7, 5]);
    /// ```
    ///
    /// # Panics
    ///
    /// If `chunk_size` is 0.
    #[track_caller]
    fn fold_chunks<T, ID, F>(
        self,
        chunk_size: usize,
        identity: ID,
        fold_op: F,
    ) -> FoldChunks<Self, ID, F>
    where
        ID: Fn() -> T + Send + Sync,
        F: Fn(T, Self::Item) -> T + Send + Sync,
        T: Send,
    {
        assert!(chunk_size > 0, "chunk_size must not be zero");
        FoldChunks::new(self, chunk_size, identity, fold_op)
    }

    /// Folds each `chunk_size` items by `fold_op`, beginning with a clone of `init`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let lines: Vec<String> = ["a", "b", "c"]
    ///     .par_iter()
    ///     .fold_chunks_with(2, String::from("-"), |line, letter| line + letter)
    ///     .collect();
    /// assert_eq!(lines, ["-ab", "-c"]);
    /// ```
    ///
    /// # Panics
    ///
    /// If `chunk_size` is 0.
    #[track_caller]
    fn fold_chunks_with<T, F>(
        self,
        chunk_size: usize,
        init: T,
        fold_op: F,
    ) -> FoldChunksWith<Self, T, F>
    where
        T: Send + Clone,
        F: Fn(T, Self::Item) -> T + Send + Sync,
    {
        assert!(chunk_size > 0, "chunk_size must not be zero");
        FoldChunksWith::new(self, chunk_size, init, fold_op)
    }

    /// Compares the items with those of another iterator, as words in a dictionary.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::cmp::Ordering;
    ///
    /// assert_eq!([1, 2, 3].par_iter().cmp(&[1, 3]), Ordering::Less);
    /// assert_eq!([1, 2, 3].par_iter().cmp(&[1, 2]), Ordering::Greater);
    /// ```
    fn cmp<I>(self, other: I) -> Ordering
    where
        I: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
        Self::Item: Ord,
    {
        let other = other.into_par_iter();
        let by_len = self.len().cmp(&other.len());
        let differ = |(a, b)| Some(Ord::cmp(&a, &b)).filter(|order| order.is_ne());
        ordered_search::search(self.zip(other), &differ, ordered_search::First).unwrap_or(by_len)
    }

    /// Compares the items with those of another iterator, as words in a dictionary. The first pair
    /// that is not equal decides, and there may be no order in it.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::cmp::Ordering;
    ///
    /// assert_eq!([1.0, 2.0].par_iter().partial_cmp(&[1.0, 1.5]), Some(Ordering::Greater));
    /// assert_eq!([1.0, f64::NAN].par_iter().partial_cmp(&[1.0, 2.0]), None);
    /// ```
    fn partial_cmp<I>(self, other: I) -> Option<Ordering>
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        let other = other.into_par_iter();
        let by_len = self.len().cmp(&other.len());
        let differ = |(a, b)| {
            let order = PartialOrd::partial_cmp(&a, &b);
            (order != Some(Ordering::Equal)).then_some(order)
        };
        ordered_search::search(self.zip(other), &differ, ordered_search::First)
            .unwrap_or(Some(by_len))
    }

    /// Whether the items equal those of another iterator, and are as many.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert!([1, 2].par_iter().eq(&[1, 2]));
    /// assert!(!IndexedParallelIterator::eq([1, 2].par_iter(), &[1, 2, 3]));
    /// ```
    fn eq<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialEq<I::Item>,
    {
        let other = other.into_par_iter();
        self.len() == other.len()
            && search::any(self.zip(other), |(a, b)| {
                (!PartialEq::eq(&a, &b)).then_some(())
            })
            .is_none()
    }

    /// Whether the items differ from those of another iterator, or are not as many.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert!([1, 2].par_iter().ne(&[1, 3]));
    /// ```
    fn ne<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialEq<I::Item>,
    {
        !IndexedParallelIterator::eq(self, other)
    }

    /// Whether the items come before those of another iterator, as words in a dictionary.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert!([1, 2].par_iter().lt(&[1, 3]));
    /// ```
    fn lt<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        IndexedParallelIterator::partial_cmp(self, other).is_some_and(Ordering::is_lt)
    }

    /// Whether the items come before those of another iterator, as words in a dictionary, or equal
    /// them.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert!([1, 2].par_iter().le(&[1, 2]));
    /// ```
    fn le<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        IndexedParallelIterator::partial_cmp(self, other).is_some_and(Ordering::is_le)
    }

    /// Whether the items come after those of another iterator, as words in a dictionary.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert!([1, 2].par_iter().gt(&[1]));
    /// ```
    fn gt<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        IndexedParallelIterator::partial_cmp(self, other).is_some_and(Ordering::is_gt)
    }

    /// Whether the items come after those of another iterator, as words in a dictionary, or equal
    /// them.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert!([1, 2].par_iter().ge(&[1, 2]));
    /// ```
    fn ge<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        IndexedParallelIterator::partial_cmp(self, other).is_some_and(Ordering::is_ge)
    }

    /// Pairs each item with its index.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbered: Vec<_> = ["zero", "one"].par_iter().enumerate().collect();
    /// assert_eq!(numbered, [(0, &"zero"), (1, &"one")]);
    /// ```
    fn enumerate(self) -> Enumerate<Self> {
        Enumerate::new(self)
    }

    /// Gives the first item, and then each that is `step` after the one before.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let some: Vec<_> = [0, 1, 2, 3, 4, 5, 6].par_iter().step_by(3).collect();
    /// assert_eq!(some, [&0, &3, &6]);
    /// ```
    ///
    /// # Panics
    ///
    /// If `step` is 0.
    #[track_caller]
    fn step_by(self, step: usize) -> StepBy<Self> {
        assert!(step > 0, "step must not be zero");
        StepBy::new(self, step)
    }

    /// Leaves out the first `n` items.
    ///
    /// They are made and dropped, before the others are made: a `map` further up is called for
    /// them.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let last: Vec<_> = [1, 2, 3, 4].par_iter().skip(3).collect();
    /// assert_eq!(last, [&4]);
    /// ```
    fn skip(self, n: usize) -> Skip<Self> {
        Skip::new(self, n)
    }

    /// Gives the first `n` items and no more.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let first: Vec<_> = [1, 2, 3, 4].par_iter().take(2).collect();
    /// assert_eq!(first, [&1, &2]);
    /// ```
    fn take(self, n: usize) -> Take<Self> {
        Take::new(self, n)
    }

    /// The index of some item that satisfies `predicate`: of the first one that is found.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let found = [1, 2, 3, 4].par_iter().position_any(|n| n % 2 == 0);
    /// assert!(found == Some(1) || found == Some(3));
    /// ```
    fn position_any<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        search::any(self.enumerate(), |(index, item)| {
            predicate(item).then_some(index)
        })
    }

    /// The index of the first item that satisfies `predicate`.
    ///
    /// Parts that come after an item that was found are not searched any more.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let found = [1, 2, 3, 4].par_iter().position_first(|n| n % 2 == 0);
    /// assert_eq!(found, Some(1));
    /// ```
    fn position_first<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        search::first(self, |item| predicate(item).then_some(())).map(|(index, ())| index)
    }

    /// The index of the last item that satisfies `predicate`.
    ///
    /// The search begins at the end; parts that come before an item that was found are not
    /// searched any more.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let found = [1, 2, 3, 4].par_iter().position_last(|n| n % 2 == 0);
    /// assert_eq!(found, Some(3));
    /// ```
    fn position_last<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        let len = self.len();
        let found = self.rev().position_first(predicate);
        found.map(|index| len - 1 - index)
    }

    /// The indices of all items that satisfy `predicate`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let even: Vec<_> = [1, 2, 3, 4].par_iter().positions(|n| n % 2 == 0).collect();
    /// assert_eq!(even, [1, 3]);
    /// ```
    fn positions<P>(self, predicate: P) -> Positions<Self, P>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        Positions::new(self, predicate)
    }

    /// Sees to it that no part that another thread may take has fewer than `min` items, unless
    /// there are fewer altogether.
    ///
    /// Loops find out by themselves which length of a part is worth the while. This is for a
    /// program that wants no thread to have fewer items.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = [1; 1_000];
    /// let sum: u32 = numbers.par_iter().with_min_len(100).sum();
    /// assert_eq!(sum, 1_000);
    /// ```
    fn with_min_len(self, min: usize) -> MinLen<Self> {
        MinLen::new(self, min)
    }

    /// Sees to it that no part has more than `max` items, also when no other thread takes part.
    ///
    /// This matters only where parts are seen in the result, as in `fold`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = [1; 1_000];
    /// let longest = numbers
    ///     .par_iter()
    ///     .with_max_len(100)
    ///     .fold(|| 0, |count, one| count + one)
    ///     .max();
    /// assert!(longest <= Some(100));
    /// ```
    fn with_max_len(self, max: usize) -> MaxLen<Self> {
        MaxLen::new(self, max)
    }

    /// Makes `target` the items, and uses the memory that it has. What it has held is dropped.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut squares = vec![7];
    /// [1, 2, 3].par_iter().map(|root| root * root).collect_into_vec(&mut squares);
    /// assert_eq!(squares, [1, 4, 9]);
    /// ```
    ///
    /// # Panics
    ///
    /// If there are more or fewer items than [`len`](Self::len) says; and where a closure of the
    /// iterator does. `target` is empty then.
    fn collect_into_vec(self, target: &mut Vec<Self::Item>) {
        collect::collect_into_vec(self, target);
    }

    /// Makes `left` and `right` the halves of the items, and uses the memory that they have. What
    /// they have held is dropped.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let (mut roots, mut squares) = (Vec::new(), Vec::new());
    /// let pairs = [1, 2, 3].par_iter().map(|root| (*root, root * root));
    /// pairs.unzip_into_vecs(&mut roots, &mut squares);
    /// assert_eq!(roots, [1, 2, 3]);
    /// assert_eq!(squares, [1, 4, 9]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`collect_into_vec`](Self::collect_into_vec).
    fn unzip_into_vecs<A, B>(self, left: &mut Vec<A>, right: &mut Vec<B>)
    where
        Self: IndexedParallelIterator<Item = (A, B)>,
        A: Send,
        B: Send,
    {
        collect::unzip_into_vecs(self, left, right);
    }

    /// Combines all items by `op`, bracketed by their *indices* alone: pairs, pairs of pairs, and
    /// so on. So the result is the same for any number of jobs, whichever threads help, also if
    /// `op` is not quite associative, as the addition of floating-point numbers is. `None` if there
    /// are no items.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let shape = ["a", "b", "c"].par_iter().map(|name| name.to_string());
    /// let shape = shape.reduce_fixed(|left, right| format!("({left} {right})"));
    /// assert_eq!(shape.as_deref(), Some("((a b) c)"));
    /// ```
    fn reduce_fixed<OP>(self, op: OP) -> Option<Self::Item>
    where
        OP: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send,
    {
        fixed::reduce_fixed(self, &op)
    }

    /// Adds all items up in an order that depends on their number alone; see
    /// [`reduce_fixed`](Self::reduce_fixed).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let terms: Vec<f64> = (1..=1_000).map(|n| 1.0 / f64::from(n)).collect();
    /// let once: f64 = terms.par_iter().sum_fixed();
    /// let again: f64 = terms.par_iter().jobs(1).sum_fixed();
    /// assert_eq!(once.to_bits(), again.to_bits());
    /// ```
    fn sum_fixed<S>(self) -> S
    where
        S: Send + Sum<Self::Item> + Sum<S>,
    {
        let parts = self.map(|item| iter::once(item).sum::<S>());
        let sum = parts.reduce_fixed(|left, right| [left, right].into_iter().sum());
        sum.unwrap_or_else(|| iter::empty::<S>().sum())
    }
}
