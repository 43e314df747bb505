//! `triple-pool-processes`: three processes with one pipeline each.

use anyhow::Result;

use crate::effort::Effort;
use crate::families::streams::pipeline::Spinning;
use crate::families::streams::workloads::single_pool::SinglePool;
use crate::families::streams::workloads::triple_pool::{PIPELINES, TriplePool};
use crate::families::streams::{StreamKind, StreamRuntime, StreamWorkload};
use crate::gated::Gated;
use crate::measurement::Measurement;
use crate::process_request::ProcessRequest;
use crate::session::Session;
use crate::workload::WorkloadCard;

/// The three, each in a process of its own.
#[derive(Debug)]
pub struct TriplePoolProcesses;

impl StreamWorkload for TriplePoolProcesses {
    const CARD: WorkloadCard = WorkloadCard {
        name: "triple-pool-processes",
        about: "`triple-pool` as three processes, each with one pipeline",
        analysis: "No runtime can know of the other two. The processes are started and made ready \
                   before the time begins; what they use is added up.",
        default_rank: None,
        ..TriplePool::CARD
    };

    const KIND: StreamKind = TriplePool::KIND;

    const BRIEF: Option<&'static [u64]> = TriplePool::BRIEF;

    fn drive<R: StreamRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        let order = ProcessRequest {
            workload: SinglePool::CARD.name.to_owned(),
            runtime: R::CARD.name.to_owned(),
            jobs,
            size,
            effort: Effort::once(),
            gated: true,
            slowdown_percent: None,
            program: None,
        };
        let items = Spinning::count(size, jobs) * PIPELINES as u64;
        session.tasks(items, Some(items));
        session.sample_elsewhere(
            items,
            || {
                let started = (0..PIPELINES).map(|_| Gated::start(&order));
                started.collect::<Result<Vec<Gated>>>()
            },
            |mut waiting| {
                waiting.iter_mut().try_for_each(Gated::open)?;
                let ended = waiting.into_iter().map(Gated::end);
                ended.collect::<Result<Vec<Measurement>>>()
            },
        );
        Ok(())
    }
}
