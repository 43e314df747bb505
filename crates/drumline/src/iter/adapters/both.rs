//! Adapters of two indexed iterators: `zip`, `interleave`.

use std::marker::PhantomData;

use crate::iter::IndexedParallelIterator;
use crate::iter::plumbing::{Producer, ProducerCallback};

/// What an adapter makes of the producers of the two that it adapts.
pub(crate) trait Couple<T, U> {
    /// What the new producer gives.
    type Item;

    /// The new producer.
    type Producer<P, Q>: Producer<Item = Self::Item>
    where
        P: Producer<Item = T>,
        Q: Producer<Item = U>;

    /// Makes it.
    fn couple<P, Q>(self, left: P, right: Q) -> Self::Producer<P, Q>
    where
        P: Producer<Item = T>,
        Q: Producer<Item = U>;
}

/// Gives `callback` what `couple` makes of the producers of `left` and `right`.
pub(crate) fn with_both<I, J, K, CB>(left: I, right: J, couple: K, callback: CB) -> CB::Output
where
    I: IndexedParallelIterator,
    J: IndexedParallelIterator,
    K: Couple<I::Item, J::Item>,
    CB: ProducerCallback<K::Item>,
{
    left.with_producer(Left {
        right,
        couple,
        callback,
    })
}

/// Waits for the first producer.
struct Left<J, K, CB> {
    right: J,
    couple: K,
    callback: CB,
}

impl<T, J, K, CB> ProducerCallback<T> for Left<J, K, CB>
where
    J: IndexedParallelIterator,
    K: Couple<T, J::Item>,
    CB: ProducerCallback<K::Item>,
{
    type Output = CB::Output;

    fn callback<P>(self, left: P) -> CB::Output
    where
        P: Producer<Item = T>,
    {
        self.right.with_producer(Right {
            left,
            couple: self.couple,
            callback: self.callback,
            item: PhantomData,
        })
    }
}

/// Has the first producer and waits for the second.
struct Right<T, P, K, CB> {
    left: P,
    couple: K,
    callback: CB,
    item: PhantomData<fn() -> T>,
}

impl<T, U, P, K, CB> ProducerCallback<U> for Right<T, P, K, CB>
where
    P: Producer<Item = T>,
    K: Couple<T, U>,
    CB: ProducerCallback<K::Item>,
{
    type Output = CB::Output;

    fn callback<Q>(self, right: Q) -> CB::Output
    where
        Q: Producer<Item = U>,
    {
        self.callback.callback(self.couple.couple(self.left, right))
    }
}
