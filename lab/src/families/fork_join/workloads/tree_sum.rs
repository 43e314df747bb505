//! `tree-sum`: a tiny amount of work per fork, and memory that must be walked.

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::families::fork_join::tree::{self, Tree};
use crate::workload::{Shows, WorkloadCard};

/// The sum of a balanced tree.
#[derive(Debug)]
pub struct TreeSum(Tree);

impl ForkJoinWorkload for TreeSum {
    const CARD: WorkloadCard = WorkloadCard {
        name: "tree-sum",
        about: "sum of a balanced tree of heap nodes, a fork at each node with two children",
        analysis: "1,000 nodes are too few to share: any time above `seq` is pure overhead. \
                   10,000,000 nodes do not fit any cache: from some number of threads on, memory \
                   is the limit for everyone.",
        item: "node",
        size_counts: "nodes",
        sizes: &[1_000, 100_000, 10_000_000],
        smoke_sizes: &[1_000, 100_000],
        limits: (1, 1_000_000_000),
        default_rank: Some(0),
        outside: false,
        shows: Shows::Time,
    };

    const BRIEF: Option<&'static [u64]> = Some(&[1_000, 100_000, 1_000_000]);

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
}
