//! `tree-sum-outside`: the price of a call into the pool from a thread that is not part of it.

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::families::fork_join::tree::{self, Tree};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// The sum of a balanced tree, one call from outside per sum.
#[derive(Debug)]
pub struct TreeSumOutside(Tree);

impl ForkJoinWorkload for TreeSumOutside {
    const CARD: WorkloadCard = WorkloadCard {
        name: "tree-sum-outside",
        about: "the same sum, but each one is a call from a thread outside the pool, back to back",
        analysis: "The difference to `tree-sum` is what it costs to enter the pool and to leave \
                   it: `install` for drumline and rayon, a new scope for chili, `with_worker` for \
                   forte.",
        item: "node",
        size_counts: "nodes",
        sizes: &[1_000, 100_000],
        smoke_sizes: &[1_000],
        limits: (1, 1_000_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Time,
    };

    type Answer = i64;

    fn build(size: u64) -> Result<Self> {
        Tree::build(size).map(Self)
    }

    fn expected(&self) -> i64 {
        self.0.expected_sum()
    }

    fn items(&self) -> u64 {
        self.0.size
    }

    fn run<P: Pool>(&self, context: P::Context<'_>) -> i64 {
        tree::sum::<P>(&self.0.root, context)
    }

    fn divides() -> bool {
        true
    }

    fn part(&self, index: usize, parts: usize) -> i64 {
        tree::sum_part(&self.0, index, parts)
    }

    fn merge(a: i64, b: i64) -> i64 {
        a + b
    }

    fn drive<P: Pool>(&self, pool: &P, session: &mut Session) {
        self.drive_outside(pool, session);
    }
}
