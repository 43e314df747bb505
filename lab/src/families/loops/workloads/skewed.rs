//! `skewed`: the last item costs as much as all others.

use anyhow::Result;

use crate::families::loops::{Cost, LoopRuntime, LoopWorkload, Need};
use crate::session::Session;
use crate::spin;
use crate::workload::{Shows, WorkloadCard};

/// The steps of every item but the last: some microseconds.
const STEPS: u64 = 5_000;

/// This many items, as the number of their steps.
#[derive(Debug)]
pub struct Skewed {
    items: Vec<u64>,
    expected: u64,
}

impl LoopWorkload for Skewed {
    const CARD: WorkloadCard = WorkloadCard {
        name: "skewed",
        about: "a loop whose last item costs as much as all others together",
        analysis: "Nothing can be faster than that item, which is the critical path: 1.00 × path \
                   means that it was begun at once and everything else was done meanwhile. A \
                   runtime that begins it last takes up to twice as long. One job takes 2.00.",
        item: "item",
        size_counts: "items",
        sizes: &[10_000],
        smoke_sizes: &[100],
        limits: (2, 10_000_000),
        default_rank: None,
        outside: false,
        shows: Shows::Path,
    };

    const NEEDS: Need = Need::MapSum;

    const COST: Cost = Cost::Uneven;

    fn build(size: u64) -> Result<Self> {
        let mut items = vec![STEPS; usize::try_from(size - 1)?];
        items.push(STEPS * (size - 1));
        let value = |steps| spin::steps(steps);
        let expected = value(STEPS) * (size - 1) + value(STEPS * (size - 1));
        Ok(Self { items, expected })
    }

    fn drive<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session) {
        runtime.enter(|context| {
            session.sample(&self.expected, self.items.len() as u64, || {
                R::map_sum(context, &self.items, |&steps| spin::steps(steps))
            });
        });
    }
}
