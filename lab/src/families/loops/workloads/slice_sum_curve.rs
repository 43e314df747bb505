//! `slice-sum-curve`: from what length on a parallel loop pays, and what it costs below.

use anyhow::Result;

use super::slice_sum::SliceSum;
use crate::families::loops::{Cost, LoopRuntime, LoopWorkload, Need};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// The sum of a slice, at many lengths.
#[derive(Debug)]
pub struct SliceSumCurve(SliceSum);

impl LoopWorkload for SliceSumCurve {
    const CARD: WorkloadCard = WorkloadCard {
        name: "slice-sum-curve",
        about: "`slice-sum` at 22 lengths on two jobs, drawn as a ratio to the plain loop",
        analysis: "The chart divides by the plain loop on the same slice, so 1 means that it makes \
                   no difference. The dashed line is 1.1 times the plain loop and 15 ns: what one \
                   might put up with and never think about lengths.",
        sizes: &[
            1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000,
            100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000,
        ],
        default_rank: None,
        shows: Shows::Curve,
        ..SliceSum::CARD
    };

    const NEEDS: Need = Need::Sum;

    const COST: Cost = Cost::Even;

    const JOBS: Option<&'static [usize]> = Some(&[2]);

    fn build(size: u64) -> Result<Self> {
        SliceSum::build(size).map(Self)
    }

    fn drive<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session) {
        self.0.inside(runtime, session);
    }
}
