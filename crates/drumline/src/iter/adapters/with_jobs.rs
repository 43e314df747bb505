//! `jobs`: a loop with fewer threads.

use crate::iter::engine::loop_limit::Announced;
use crate::iter::item_op::adapter;
use crate::iter::plumbing::{Consumer, ProducerCallback, UnindexedConsumer};
use crate::iter::{IndexedParallelIterator, ParallelIterator};

adapter! {
    /// Another iterator with a limit on the threads of its loop; see
    /// [`jobs`](crate::iter::ParallelIterator::jobs).
    WithJobs<I> { jobs: usize }
}

impl<I: ParallelIterator> ParallelIterator for WithJobs<I> {
    type Item = I::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<Self::Item>,
    {
        let _announced = Announced::new(self.jobs);
        self.base.drive_unindexed(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for WithJobs<I> {
    fn len(&self) -> usize {
        self.base.len()
    }

    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<Self::Item>,
    {
        let _announced = Announced::new(self.jobs);
        self.base.drive(consumer)
    }

    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<Self::Item>,
    {
        // Also for the loops that the base runs of its own, before it has a producer.
        let _announced = Announced::new(self.jobs);
        self.base.with_producer(callback)
    }
}
