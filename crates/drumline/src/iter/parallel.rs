//! What every parallel iterator can do.

use std::iter::Sum;

use super::cancel::{CancelOn, CancellationToken};
use super::convert::FromParallelIterator;
use super::filter::Filter;
use super::for_each::CallWith;
use super::gather::gather;
use super::limit::WithJobs;
use super::map::Map;
use super::plumbing::UnindexedConsumer;
use super::progress::{Progress, WithProgress};
use super::reduce::ReduceBy;
use super::sum::SumOf;
use super::worker_state::MapWorker;

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

    // ---- what rayon does not have ----------------------------------------

    /// Maps each item by `op`, which has a state that `init` makes once for each *thread that takes
    /// part*, however often the loop is split. For states that are dear: a buffer, a connection, a
    /// generator of random numbers.
    ///
    /// The state must be [`Send`]: where two threads take part one after the other, the second may get
    /// that of the first.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let words = ["never", "odd", "or", "even"];
    /// let lengths: usize = words
    ///     .par_iter()
    ///     .map_worker(String::new, |buffer, word| {
    ///         buffer.clear();
    ///         buffer.push_str(word);
    ///         buffer.len()
    ///     })
    ///     .sum();
    /// assert_eq!(lengths, 14);
    /// ```
    fn map_worker<INIT, S, F, R>(self, init: INIT, op: F) -> MapWorker<Self, INIT, F>
    where
        INIT: Fn() -> S + Sync + Send,
        S: Send,
        F: Fn(&mut S, Self::Item) -> R + Sync + Send,
        R: Send,
    {
        MapWorker::new(self, init, op)
    }

    /// Calls `op` with each item and a state that is made once for each thread that takes part; see
    /// [`map_worker`](Self::map_worker).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut digits = [1, 2, 3];
    /// digits.par_iter_mut().for_each_worker(|| 10, |base, digit| *digit += *base);
    /// assert_eq!(digits, [11, 12, 13]);
    /// ```
    fn for_each_worker<INIT, S, F>(self, init: INIT, op: F)
    where
        INIT: Fn() -> S + Sync + Send,
        S: Send,
        F: Fn(&mut S, Self::Item) + Sync + Send,
    {
        self.map_worker(init, op).for_each(|()| ());
    }

    /// Goes on until `token` is cancelled. Items that are in work then are finished, no other is
    /// begun, and the operation at the end of the chain returns what it has; ask the
    /// [token](CancellationToken::is_cancelled) whether that is all.
    ///
    /// ```
    /// use drumline::iter::CancellationToken;
    /// use drumline::prelude::*;
    ///
    /// let token = CancellationToken::new();
    /// token.cancel();
    /// let seen: u32 = [1, 2, 3].par_iter().cancel_on(&token).map(|_| 1).sum();
    /// assert_eq!(seen, 0);
    /// ```
    fn cancel_on(self, token: &CancellationToken) -> CancelOn<Self> {
        CancelOn::new(self, token.clone())
    }

    /// Counts in `progress` the items with which the rest of the chain is done. To be written first in the
    /// chain, so that all the work comes after it.
    ///
    /// ```
    /// use drumline::iter::Progress;
    /// use drumline::prelude::*;
    ///
    /// let progress = Progress::new();
    /// [1, 2, 3].par_iter().progress(&progress).for_each(|_| ());
    /// assert_eq!(progress.finished(), 3);
    /// ```
    fn progress(self, progress: &Progress) -> WithProgress<Self> {
        WithProgress::new(self, progress.clone())
    }

    /// Lets at most `jobs` threads take part in this loop, the calling one among them. What is in the
    /// pool besides goes on as it did. To be written last, right before the operation that ends the chain.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let sum: u32 = [1, 2, 3].par_iter().with_jobs(1).sum(); // on this thread alone
    /// assert_eq!(sum, 6);
    /// ```
    ///
    /// # Panics
    ///
    /// If `jobs` is 0: nobody would do the work.
    fn with_jobs(self, jobs: usize) -> WithJobs<Self> {
        assert!(
            jobs > 0,
            "`with_jobs(0)`: a loop needs one thread at least, the one that calls it"
        );
        WithJobs::new(self, jobs)
    }
}
