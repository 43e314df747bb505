//! `slice-sum-outside`: the price of a loop that is begun by a thread outside the pool.

use anyhow::Result;

use super::slice_sum::SliceSum;
use crate::families::loops::{Cost, LoopRuntime, LoopWorkload, Need};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// The sum of a slice, one call from outside per sum.
#[derive(Debug)]
pub struct SliceSumOutside(SliceSum);

impl LoopWorkload for SliceSumOutside {
    const CARD: WorkloadCard = WorkloadCard {
        name: "slice-sum-outside",
        about: "the same sum, but each one is a call from a thread outside the pool, back to back",
        analysis: "The difference to `slice-sum` is `install`, for drumline and rayon. The others \
                   have no inside: their rows are those of `slice-sum`.",
        outside: true,
        default_rank: None,
        ..SliceSum::CARD
    };

    const NEEDS: Need = Need::Sum;

    const COST: Cost = Cost::Even;

    fn build(size: u64) -> Result<Self> {
        SliceSum::build(size).map(Self)
    }

    fn drive<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session) {
        self.0.outside(runtime, session);
    }
}
