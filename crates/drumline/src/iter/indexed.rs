//! What a parallel iterator can do whose items are counted.

use super::ParallelIterator;
use super::collect;
use super::plumbing::{Consumer, ProducerCallback};

/// A parallel iterator that knows how many items it has, and can be split before any of them.
pub trait IndexedParallelIterator: ParallelIterator {
    /// How many items there are.
    fn len(&self) -> usize;

    /// As [`drive_unindexed`](ParallelIterator::drive_unindexed); the consumer is told where it is
    /// split.
    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<Self::Item>;

    /// Gives its producer to `callback`; see [`plumbing`](super::plumbing).
    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<Self::Item>;

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

    /// Makes `left` and `right` the halves of the items, and uses the memory that they have. What they
    /// have held is dropped.
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
}
