//! What a parallel iterator can do whose items are counted.

use super::ParallelIterator;
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
}
