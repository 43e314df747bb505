//! No parallelism: the iterators and sorts of the standard library.

use std::ops::Range;

use anyhow::Result;

use crate::families::loops::{Cost, LoopRuntime};
use crate::runtime::{Role, RuntimeCard};

/// The plain loop.
#[derive(Debug)]
pub struct Seq;

impl LoopRuntime for Seq {
    const CARD: RuntimeCard = RuntimeCard {
        name: "seq",
        about: "iterators and sorts of the standard library, one thread",
        package: None,
        role: Role::Bound,
        rank: 0,
        scheduler: "none",
        parallel: false,
        colour: (122, 128, 138),
    };

    type Context = ();

    fn start(_jobs: usize, _cost: Cost) -> Result<Self> {
        Ok(Self)
    }

    fn enter<R: Send>(&mut self, call: impl FnOnce(&mut ()) -> R + Send) -> R {
        call(&mut ())
    }

    fn sum((): &mut (), numbers: &[u64]) -> u64 {
        numbers.iter().sum()
    }

    fn map_sum<T, F>((): &mut (), items: &[T], value: F) -> u64
    where
        T: Sync,
        F: Fn(&T) -> u64 + Copy + Send + Sync,
    {
        items.iter().map(value).sum()
    }

    fn range_sum<F>((): &mut (), range: Range<usize>, value: F) -> u64
    where
        F: Fn(usize) -> u64 + Copy + Send + Sync,
    {
        range.map(value).sum()
    }

    fn map_collect<F>((): &mut (), numbers: &[u64], value: F) -> Vec<u64>
    where
        F: Fn(u64) -> u64 + Copy + Send + Sync,
    {
        numbers.iter().map(|&number| value(number)).collect()
    }

    fn filter_collect<F>((): &mut (), numbers: &[u64], keep: F) -> Vec<u64>
    where
        F: Fn(u64) -> bool + Copy + Send + Sync,
    {
        numbers.iter().copied().filter(|&n| keep(n)).collect()
    }

    fn sort((): &mut (), numbers: &mut [u64]) {
        numbers.sort();
    }

    fn sort_unstable((): &mut (), numbers: &mut [u64]) {
        numbers.sort_unstable();
    }
}
