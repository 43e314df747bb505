//! `map-collect`: as many results as items, into a new vector.

use std::hint::black_box;

use anyhow::Result;

use crate::families::loops::{Cost, LoopRuntime, LoopWorkload, Need, numbers};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// This many numbers.
#[derive(Debug)]
pub struct MapCollect {
    numbers: Vec<u64>,
    expected: Vec<u64>,
}

/// What becomes of a number.
pub fn mapped(number: u64) -> u64 {
    (number ^ (number >> 7)).wrapping_mul(3)
}

impl LoopWorkload for MapCollect {
    const CARD: WorkloadCard = WorkloadCard {
        name: "map-collect",
        about: "a cheap function of each `u64` of a slice, collected into a new vector",
        analysis: "The new vector is fresh memory, which the system hands out page by page: much \
                   of this is page faults, and they can be taken by all threads. Freeing it is not \
                   timed.",
        item: "number",
        size_counts: "numbers",
        sizes: &[10_000_000],
        smoke_sizes: &[10_000],
        limits: (1, 1_000_000_000),
        default_rank: None,
        outside: false,
        shows: Shows::Time,
    };

    const NEEDS: Need = Need::MapCollect;

    const COST: Cost = Cost::Even;

    fn build(size: u64) -> Result<Self> {
        let numbers = numbers::random(usize::try_from(size)?);
        let expected = numbers.iter().map(|&number| mapped(number)).collect();
        Ok(Self { numbers, expected })
    }

    fn drive<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session) {
        runtime.enter(|context| {
            session.sample_prepared(
                self.numbers.len() as u64,
                &mut (),
                |()| (),
                |()| R::map_collect(context, black_box(&self.numbers), mapped),
                |(), found| same(&found, &self.expected),
            );
        });
    }
}

/// Compares two vectors without printing them.
pub fn same(found: &[u64], expected: &[u64]) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!(
            "wrong answer: {} numbers, which are not the {} expected",
            found.len(),
            expected.len()
        ))
    }
}
