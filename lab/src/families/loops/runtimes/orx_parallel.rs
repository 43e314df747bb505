//! orx-parallel: threads take chunks from a shared iterator. The size of a chunk follows the time
//! that the chunks before it took.

use std::ops::Range;

use ::orx_parallel::{BasicPool, Par as _, ParRunner, Parallelizable as _, Params, Runner};
use anyhow::Result;

use crate::families::loops::{Cost, LoopRuntime, Need};
use crate::runtime::{Role, RuntimeCard};

/// Its default kind of pool, with the default runner. The pool has no more threads than the machine
/// has cores.
pub struct OrxParallel {
    pool: BasicPool,
    jobs: usize,
}

impl OrxParallel {
    fn runner(&self) -> impl ParRunner {
        Runner::adaptive_with_pool(&self.pool)
    }
}

impl LoopRuntime for OrxParallel {
    const CARD: RuntimeCard = RuntimeCard {
        name: "orx-parallel",
        about: "`par` with the default runner on a `BasicPool`; at most as many threads as cores",
        package: Some("orx-parallel"),
        role: Role::Peer,
        rank: 30,
        scheduler: "chunks of adapting size from a shared counter",
        parallel: true,
        colour: (63, 143, 84),
    };

    type Context = Self;

    // The number of threads is said to each loop again: then one job is a plain loop of the caller.
    fn start(jobs: usize, _cost: Cost) -> Result<Self> {
        let pool = BasicPool::new(jobs);
        Ok(Self { pool, jobs })
    }

    fn lacks(need: Need) -> Option<&'static str> {
        (need == Need::Sort).then_some("it has no stable sort")
    }

    fn enter<R: Send>(&mut self, call: impl FnOnce(&mut Self) -> R + Send) -> R {
        call(self)
    }

    fn sum(this: &mut Self, numbers: &[u64]) -> u64 {
        numbers
            .par()
            .runner(this.runner())
            .num_threads(this.jobs)
            .sum()
    }

    fn map_sum<T, F>(this: &mut Self, items: &[T], value: F) -> u64
    where
        T: Sync,
        F: Fn(&T) -> u64 + Copy + Send + Sync,
    {
        items
            .par()
            .runner(this.runner())
            .num_threads(this.jobs)
            .map(value)
            .sum()
    }

    fn range_sum<F>(this: &mut Self, range: Range<usize>, value: F) -> u64
    where
        F: Fn(usize) -> u64 + Copy + Send + Sync,
    {
        range
            .par()
            .runner(this.runner())
            .num_threads(this.jobs)
            .map(value)
            .sum()
    }

    fn map_collect<F>(this: &mut Self, numbers: &[u64], value: F) -> Vec<u64>
    where
        F: Fn(u64) -> u64 + Copy + Send + Sync,
    {
        let value = move |&number: &u64| value(number);
        numbers
            .par()
            .runner(this.runner())
            .num_threads(this.jobs)
            .map(value)
            .collect()
    }

    fn filter_collect<F>(this: &mut Self, numbers: &[u64], keep: F) -> Vec<u64>
    where
        F: Fn(u64) -> bool + Copy + Send + Sync,
    {
        let numbers = numbers
            .par()
            .runner(this.runner())
            .num_threads(this.jobs)
            .copied();
        numbers.filter(move |&number| keep(number)).collect()
    }

    fn sort_unstable(this: &mut Self, numbers: &mut [u64]) {
        let mut runner = this.runner();
        ::orx_parallel::par_experimental_sort(numbers, &mut runner, Params::default());
    }
}
