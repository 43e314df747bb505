//! Drumline itself, called inside `install`.

use std::ops::Range;

use ::drumline::Pool;
use ::drumline::prelude::*;
use anyhow::{Result, anyhow};

use crate::families::loops::{Cost, LoopRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline.
#[derive(Debug)]
pub struct Drumline {
    pool: Pool,
}

impl LoopRuntime for Drumline {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline",
        about: "this repository: `par_iter`, `into_par_iter`, `par_sort` inside `Pool::install`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 10,
        scheduler: "lazy sharing, thief-fenced deques",
        parallel: true,
        colour: (214, 69, 43),
    };

    type Context = ();

    fn start(jobs: usize, _cost: Cost) -> Result<Self> {
        let pool = Pool::builder()
            .jobs(jobs)
            .build()
            .map_err(|error| anyhow!("the pool cannot be made: {error:?}"))?;
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
