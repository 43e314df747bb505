//! Rayon, with as many threads as jobs.

use std::sync::Arc;

use ::rayon::prelude::*;
use ::rayon::{ThreadPool, ThreadPoolBuilder};
use anyhow::Result;

use crate::families::virtual_cores::sleepers::Sleepers;
use crate::families::virtual_cores::{Sharing, VirtualRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A thread pool of rayon.
#[derive(Debug)]
pub struct Rayon {
    pool: ThreadPool,
}

impl VirtualRuntime for Rayon {
    const CARD: RuntimeCard = RuntimeCard {
        name: "rayon",
        about: "`into_par_iter`, `join`, `scope` inside `install`; `par_bridge`; `spawn`",
        package: Some("rayon"),
        role: Role::Peer,
        rank: 20,
        scheduler: "halving as often as it is stolen, work stealing",
        parallel: true,
        colour: (47, 111, 176),
    };

    const SHARINGS: &'static [Sharing] = &[
        Sharing::Share,
        Sharing::Stream,
        Sharing::Spawn,
        Sharing::Bridge,
    ];

    const KEEPS_JOBS: bool = true;

    fn start(jobs: usize) -> Result<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(jobs).build()?;
        Ok(Self { pool })
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
        ::rayon::scope(|scope| {
            for item in 0..items.len() {
                scope.spawn(move |_| items.run(item));
            }
        });
    }

    fn stream(&self, items: &Arc<Sleepers>) {
        let source = (0..items.len()).par_bridge();
        self.pool
            .install(|| source.for_each(|item| items.run(item)));
    }

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        self.pool.spawn(task);
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
            ::rayon::join(|| tree(items, from, middle), || tree(items, middle, to));
        }
    }
}
