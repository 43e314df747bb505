//! `sort`: a stable sort.

use anyhow::Result;

use crate::families::loops::sorting::Sorting;
use crate::families::loops::{Cost, LoopRuntime, LoopWorkload, Need};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// This many numbers.
#[derive(Debug)]
pub struct Sort(Sorting);

impl LoopWorkload for Sort {
    const CARD: WorkloadCard = WorkloadCard {
        name: "sort",
        about: "stable sort of random `u64`",
        analysis: "`seq` is `slice::sort`. Making the copy that is sorted is not timed.",
        item: "number",
        size_counts: "numbers",
        sizes: &[1_000, 100_000, 10_000_000],
        smoke_sizes: &[1_000, 20_000],
        limits: (1, 1_000_000_000),
        default_rank: Some(12),
        outside: false,
        shows: Shows::Time,
    };

    const NEEDS: Need = Need::Sort;

    const COST: Cost = Cost::Even;

    const BRIEF: Option<&'static [u64]> = Some(&[1_000, 100_000]);

    fn build(size: u64) -> Result<Self> {
        Sorting::build(size).map(Self)
    }

    fn drive<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session) {
        runtime.enter(|context| {
            self.0.sample(session, |numbers| R::sort(context, numbers));
        });
    }
}
