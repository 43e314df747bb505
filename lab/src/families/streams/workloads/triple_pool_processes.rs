//! `triple-pool-processes`: three processes with one pipeline each.

use anyhow::Result;

use crate::gate::Gated;
use crate::launch::Order;
use crate::pipeline::Spinning;
use crate::registry::streams::single_pool::SinglePool;
use crate::registry::streams::triple_pool::{PIPELINES, TriplePool};
use crate::session::{Effort, Measurement, Session};
use crate::streamer::{Streamer, Task};
use crate::streaming::Stream;
use crate::workload::WorkloadCard;

/// The three, each in a process of its own.
#[derive(Debug)]
pub struct TriplePoolProcesses;

impl Stream for TriplePoolProcesses {
    const CARD: WorkloadCard = WorkloadCard {
        name: "triple-pool-processes",
        about: "`triple-pool` as three processes, each with one pipeline",
        analysis: "No runtime can know of the other two. The processes are started and made ready \
                   before the time begins; what they use is added up.",
        default_rank: None,
        ..TriplePool::CARD
    };

    const TASK: Task = TriplePool::TASK;

    const BRIEF: Option<&'static [u64]> = TriplePool::BRIEF;

    fn drive<S: Streamer>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        let order = Order {
            workload: SinglePool::CARD.name.to_owned(),
            runtime: S::CARD.name.to_owned(),
            jobs,
            size,
            effort: Effort::once(),
            gated: true,
            slowdown_percent: None,
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
