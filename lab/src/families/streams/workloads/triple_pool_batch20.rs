//! `triple-pool-batch20`: the same, twenty items in a batch.

use anyhow::Result;

use crate::families::streams::workloads::triple_pool::{PIPELINES, TriplePool, at_once};
use crate::families::streams::{StreamKind, StreamRuntime, StreamWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// The three pipelines, with twenty items in a batch.
#[derive(Debug)]
pub struct TriplePoolBatch20;

impl StreamWorkload for TriplePoolBatch20 {
    const CARD: WorkloadCard = WorkloadCard {
        name: "triple-pool-batch20",
        about: "`triple-pool`, where twenty items are handed over together",
        analysis: "Where handing over is most of what there is to see, a twentieth of it is left. \
                   The first item of a batch waits until the last one is made.",
        default_rank: None,
        ..TriplePool::CARD
    };

    const KIND: StreamKind = TriplePool::KIND;

    const BRIEF: Option<&'static [u64]> = TriplePool::BRIEF;

    fn drive<R: StreamRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        at_once::<R, PIPELINES>(size, jobs, 20, session)
    }
}
