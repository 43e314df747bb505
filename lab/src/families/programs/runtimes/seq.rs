//! Plain loops.

use std::sync::Arc;

use anyhow::Result;

use crate::families::programs::ProgramRuntime;
use crate::families::programs::graph::Search;
use crate::families::programs::kmers::KmerCounter;
use crate::runtime::{Role, RuntimeCard};

/// One thread.
#[derive(Debug)]
pub struct Seq;

impl ProgramRuntime for Seq {
    const CARD: RuntimeCard = RuntimeCard {
        name: "seq",
        about: "plain loops on one thread",
        package: None,
        role: Role::Bound,
        rank: 90,
        scheduler: "none",
        parallel: false,
        colour: (122, 128, 138),
    };

    fn start(_jobs: usize) -> Result<Self> {
        Ok(Self)
    }

    fn whole(&self, search: &Arc<Search>, root: u32) -> usize {
        search.alone(root)
    }

    fn level(&self, search: &Arc<Search>, frontier: Vec<u32>) -> Vec<u32> {
        search.visit_all(&frontier)
    }

    fn count(&self, pieces: &[Arc<[u8]>], mut counters: Vec<KmerCounter>) -> Vec<KmerCounter> {
        for counter in &mut counters {
            counter.count_all(pieces);
        }
        counters
    }
}
