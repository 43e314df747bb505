//! `take`.

use super::IndexedParallelIterator;
use super::bridged::{Wrap, Wrapping, bridged};
use super::item_op::adapter;
use super::plumbing::Producer;

adapter! {
    /// The first items of another iterator; see [`take`](super::IndexedParallelIterator::take).
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
