//! `sort-unstable`: a sort that may change the order of equals.

use anyhow::Result;

use super::sort::Sort;
use crate::families::loops::sorting::Sorting;
use crate::families::loops::{Cost, LoopRuntime, LoopWorkload, Need};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// This many numbers.
#[derive(Debug)]
pub struct SortUnstable(Sorting);

impl LoopWorkload for SortUnstable {
    const CARD: WorkloadCard = WorkloadCard {
        name: "sort-unstable",
        about: "unstable sort of random `u64`",
        analysis: "`seq` is `slice::sort_unstable`. Making the copy that is sorted is not timed. \
                   That of orx-parallel is behind a feature named `experimental`.",
        default_rank: None,
        ..Sort::CARD
    };

    const NEEDS: Need = Need::SortUnstable;

    const COST: Cost = Cost::Even;

    fn build(size: u64) -> Result<Self> {
        Sorting::build(size).map(Self)
    }

    fn drive<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session) {
        runtime.enter(|context| {
            self.0
                .sample(session, |numbers| R::sort_unstable(context, numbers));
        });
    }
}
