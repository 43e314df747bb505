//! `loop-of-joins`: joins in a row, not nested.

use std::hint::black_box;

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::workload::{Shows, WorkloadCard};

/// This many joins.
#[derive(Debug)]
pub struct LoopOfJoins(u64);

impl ForkJoinWorkload for LoopOfJoins {
    const CARD: WorkloadCard = WorkloadCard {
        name: "loop-of-joins",
        about: "joins of two trivial closures in a row inside one call into the pool",
        analysis: "Every join can be taken, none is worth it. With more than one job, a runtime \
                   whose thieves are eager pays for each theft. There is no division in advance: \
                   each join ends before the next begins.",
        item: "join",
        size_counts: "joins",
        sizes: &[1_000_000],
        smoke_sizes: &[10_000],
        limits: (1, 1_000_000_000),
        default_rank: Some(4),
        outside: false,
        shows: Shows::Time,
    };

    type Answer = u64;

    fn build(size: u64) -> Result<Self> {
        Ok(Self(size))
    }

    fn expected(&self) -> u64 {
        self.0 * (self.0 - 1) / 2 + self.0
    }

    fn items(&self) -> u64 {
        self.0
    }

    fn run<P: Pool>(&self, mut context: P::Context<'_>) -> u64 {
        let mut total = 0;
        for index in 0..self.0 {
            let (a, b) = P::join(
                P::lend(&mut context),
                |_| black_box(index),
                |_| black_box(1),
            );
            total += a + b;
        }
        total
    }
}
