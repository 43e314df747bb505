//! Rayon: loops.

use std::sync::Arc;

use ::rayon::prelude::*;
use ::rayon::{ThreadPool, ThreadPoolBuilder};
use anyhow::Result;

use crate::families::programs::ProgramRuntime;
use crate::families::programs::graph::Search;
use crate::families::programs::kmers::KmerCounter;
use crate::runtime::{Role, RuntimeCard};

/// Loops over the vertices of a level, and over the counters.
#[derive(Debug)]
pub struct Rayon {
    pool: ThreadPool,
}

impl ProgramRuntime for Rayon {
    const CARD: RuntimeCard = RuntimeCard {
        name: "rayon",
        about: "`par_iter().fold().reduce()`, `par_iter_mut()` inside `ThreadPool::install`",
        package: Some("rayon"),
        role: Role::Peer,
        rank: 20,
        scheduler: "halving as often as it is stolen, work stealing",
        parallel: true,
        colour: (47, 111, 176),
    };

    fn start(jobs: usize) -> Result<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(jobs).build()?;
        Ok(Self { pool })
    }

    fn search(&self, search: impl FnOnce() -> usize + Send) -> usize {
        self.pool.install(search)
    }

    fn level(&self, search: &Arc<Search>, frontier: Vec<u32>) -> Vec<u32> {
        let visit = |mut found: Vec<u32>, &vertex: &u32| {
            search.visit(vertex, &mut found);
            found
        };
        let join = |mut left: Vec<u32>, mut right: Vec<u32>| {
            left.append(&mut right);
            left
        };
        frontier
            .par_iter()
            .fold(Vec::new, visit)
            .reduce(Vec::new, join)
    }

    fn count(&self, pieces: &[Arc<[u8]>], mut counters: Vec<KmerCounter>) -> Vec<KmerCounter> {
        let count = |counter: &mut KmerCounter| counter.count_all(pieces);
        self.pool
            .install(|| counters.par_iter_mut().with_max_len(1).for_each(count));
        counters
    }
}
