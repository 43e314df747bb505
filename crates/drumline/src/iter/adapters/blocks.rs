//! `by_exponential_blocks` and `by_uniform_blocks`.

use crate::iter::engine::loop_limit::{self, LoopLimit};
use crate::iter::item_op::adapter;
use crate::iter::plumbing::{
    Producer, ProducerCallback, Reducer, UnindexedConsumer, bridge_producer_consumer,
};
use crate::iter::{IndexedParallelIterator, ParallelIterator};
use crate::join;

adapter! {
    /// The items of another iterator, in blocks that become longer; see
    /// [`by_exponential_blocks`](crate::iter::IndexedParallelIterator::by_exponential_blocks).
    ExponentialBlocks<I> {}
}

impl<I: IndexedParallelIterator> ParallelIterator for ExponentialBlocks<I> {
    type Item = I::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<I::Item>,
    {
        // What the first block is depends on the pool.
        loop_limit::within(move || {
            let first = join::jobs();
            drive_blocks(self.base, first, 2, consumer)
        })
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

adapter! {
    /// The items of another iterator, in blocks of one length; see
    /// [`by_uniform_blocks`](crate::iter::IndexedParallelIterator::by_uniform_blocks).
    UniformBlocks<I> { size: usize }
}

impl<I: IndexedParallelIterator> ParallelIterator for UniformBlocks<I> {
    type Item = I::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<I::Item>,
    {
        loop_limit::within(move || drive_blocks(self.base, self.size, 1, consumer))
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

/// Drives `consumer` with one block of items after the other. The first has `size`, each of the
/// others `growth` times as many as the one before.
fn drive_blocks<I, C>(base: I, size: usize, growth: usize, consumer: C) -> C::Result
where
    I: IndexedParallelIterator,
    C: UnindexedConsumer<I::Item>,
{
    let len = base.len();
    base.with_producer(Blocks {
        len,
        size,
        growth,
        consumer,
    })
}

/// Waits for the producer.
struct Blocks<C> {
    len: usize,
    size: usize,
    growth: usize,
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
            mut consumer,
        } = self;
        // Each block has the limit; what joins their results is a closure, and has none.
        let hidden = LoopLimit::hide();
        let mut done = None;
        // Results are joined as soon as they are there: there may be many blocks.
        let join = |reducer: C::Reducer, done: Option<C::Result>, block| match done {
            Some(done) => reducer.reduce(done, block),
            None => block,
        };
        loop {
            let reducer = consumer.to_reducer();
            if len <= size {
                let announced = hidden.again();
                let last = bridge_producer_consumer(len, producer, consumer);
                drop(announced);
                return join(reducer, done, last);
            }
            let (block, rest) = producer.split_at(size);
            let (left, right, _) = consumer.split_at(size);
            let announced = hidden.again();
            let result = bridge_producer_consumer(size, block, left);
            drop(announced);
            let result = join(reducer, done, result);
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
