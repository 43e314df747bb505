//! Drumline as it is by default: spares take the places of threads that sleep.

use std::sync::Arc;

use ::drumline::prelude::*;
use ::drumline::{Pool, stream};
use anyhow::{Result, anyhow};

use crate::families::virtual_cores::sleepers::Sleepers;
use crate::families::virtual_cores::{Sharing, VirtualRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline, for all rows.
#[derive(Debug)]
pub struct Drumline {
    pool: Pool,
    jobs: usize,
}

impl Drumline {
    /// A pool that makes no more threads than jobs, and runs everything on these.
    pub fn without_spares(jobs: usize) -> Result<Self> {
        let pool = Pool::builder().jobs(jobs).spares(false).guests(false);
        Self::of(pool.build(), jobs)
    }

    fn of(pool: Result<Pool, ::drumline::BuildError>, jobs: usize) -> Result<Self> {
        let pool = pool.map_err(|error| anyhow!("the pool cannot be made: {error:?}"))?;
        Ok(Self { pool, jobs })
    }

    /// A stream of numbers.
    pub fn stream_each(
        &self,
        numbers: impl Iterator<Item = u64> + Send,
        item: impl Fn(u64) + Send + Sync,
    ) {
        stream::iter(numbers)
            .pool(&self.pool)
            .jobs(self.jobs)
            .for_each(item);
    }
}

impl VirtualRuntime for Drumline {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline",
        about: "this repository: `into_par_iter`, `join`, `scope`, `stream::iter`, `par_bridge`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 11,
        scheduler: "work stealing; spares replace threads that sleep",
        parallel: true,
        colour: (214, 69, 43),
    };

    const SHARINGS: &'static [Sharing] = &[
        Sharing::Share,
        Sharing::Stream,
        Sharing::Spawn,
        Sharing::Bridge,
    ];

    // A sleeping item is replaced, so that the cores have work: that is what spares are for.
    const KEEPS_JOBS: bool = false;

    fn start(jobs: usize) -> Result<Self> {
        Self::of(Pool::builder().jobs(jobs).build(), jobs)
    }

    fn enter<R: Send>(&self, call: impl FnOnce() -> R + Send) -> R {
        self.pool.install(call)
    }

    fn each(&self, items: &Arc<Sleepers>) {
        (0..items.len())
            .into_par_iter()
            .for_each(|item| items.run(item));
    }

    fn nested(&self, items: &Arc<Sleepers>, inner: usize) {
        (0..items.len() / inner).into_par_iter().for_each(|outer| {
            let of_outer = outer * inner..(outer + 1) * inner;
            of_outer.into_par_iter().for_each(|item| items.run(item));
        });
    }

    fn join(&self, items: &Arc<Sleepers>) {
        tree(items, 0, items.len());
    }

    fn scope(&self, items: &Arc<Sleepers>) {
        ::drumline::scope(|scope| {
            for item in 0..items.len() {
                scope.spawn(move |_| items.run(item));
            }
        });
    }

    fn stream(&self, items: &Arc<Sleepers>) {
        self.stream_each(0..items.len() as u64, |item| items.run(item as usize));
    }

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        drop(self.pool.spawn(task));
    }

    fn bridge(&self, numbers: impl Iterator<Item = u64> + Send, item: impl Fn(u64) + Send + Sync) {
        self.pool.install(|| numbers.par_bridge().for_each(item));
    }
}

/// The items from `from` up to `to`, as the leaves of a tree of joins.
fn tree(items: &Sleepers, from: usize, to: usize) {
    match to - from {
        0 => {}
        1 => items.run(from),
        _ => {
            let middle = from.midpoint(to);
            ::drumline::join(|| tree(items, from, middle), || tree(items, middle, to));
        }
    }
}
