//! `filter-collect`: fewer results than items, and their number is not known in advance.

use std::hint::black_box;

use anyhow::Result;

use super::map_collect::same;
use crate::families::loops::{Cost, LoopRuntime, LoopWorkload, Need, numbers};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// This many numbers.
#[derive(Debug)]
pub struct FilterCollect {
    numbers: Vec<u64>,
    expected: Vec<u64>,
}

fn kept(number: u64) -> bool {
    number & 1 == 0
}

impl LoopWorkload for FilterCollect {
    const CARD: WorkloadCard = WorkloadCard {
        name: "filter-collect",
        about: "every second `u64` of a slice, on average, collected into a new vector in order",
        analysis: "Where a result belongs is known only when all before it are known, so something \
                   has to be gathered twice. Freeing the vector is not timed.",
        item: "number",
        size_counts: "numbers",
        sizes: &[10_000_000],
        smoke_sizes: &[10_000],
        limits: (1, 1_000_000_000),
        default_rank: None,
        outside: false,
        shows: Shows::Time,
    };

    const NEEDS: Need = Need::FilterCollect;

    const COST: Cost = Cost::Even;

    fn build(size: u64) -> Result<Self> {
        let numbers = numbers::random(usize::try_from(size)?);
        let kept = numbers.iter().copied().filter(|&number| kept(number));
        let expected = kept.collect();
        Ok(Self { numbers, expected })
    }

    fn drive<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session) {
        runtime.enter(|context| {
            session.sample_prepared(
                self.numbers.len() as u64,
                &mut (),
                |()| (),
                |()| R::filter_collect(context, black_box(&self.numbers), kept),
                |(), found| same(&found, &self.expected),
            );
        });
    }
}
