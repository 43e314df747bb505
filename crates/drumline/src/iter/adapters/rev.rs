//! `rev`.

use std::iter;

use super::wrapping::{Wrap, Wrapping};
use crate::iter::IndexedParallelIterator;
use crate::iter::bridged::bridged;
use crate::iter::item_op::adapter;
use crate::iter::plumbing::Producer;

adapter! {
    /// The items of another iterator from the last to the first; see
    /// [`rev`](crate::iter::IndexedParallelIterator::rev).
    Rev<I> {}
}

bridged! {
    [I] Rev<I> where { I: IndexedParallelIterator, }
    yields I::Item;
    len |rev| rev.base.len();
    producer |rev, callback| {
        let wrap = Reversed { len: rev.base.len() };
        rev.base.with_producer(Wrapping { callback, wrap })
    };
}

/// Reverses a producer of `len` items.
struct Reversed {
    len: usize,
}

impl<T> Wrap<T> for Reversed {
    type Item = T;
    type Producer<P>
        = RevProducer<P>
    where
        P: Producer<Item = T>;

    fn wrap<P>(self, base: P) -> RevProducer<P>
    where
        P: Producer<Item = T>,
    {
        RevProducer {
            base,
            len: self.len,
        }
    }
}

/// Gives the items of `base` from the last to the first.
struct RevProducer<P> {
    base: P,
    len: usize,
}

impl<P: Producer> Producer for RevProducer<P> {
    type Item = P::Item;
    type IntoIter = iter::Rev<P::IntoIter>;
    const HAS_STATE: bool = P::HAS_STATE;
    const ENDS_EARLY: bool = P::ENDS_EARLY;

    fn into_iter(self) -> Self::IntoIter {
        self.base.into_iter().rev()
    }

    fn min_len(&self) -> usize {
        self.base.min_len()
    }

    fn max_len(&self) -> usize {
        self.base.max_len()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let rest = self.len - index;
        let (before, after) = self.base.split_at(rest);
        let first = RevProducer {
            base: after,
            len: index,
        };
        let second = RevProducer {
            base: before,
            len: rest,
        };
        (first, second)
    }
}
