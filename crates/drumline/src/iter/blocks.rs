//! `by_exponential_blocks` and `by_uniform_blocks`.

use super::limit::{Announced, Limit};
use super::plumbing::{
    Producer, ProducerCallback, Reducer, UnindexedConsumer, bridge_producer_consumer,
};
use super::stage::adapter;
use super::{IndexedParallelIterator, ParallelIterator};
use crate::join;
use crate::sync::Arc;

adapter! {
    /// The items of another iterator, in blocks that become longer; see
    /// [`by_exponential_blocks`](super::IndexedParallelIterator::by_exponential_blocks).
    ExponentialBlocks<I> {}
}

impl<I: IndexedParallelIterator> ParallelIterator for ExponentialBlocks<I> {
    type Item = I::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<I::Item>,
    {
        let limit = Limit::of_next_loop();
        // What the first block is depends on the pool.
        join::within(move || {
            let first = join::jobs();
            drive_blocks(self.base, first, 2, limit, consumer)
        })
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

adapter! {
    /// The items of another iterator, in blocks of one length; see
    /// [`by_uniform_blocks`](super::IndexedParallelIterator::by_uniform_blocks).
    UniformBlocks<I> { size: usize }
}

impl<I: IndexedParallelIterator> ParallelIterator for UniformBlocks<I> {
    type Item = I::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<I::Item>,
    {
        let limit = Limit::of_next_loop();
        join::within(move || drive_blocks(self.base, self.size, 1, limit, consumer))
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

/// Drives `consumer` with one block of items after the other. The first has `size`, each of the
/// others `growth` times as many as the one before. The limit is for the loop of each block.
fn drive_blocks<I, C>(
    base: I,
    size: usize,
    growth: usize,
    limit: Option<Arc<Limit>>,
    consumer: C,
) -> C::Result
where
    I: IndexedParallelIterator,
    C: UnindexedConsumer<I::Item>,
{
    let len = base.len();
    base.with_producer(Blocks {
        len,
        size,
        growth,
        limit,
        consumer,
    })
}

/// Waits for the producer.
struct Blocks<C> {
    len: usize,
    size: usize,
    growth: usize,
    limit: Option<Arc<Limit>>,
    consumer: C,
}

impl<T, C: UnindexedConsumer<T>> ProducerCallback<T> for Blocks<C> {
    type Output = C::Result;

    fn callback<P>(self, mut producer: P) -> C::Result
    where
        P: Producer<Item = T>,
    {
        let Blocks {
            mut len,
            mut size,
            growth,
            limit,
            mut consumer,
        } = self;
        // The base may have brought one of its own.
        let limit = Limit::of_next_loop().or(limit);
        let announce = || limit.clone().map(Announced::again);
        let mut done = None;
        // Results are joined as soon as they are there: there may be many blocks.
        let join = |reducer: C::Reducer, done: Option<C::Result>, block| match done {
            Some(done) => reducer.reduce(done, block),
            None => block,
        };
        loop {
            let reducer = consumer.to_reducer();
            if len <= size {
                let _announced = announce();
                let last = bridge_producer_consumer(len, producer, consumer);
                return join(reducer, done, last);
            }
            let (block, rest) = producer.split_at(size);
            let (left, right, _) = consumer.split_at(size);
            let announced = announce();
            let result = join(reducer, done, bridge_producer_consumer(size, block, left));
            drop(announced);
            if right.full() {
                return result;
            }
            done = Some(result);
            (producer, consumer) = (rest, right);
            len -= size;
            size = size.saturating_mul(growth);
        }
    }
}
