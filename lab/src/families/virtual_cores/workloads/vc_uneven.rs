//! `vc-uneven`: a loop over items of very different lengths.

use std::time::Duration;

use anyhow::Result;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use crate::families::virtual_cores::drive::inside;
use crate::families::virtual_cores::{Sharing, VirtualRuntime, VirtualWorkload};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// The shortest and the longest item, in microseconds.
const SHORTEST: u64 = 100;
const LONGEST: u64 = 5_000;

const ITEMS: u64 = 1_000;
const SMOKE_ITEMS: u64 = 8;

const SEED: u64 = 13;

/// A parallel loop.
#[derive(Debug)]
pub struct VcUneven;

impl VirtualWorkload for VcUneven {
    const CARD: WorkloadCard = WorkloadCard {
        name: "vc-uneven",
        about: "a loop over 1,000 items that sleep 0.1 to 5 ms; the size chooses the order: \
                0 long first, 1 long last, 2 mixed (3: 8 items, smoke)",
        analysis: "The ideal knows all lengths and deals the longest items first. A loop that \
                   does not know them has to divide again while it runs; where the long ones are \
                   last, each late division costs up to 5 ms.",
        item: "item",
        size_counts: "order",
        sizes: &[0, 1, 2],
        smoke_sizes: &[3],
        limits: (0, 3),
        default_rank: None,
        outside: false,
        shows: Shows::Cores,
    };

    const SHARING: Sharing = Sharing::Share;

    fn drive<R: VirtualRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        inside(lengths(size), jobs, session, R::each)
    }

    fn size_label(size: u64) -> String {
        let label = match size {
            0 => "long first",
            1 => "long last",
            2 => "mixed",
            _ => "mixed, 8 items",
        };
        label.to_owned()
    }
}

fn lengths(size: u64) -> Vec<Duration> {
    let items = if size == 3 { SMOKE_ITEMS } else { ITEMS };
    let length = |item| SHORTEST + (LONGEST - SHORTEST) * item / (items - 1);
    let mut lengths: Vec<_> = (0..items).map(length).map(Duration::from_micros).collect();
    match size {
        0 => lengths.reverse(),
        1 => {}
        _ => lengths.shuffle(&mut SmallRng::seed_from_u64(SEED)),
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_orders_have_the_same_items() {
        let [mut first, mut last, mut mixed] = [0, 1, 2].map(lengths);
        assert_eq!(first[0], Duration::from_millis(5));
        assert_eq!(last[0], Duration::from_micros(100));
        assert!(!mixed.is_sorted());
        assert_eq!(mixed, lengths(2), "the seed is fixed");
        for lengths in [&mut first, &mut last, &mut mixed] {
            lengths.sort_unstable();
        }
        assert!(first == last && last == mixed && first.len() == 1_000);
    }
}
