//! `coarse`: few leaves, each of them long.

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::spin;
use crate::workload::{Shows, WorkloadCard};

/// This many leaves.
#[derive(Debug)]
pub struct Coarse(u64);

impl ForkJoinWorkload for Coarse {
    const CARD: WorkloadCard = WorkloadCard {
        name: "coarse",
        about: "leaves that spin for 1 ms of processor time each, joined as a balanced tree",
        analysis: "A runtime that hides forks, or that shares only when its owner comes by, leaves \
                   threads without work here. The bound is 1 ms divided by the number of jobs.",
        item: "leaf",
        size_counts: "leaves",
        sizes: &[16],
        smoke_sizes: &[4],
        limits: (1, 100_000),
        default_rank: Some(3),
        outside: false,
        shows: Shows::Time,
    };

    type Answer = u64;

    fn build(size: u64) -> Result<Self> {
        Ok(Self(size))
    }

    fn expected(&self) -> u64 {
        self.0
    }

    fn items(&self) -> u64 {
        self.0
    }

    fn run<P: Pool>(&self, context: P::Context<'_>) -> u64 {
        leaves::<P>(self.0, context)
    }

    fn divides() -> bool {
        true
    }

    fn part(&self, index: usize, parts: usize) -> u64 {
        let edge = |index: usize| self.0 * index as u64 / parts as u64;
        (edge(index)..edge(index + 1)).map(|_| leaf()).sum()
    }

    fn merge(a: u64, b: u64) -> u64 {
        a + b
    }
}

fn leaves<P: Pool>(count: u64, context: P::Context<'_>) -> u64 {
    if count == 1 {
        return leaf();
    }
    let (a, b) = P::join(
        context,
        |context| leaves::<P>(count / 2, context),
        |context| leaves::<P>(count - count / 2, context),
    );
    a + b
}

fn leaf() -> u64 {
    spin::one_millisecond();
    1
}
