//! What a runtime has to offer to run loops.
//!
//! Parallel iterators of different libraries have little in common but their looks, so the trait
//! has one method per loop, in which each library's own chain of calls stands as its users would
//! write it. Everything is generic and monomorphised. Closures are `Copy` because one of the
//! libraries asks for it.
//!
//! Rejected: a common trait for iterators, with adapters over adapters; what would be compared then
//! is how well the optimiser sees through ours.

use std::ops::Range;

use anyhow::Result;

use crate::runtime::RuntimeCard;

/// What a loop is made of. Not everybody can do everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// [`Looper::sum`].
    Sum,
    /// [`Looper::map_sum`].
    MapSum,
    /// [`Looper::range_sum`].
    RangeSum,
    /// [`Looper::map_collect`].
    MapCollect,
    /// [`Looper::filter_collect`].
    FilterCollect,
    /// [`Looper::sort`].
    Sort,
    /// [`Looper::sort_unstable`].
    SortUnstable,
}

/// How the costs of items compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// All are alike.
    Even,
    /// Some cost much more than others.
    Uneven,
}

/// A runtime that runs loops.
pub trait Looper: Sized {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// What the loops are handed; `()` where a runtime finds its pool by itself.
    type Context;

    /// Makes whatever runs loops on at most `jobs` threads at once, as its documentation advises
    /// for items of such costs.
    fn start(jobs: usize, cost: Cost) -> Result<Self>;

    /// Why this runtime cannot do something, if it cannot.
    fn lacks(_need: Need) -> Option<&'static str> {
        None
    }

    /// Runs `call` where loops are best begun: inside the pool, where a runtime has such a place.
    fn enter<R: Send>(&mut self, call: impl FnOnce(&mut Self::Context) -> R + Send) -> R;

    /// Adds numbers up.
    fn sum(context: &mut Self::Context, numbers: &[u64]) -> u64;

    /// Adds up what `value` makes of each item of a slice.
    fn map_sum<T, F>(context: &mut Self::Context, items: &[T], value: F) -> u64
    where
        T: Sync,
        F: Fn(&T) -> u64 + Copy + Send + Sync;

    /// Adds up what `value` makes of each index.
    fn range_sum<F>(context: &mut Self::Context, range: Range<usize>, value: F) -> u64
    where
        F: Fn(usize) -> u64 + Copy + Send + Sync;

    /// A new vector with what `value` makes of each number, in order.
    fn map_collect<F>(context: &mut Self::Context, numbers: &[u64], value: F) -> Vec<u64>
    where
        F: Fn(u64) -> u64 + Copy + Send + Sync;

    /// A new vector with those numbers that satisfy `keep`, in order.
    fn filter_collect<F>(_context: &mut Self::Context, _numbers: &[u64], _keep: F) -> Vec<u64>
    where
        F: Fn(u64) -> bool + Copy + Send + Sync,
    {
        unreachable!("this runtime lacks it")
    }

    /// A stable sort.
    fn sort(_context: &mut Self::Context, _numbers: &mut [u64]) {
        unreachable!("this runtime lacks it")
    }

    /// A sort that need not be stable.
    fn sort_unstable(_context: &mut Self::Context, _numbers: &mut [u64]) {
        unreachable!("this runtime lacks it")
    }
}
