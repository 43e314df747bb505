//! What a parallel iterator can do whose items are counted.

use std::iter::{self, Sum};

use super::plumbing::{Consumer, ProducerCallback};
use super::{ParallelIterator, fixed};

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

    // ---- what rayon does not have ----------------------------------------

    /// Combines all items by `op`, bracketed by their *indices* alone: pairs, pairs of pairs, and so on.
    /// So the result is the same for any number of jobs, whoever helps, also if `op` is not quite
    /// associative, as the addition of floating-point numbers is. `None` if there are no items.
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
    /// let again: f64 = terms.par_iter().with_jobs(1).sum_fixed();
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
