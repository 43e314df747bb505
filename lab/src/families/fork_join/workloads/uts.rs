//! `uts`: a tree with a shape that cannot be foreseen, never materialised.

use std::hint::black_box;

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::families::fork_join::runtimes::seq::Seq;
use crate::workload::{Shows, WorkloadCard};

const ROOT: u64 = 19;
const CHILDREN: u64 = 8;
const PROBABILITY: f64 = 0.124875;
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// An unbalanced binomial tree.
#[derive(Debug)]
pub struct Uts {
    root_children: u64,
    nodes: u64,
}

impl ForkJoinWorkload for Uts {
    const CARD: WorkloadCard = WorkloadCard {
        name: "uts",
        about: "count of an unbalanced binomial tree that exists only as hashes",
        analysis: "Subtrees differ by orders of magnitude, so a division in advance loses to any \
                   runtime that balances.",
        item: "node",
        size_counts: "children of the root",
        sizes: &[2_000],
        smoke_sizes: &[20],
        limits: (1, 1_000_000),
        default_rank: Some(2),
        outside: false,
        shows: Shows::Time,
    };

    type Answer = u64;

    fn build(size: u64) -> Result<Self> {
        // The answer comes from the sequential run.
        let nodes = 1 + range::<Seq>(ROOT, 0, size, ());
        Ok(Self {
            root_children: size,
            nodes,
        })
    }

    fn expected(&self) -> u64 {
        self.nodes
    }

    fn items(&self) -> u64 {
        self.nodes
    }

    fn run<P: Pool>(&self, context: P::Context<'_>) -> u64 {
        1 + range::<P>(black_box(ROOT), 0, self.root_children, context)
    }

    fn divides() -> bool {
        true
    }

    fn part(&self, index: usize, parts: usize) -> u64 {
        let edge = |index: usize| self.root_children * index as u64 / parts as u64;
        let (low, high) = (edge(index), edge(index + 1));
        let root = u64::from(index == 0);
        if low < high {
            root + range::<Seq>(black_box(ROOT), low, high, ())
        } else {
            root
        }
    }

    fn merge(a: u64, b: u64) -> u64 {
        a + b
    }
}

/// The nodes below and including the children `low..high` of `node`.
fn range<P: Pool>(node: u64, low: u64, high: u64, context: P::Context<'_>) -> u64 {
    if high - low == 1 {
        let child = child(node, low);
        return if has_children(child) {
            1 + range::<P>(child, 0, CHILDREN, context)
        } else {
            1
        };
    }
    let middle = low + (high - low) / 2;
    let (a, b) = P::join(
        context,
        move |context| range::<P>(node, low, middle, context),
        move |context| range::<P>(node, middle, high, context),
    );
    a + b
}

/// The child with this index: output number `index + 1` of the generator splitmix64 that starts
/// from the node.
#[inline]
fn child(node: u64, index: u64) -> u64 {
    mix(node.wrapping_add((index + 1).wrapping_mul(STEP)))
}

/// The output function of splitmix64.
#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[inline]
fn has_children(node: u64) -> bool {
    const SCALE: f64 = 1.0 / (1u64 << 53) as f64;
    ((node >> 11) as f64) * SCALE < PROBABILITY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_the_outputs_of_splitmix64() {
        // The first outputs of the generator for the seed 1234567, as published with it.
        let outputs = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!([child(1_234_567, 0), child(1_234_567, 1)], outputs);
    }

    #[test]
    fn shares_add_up() {
        let uts = Uts::build(50).unwrap();
        for parts in [1, 2, 3, 16, 100] {
            let total: u64 = (0..parts).map(|index| uts.part(index, parts)).sum();
            assert_eq!(total, uts.expected());
        }
    }
}
