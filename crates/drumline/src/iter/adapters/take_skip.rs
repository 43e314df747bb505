//! `take` and `skip`.

use super::wrapping::{Wrap, Wrapping};
use crate::iter::IndexedParallelIterator;
use crate::iter::bridged::bridged;
use crate::iter::ends::for_each::CallWith;
use crate::iter::ends::reduction::ReductionConsumer;
use crate::iter::item_op::adapter;
use crate::iter::plumbing::Producer;
use crate::iter::plumbing::bridge_producer_consumer;

adapter! {
    /// The first items of another iterator; see
    /// [`take`](crate::iter::IndexedParallelIterator::take).
    Take<I> { count: usize }
}

bridged! {
    [I] Take<I> where { I: IndexedParallelIterator, }
    yields I::Item;
    len |take| take.count.min(take.base.len());
    producer |take, callback| {
        let wrap = FirstOf { count: take.len() };
        take.base.with_producer(Wrapping { callback, wrap })
    };
}

/// Cuts off what comes after the first `count` items.
struct FirstOf {
    count: usize,
}

impl<T> Wrap<T> for FirstOf {
    type Item = T;
    type Producer<P>
        = P
    where
        P: Producer<Item = T>;

    fn wrap<P>(self, base: P) -> P
    where
        P: Producer<Item = T>,
    {
        base.split_at(self.count).0
    }
}

adapter! {
    /// The items of another iterator after the first ones; see
    /// [`skip`](crate::iter::IndexedParallelIterator::skip).
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
