//! `slice-sum`: the cheapest loop of all.

use std::hint::black_box;

use anyhow::Result;

use crate::families::loops::{Cost, LoopRuntime, LoopWorkload, Need, numbers};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// This many numbers.
#[derive(Debug)]
pub struct SliceSum {
    numbers: Vec<u64>,
    expected: u64,
}

impl SliceSum {
    /// Measures sums in a row inside one call into the pool.
    pub fn inside<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session) {
        runtime.enter(|context| {
            session.sample(&self.expected, self.items(), || {
                R::sum(context, black_box(&self.numbers))
            });
        });
    }

    /// Measures sums that are one call from outside each.
    pub fn outside<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session) {
        session.sample(&self.expected, self.items(), || {
            let numbers = black_box(&self.numbers);
            runtime.enter(|context| R::sum(context, numbers))
        });
    }

    fn items(&self) -> u64 {
        self.numbers.len() as u64
    }
}

impl LoopWorkload for SliceSum {
    const CARD: WorkloadCard = WorkloadCard {
        name: "slice-sum",
        about: "sum of a slice of `u64`, inside the pool",
        analysis: "The compiler makes vector code of the plain loop, so a sum of 1,000 takes less \
                   time than it takes to wake a thread, and one of 10,000,000 is as fast as memory \
                   is. A loop that no thread can help with should cost what the plain one costs.",
        item: "number",
        size_counts: "numbers",
        sizes: &[10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000],
        smoke_sizes: &[10, 10_000],
        limits: (1, 1_000_000_000),
        default_rank: Some(10),
        outside: false,
        shows: Shows::Time,
    };

    const NEEDS: Need = Need::Sum;

    const COST: Cost = Cost::Even;

    const BRIEF: Option<&'static [u64]> = Some(&[10, 1_000, 100_000, 1_000_000]);

    fn build(size: u64) -> Result<Self> {
        let numbers = numbers::small(usize::try_from(size)?);
        let expected = numbers.iter().sum();
        Ok(Self { numbers, expected })
    }

    fn drive<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session) {
        self.inside(runtime, session);
    }
}
