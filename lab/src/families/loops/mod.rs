//! Loops: something that is done with each item of a range or a slice.
//!
//! Parallel iterators of different libraries have little in common but their looks. So the trait of
//! runtimes has one method per loop, in which each library's own chain of calls stands as its users
//! would write it. Everything is generic and monomorphised. Closures are `Copy` because one of the
//! libraries asks for it.
//!
//! Rejected: a common trait for iterators, with adapters over adapters; what would be compared then
//! is how well the optimiser sees through ours.

use std::ops::Range;

use anyhow::Result;

use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::families::{Family, one_job_and_all, usual_limit};
use crate::runtime::RuntimeCard;
use crate::session::Session;
use crate::workload::{WorkloadCard, group};

pub mod numbers;
pub mod sorting;

include!(concat!(env!("OUT_DIR"), "/families/loops.rs"));

/// The family.
pub static FAMILY: Family = Family {
    name: "loops",
    title: "loops",
    rank: 30,
    nests: false,
    computes: true,
    jobs: one_job_and_all,
    effort: |usual| usual,
    limit: usual_limit,
};

/// What a loop is made of. Not every runtime can do everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// [`LoopRuntime::sum`].
    Sum,
    /// [`LoopRuntime::map_sum`].
    MapSum,
    /// [`LoopRuntime::range_sum`].
    RangeSum,
    /// [`LoopRuntime::map_collect`].
    MapCollect,
    /// [`LoopRuntime::filter_collect`].
    FilterCollect,
    /// [`LoopRuntime::sort`].
    Sort,
    /// [`LoopRuntime::sort_unstable`].
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

/// A loop, with a checked answer.
pub trait LoopWorkload: Sized + Sync {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// What a runtime must be able to do.
    const NEEDS: Need;

    /// Whether all items cost the same. Some runtimes want to be told.
    const COST: Cost;

    /// The sizes of the default run, where those of the card would take it too long.
    const BRIEF: Option<&'static [u64]> = None;

    /// The numbers of jobs when none is asked for, where they are not those of the family.
    const JOBS: Option<&'static [usize]> = None;

    /// Makes the data, the same for every runtime.
    fn build(size: u64) -> Result<Self>;

    /// Runs the loop as often as the session wants to.
    fn drive<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session);

    /// Why a size within the limits makes no sense, if it makes none.
    fn refuses(_size: u64) -> Option<&'static str> {
        None
    }

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}

/// A runtime that runs loops.
pub trait LoopRuntime: Sized {
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

// What the registry is made of.

pub(crate) const fn workload<W: LoopWorkload>() -> WorkloadEntry {
    WorkloadEntry {
        brief: W::BRIEF,
        jobs: W::JOBS,
        label: W::size_label,
        refuses: W::refuses,
        ..WorkloadEntry::new(&FAMILY, W::CARD)
    }
}

pub(crate) const fn runtime<R: LoopRuntime>() -> RuntimeEntry {
    RuntimeEntry::new(&FAMILY, R::CARD)
}

pub(crate) const fn pair<W: LoopWorkload, R: LoopRuntime>() -> Pair {
    Pair::new(W::CARD, R::CARD, measure::<W, R>)
}

fn measure<W: LoopWorkload, R: LoopRuntime>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    if let Some(reason) = R::lacks(W::NEEDS) {
        session.decline(reason);
        return Ok(());
    }
    let workload = W::build(size)?;
    let mut runtime = R::start(jobs, W::COST)?;
    workload.drive(&mut runtime, session);
    // The process ends now. Ending a runtime waits for its threads, and if that goes wrong it is
    // not what was measured.
    std::mem::forget((workload, runtime));
    Ok(())
}
