//! `skip`.

use super::IndexedParallelIterator;
use super::bridged::{Wrap, Wrapping, bridged};
use super::for_each::CallWith;
use super::item_op::adapter;
use super::plumbing::{Producer, bridge_producer_consumer};
use super::reduction::ReductionConsumer;

adapter! {
    /// The items of another iterator after the first ones; see
    /// [`skip`](super::IndexedParallelIterator::skip).
    Skip<I> { count: usize }
}

bridged! {
    [I] Skip<I> where { I: IndexedParallelIterator, }
    yields I::Item;
    len |skip| skip.base.len().saturating_sub(skip.count);
    producer |skip, callback| {
        let wrap = After { count: skip.count.min(skip.base.len()) };
        skip.base.with_producer(Wrapping { callback, wrap })
    };
}

/// Goes through the first `count` items, and leaves the others.
struct After {
    count: usize,
}

impl<T> Wrap<T> for After {
    type Item = T;
    type Producer<P>
        = P
    where
        P: Producer<Item = T>;

    fn wrap<P>(self, base: P) -> P
    where
        P: Producer<Item = T>,
    {
        let (skipped, rest) = base.split_at(self.count);
        // As in a sequential iterator, what is skipped is made nevertheless: a closure of `map`
        // further up is called for it.
        let nothing = CallWith(&drop::<T>);
        bridge_producer_consumer(self.count, skipped, ReductionConsumer(&nothing));
        rest
    }
}
