//! `single-pool`: one of the three pipelines, alone.

use anyhow::Result;

use crate::families::streams::workloads::triple_pool::{TriplePool, at_once};
use crate::families::streams::{StreamKind, StreamRuntime, StreamWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// One pipeline.
#[derive(Debug)]
pub struct SinglePool;

impl StreamWorkload for SinglePool {
    const CARD: WorkloadCard = WorkloadCard {
        name: "single-pool",
        about: "one pipeline of `triple-pool`, alone on the machine",
        analysis: "What each of the three processes of `triple-pool-processes` runs. Here a thread \
                   that waits leaves a core idle, so waking it late costs time.",
        default_rank: None,
        ..TriplePool::CARD
    };

    const KIND: StreamKind = TriplePool::KIND;

    const BRIEF: Option<&'static [u64]> = TriplePool::BRIEF;

    fn drive<R: StreamRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        at_once::<R, 1>(size, jobs, 1, session)
    }
}
