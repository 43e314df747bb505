//! Many items of the same length, for workloads that differ in how a pool shares them.

use std::time::Duration;

use anyhow::Result;

use crate::workload::group;

/// Items of the same length.
#[derive(Clone, Copy, Debug)]
pub struct Alike {
    /// How many.
    pub items: usize,
    /// How long each sleeps, in microseconds.
    pub us: u64,
}

/// The pairs of the definition, by size. The fifth is for smoke runs, and what follows it for
/// streams.
const PAIRS: [Alike; 7] = [
    Alike {
        items: 64,
        us: 5_000,
    },
    Alike {
        items: 1_000,
        us: 500,
    },
    Alike {
        items: 1_000,
        us: 2_000,
    },
    Alike {
        items: 256,
        us: 2_000,
    },
    Alike {
        items: 8,
        us: 1_000,
    },
    Alike {
        items: 6_400,
        us: 1_000,
    },
    Alike {
        items: 64_000,
        us: 20,
    },
];

impl Alike {
    /// The sizes of workloads that are made of such a pair…
    pub const SIZES: &'static [u64] = &[0, 1, 2, 3];

    /// …and of streams, with as many items for each of 64 consumers as it takes to see what they
    /// wait for when all are at work…
    pub const STREAM_SIZES: &'static [u64] = &[0, 1, 2, 3, 5, 6];

    /// …in a smoke run…
    pub const SMOKE_SIZES: &'static [u64] = &[4];

    /// …and the smallest and the largest.
    pub const LIMITS: (u64, u64) = (0, PAIRS.len() as u64 - 1);

    /// The pair that a size names.
    pub fn of(size: u64) -> Result<Self> {
        Ok(PAIRS[usize::try_from(size)?])
    }

    /// What a size is called.
    pub fn label(size: u64) -> String {
        let Self { items, us } = PAIRS[size as usize];
        format!("{} × {} ms", group(items as u64), us as f64 / 1e3)
    }

    /// The lengths of the items.
    pub fn lengths(self) -> Vec<Duration> {
        vec![Duration::from_micros(self.us); self.items]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_labels() {
        let labels: Vec<_> = Alike::STREAM_SIZES
            .iter()
            .map(|size| Alike::label(*size))
            .collect();
        let pairs = [
            "64 × 5 ms",
            "1,000 × 0.5 ms",
            "1,000 × 2 ms",
            "256 × 2 ms",
            "6,400 × 1 ms",
            "64,000 × 0.02 ms",
        ];
        assert_eq!(labels, pairs);
    }
}
