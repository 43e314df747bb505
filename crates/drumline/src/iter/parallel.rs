//! What every parallel iterator can do.

use std::iter::Sum;

use super::convert::FromParallelIterator;
use super::filter::Filter;
use super::for_each::CallWith;
use super::gather::gather;
use super::map::Map;
use super::plumbing::UnindexedConsumer;
use super::reduce::ReduceBy;
use super::sum::SumOf;

/// An iterator whose items can be worked on by several threads at once.
///
/// The methods have the names and the meaning that they have in [`Iterator`], where it has them, and
/// those that they have in rayon otherwise.
pub trait ParallelIterator: Sized + Send {
    /// What it gives.
    type Item: Send;

    /// Drives `consumer` with the items: what all other methods come to. See
    /// [`plumbing`](super::plumbing).
    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<Self::Item>;

    /// How many items there are, where that is known before they are made and `drive_unindexed`
    /// goes by it.
    fn opt_len(&self) -> Option<usize> {
        None
    }

    /// Calls `op` with each item.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut tens = vec![0; 4];
    /// tens.par_iter_mut().enumerate().for_each(|(index, ten)| *ten = 10 * index);
    /// assert_eq!(tens, [0, 10, 20, 30]);
    /// ```
    fn for_each<OP>(self, op: OP)
    where
        OP: Fn(Self::Item) + Sync + Send,
    {
        gather(self, &CallWith(&op));
    }

    /// Maps each item by `op`.
    fn map<F, R>(self, op: F) -> Map<Self, F>
    where
        F: Fn(Self::Item) -> R + Sync + Send,
        R: Send,
    {
        Map::new(self, op)
    }

    /// Leaves out the items that do not satisfy `predicate`.
    fn filter<P>(self, predicate: P) -> Filter<Self, P>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        Filter::new(self, predicate)
    }

    /// Joins all items by `op`, whose identity is made by `identity`.
    fn reduce<OP, ID>(self, identity: ID, op: OP) -> Self::Item
    where
        OP: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send,
        ID: Fn() -> Self::Item + Sync + Send,
    {
        let by = ReduceBy {
            identity: &identity,
            op: &op,
        };
        gather(self, &by)
    }

    /// Adds all items up.
    fn sum<S>(self) -> S
    where
        S: Send + Sum<Self::Item> + Sum<S>,
    {
        gather(self, &SumOf::new())
    }

    /// Makes a collection of all items, in their order where it has one.
    fn collect<C>(self) -> C
    where
        C: FromParallelIterator<Self::Item>,
    {
        C::from_par_iter(self)
    }
}
