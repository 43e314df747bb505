//! Drumline: loops.

use std::sync::Arc;

use ::drumline::Pool;
use ::drumline::prelude::*;
use anyhow::{Result, anyhow};

use crate::families::programs::ProgramRuntime;
use crate::families::programs::graph::Search;
use crate::families::programs::kmers::KmerCounter;
use crate::runtime::{Role, RuntimeCard};

/// Loops over the vertices of a level, and over the counters.
#[derive(Debug)]
pub struct Drumline {
    pool: Pool,
}

impl ProgramRuntime for Drumline {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline",
        about: "this repository: `par_iter().fold().reduce()`, `par_iter_mut()` inside `Pool::install`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 10,
        scheduler: "lazy sharing, thief-fenced deques",
        parallel: true,
        colour: (214, 69, 43),
    };

    fn start(jobs: usize) -> Result<Self> {
        let pool = Pool::builder()
            .jobs(jobs)
            .build()
            .map_err(|error| anyhow!("the pool cannot be made: {error:?}"))?;
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
