//! `spine`: joins nested as deep as the program goes, one side of each trivial.

use std::hint::black_box;

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::workload::{Shows, WorkloadCard};

/// This many nested joins.
#[derive(Debug)]
pub struct Spine(u64);

impl ForkJoinWorkload for Spine {
    const CARD: WorkloadCard = WorkloadCard {
        name: "spine",
        about: "nested joins, the left half of each goes on, the right half is trivial",
        analysis: "A runtime that runs the left half first has all right halves pending at the \
                   deepest point; one that runs the right half first has none. Threads have a \
                   stack of 256 MiB of address space for this.",
        item: "join",
        size_counts: "joins",
        sizes: &[100_000],
        smoke_sizes: &[1_000],
        limits: (1, 200_000),
        default_rank: None,
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
        spine::<P>(self.0, context)
    }
}

fn spine<P: Pool>(depth: u64, context: P::Context<'_>) -> u64 {
    if depth == 0 {
        return 0;
    }
    let (a, b) = P::join(
        context,
        move |context| spine::<P>(depth - 1, context),
        |_| black_box(1),
    );
    a + b
}
