//! Rayon, called inside `install`.

use std::ops::Range;

use ::rayon::prelude::*;
use ::rayon::{ThreadPool, ThreadPoolBuilder};
use anyhow::Result;

use crate::families::loops::{Cost, LoopRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A thread pool of rayon.
#[derive(Debug)]
pub struct Rayon {
    pool: ThreadPool,
}

impl LoopRuntime for Rayon {
    const CARD: RuntimeCard = RuntimeCard {
        name: "rayon",
        about: "`par_iter`, `into_par_iter`, `par_sort` inside `ThreadPool::install`",
        package: Some("rayon"),
        role: Role::Peer,
        rank: 20,
        scheduler: "halving as often as it is stolen, work stealing",
        parallel: true,
        colour: (47, 111, 176),
    };

    type Context = ();

    fn start(jobs: usize, _cost: Cost) -> Result<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(jobs).build()?;
        Ok(Self { pool })
    }

    fn enter<R: Send>(&mut self, call: impl FnOnce(&mut ()) -> R + Send) -> R {
        self.pool.install(|| call(&mut ()))
    }

    fn sum((): &mut (), numbers: &[u64]) -> u64 {
        numbers.par_iter().sum()
    }

    fn map_sum<T, F>((): &mut (), items: &[T], value: F) -> u64
    where
        T: Sync,
        F: Fn(&T) -> u64 + Copy + Send + Sync,
    {
        items.par_iter().map(value).sum()
    }

    fn range_sum<F>((): &mut (), range: Range<usize>, value: F) -> u64
    where
        F: Fn(usize) -> u64 + Copy + Send + Sync,
    {
        range.into_par_iter().map(value).sum()
    }

    fn map_collect<F>((): &mut (), numbers: &[u64], value: F) -> Vec<u64>
    where
        F: Fn(u64) -> u64 + Copy + Send + Sync,
    {
        numbers.par_iter().map(|&number| value(number)).collect()
    }

    fn filter_collect<F>((): &mut (), numbers: &[u64], keep: F) -> Vec<u64>
    where
        F: Fn(u64) -> bool + Copy + Send + Sync,
    {
        numbers.par_iter().copied().filter(|&n| keep(n)).collect()
    }

    fn sort((): &mut (), numbers: &mut [u64]) {
        numbers.par_sort();
    }

    fn sort_unstable((): &mut (), numbers: &mut [u64]) {
        numbers.par_sort_unstable();
    }
}
