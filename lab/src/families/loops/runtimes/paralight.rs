//! Paralight: every thread begins with a share of its own, and may take from the shares of others.

use std::ops::Range;

use ::paralight::prelude::*;
use anyhow::Result;

use crate::families::loops::{Cost, LoopRuntime, Need};
use crate::runtime::{Role, RuntimeCard};

/// A thread pool of paralight, with the strategy that it recommends for the costs.
pub struct Paralight {
    pool: ThreadPool,
}

impl LoopRuntime for Paralight {
    const CARD: RuntimeCard = RuntimeCard {
        name: "paralight",
        about: "`par_iter().with_thread_pool`; fixed shares for even items, else work stealing",
        package: Some("paralight"),
        role: Role::Peer,
        rank: 40,
        scheduler: "equal shares, stealing where costs are uneven",
        parallel: true,
        colour: (132, 98, 176),
    };

    type Context = ThreadPool;

    fn start(jobs: usize, cost: Cost) -> Result<Self> {
        let pool = ThreadPoolBuilder {
            num_threads: ThreadCount::try_from(jobs)?,
            range_strategy: match cost {
                Cost::Even => RangeStrategy::Fixed,
                Cost::Uneven => RangeStrategy::WorkStealing,
            },
            cpu_pinning: CpuPinningPolicy::No,
        }
        .build();
        Ok(Self { pool })
    }

    fn lacks(need: Need) -> Option<&'static str> {
        match need {
            Need::FilterCollect => Some("it cannot collect what was filtered into one vector"),
            Need::Sort | Need::SortUnstable => Some("it does not sort"),
            _ => None,
        }
    }

    fn enter<R: Send>(&mut self, call: impl FnOnce(&mut ThreadPool) -> R + Send) -> R {
        call(&mut self.pool)
    }

    fn sum(pool: &mut ThreadPool, numbers: &[u64]) -> u64 {
        numbers.par_iter().with_thread_pool(pool).sum()
    }

    fn map_sum<T, F>(pool: &mut ThreadPool, items: &[T], value: F) -> u64
    where
        T: Sync,
        F: Fn(&T) -> u64 + Copy + Send + Sync,
    {
        items.par_iter().map(value).with_thread_pool(pool).sum()
    }

    fn range_sum<F>(pool: &mut ThreadPool, range: Range<usize>, value: F) -> u64
    where
        F: Fn(usize) -> u64 + Copy + Send + Sync,
    {
        range
            .into_par_iter()
            .map(value)
            .with_thread_pool(pool)
            .sum()
    }

    fn map_collect<F>(pool: &mut ThreadPool, numbers: &[u64], value: F) -> Vec<u64>
    where
        F: Fn(u64) -> u64 + Copy + Send + Sync,
    {
        let values = numbers.par_iter().map(|&number| value(number));
        values.with_thread_pool(pool).collect()
    }
}
