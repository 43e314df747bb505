//! What every parallel iterator can do.

use std::collections::LinkedList;
use std::iter::Sum;

use super::collect;
use super::convert::{FromParallelIterator, ParallelExtend};
use super::either::Either;
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

    /// Puts the halves of pairs into two collections.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let (roots, squares): (Vec<u32>, Vec<u32>) =
    ///     [1, 2, 3].into_par_iter().map(|root| (root, root * root)).unzip();
    /// assert_eq!(roots, [1, 2, 3]);
    /// assert_eq!(squares, [1, 4, 9]);
    /// ```
    fn unzip<A, B, FromA, FromB>(self) -> (FromA, FromB)
    where
        Self: ParallelIterator<Item = (A, B)>,
        FromA: Default + Send + ParallelExtend<A>,
        FromB: Default + Send + ParallelExtend<B>,
        A: Send,
        B: Send,
    {
        collect::deal(self, &collect::Pairs)
    }

    /// Puts the items that satisfy `predicate` into one collection, and the others into another.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let words = ["fife", "snare", "bass", "tenor"];
    /// let (short, long): (Vec<&str>, Vec<&str>) =
    ///     words.into_par_iter().partition(|word| word.len() < 5);
    /// assert_eq!(short, ["fife", "bass"]);
    /// assert_eq!(long, ["snare", "tenor"]);
    /// ```
    fn partition<A, B, P>(self, predicate: P) -> (A, B)
    where
        A: Default + Send + ParallelExtend<Self::Item>,
        B: Default + Send + ParallelExtend<Self::Item>,
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        collect::deal(self, &collect::ByPredicate(&predicate))
    }

    /// Maps each item by `predicate`, and puts it into the collection of the side that it is on then.
    ///
    /// ```
    /// use drumline::iter::Either;
    /// use drumline::prelude::*;
    ///
    /// let (numbers, words): (Vec<u32>, Vec<&str>) =
    ///     ["7", "seven", "8"].into_par_iter().partition_map(|word| match word.parse() {
    ///         Ok(number) => Either::Left(number),
    ///         Err(_) => Either::Right(word),
    ///     });
    /// assert_eq!(numbers, [7, 8]);
    /// assert_eq!(words, ["seven"]);
    /// ```
    fn partition_map<A, B, P, L, R>(self, predicate: P) -> (A, B)
    where
        A: Default + Send + ParallelExtend<L>,
        B: Default + Send + ParallelExtend<R>,
        P: Fn(Self::Item) -> Either<L, R> + Sync + Send,
        L: Send,
        R: Send,
    {
        collect::deal(self, &collect::ByEither(&predicate))
    }

    /// Collects the items into vectors, in their order: as many as it comes to, none of them empty. What
    /// collections are made of that want to know how many items there are.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let words = vec!["roll", "", "flam", "", ""];
    /// let vecs = words.into_par_iter().filter(|word| !word.is_empty()).collect_vec_list();
    /// assert_eq!(vecs.iter().map(Vec::len).sum::<usize>(), 2);
    /// assert!(vecs.into_iter().flatten().eq(["roll", "flam"]));
    /// ```
    fn collect_vec_list(self) -> LinkedList<Vec<Self::Item>> {
        collect::pieces(self).into_list()
    }
}
