//! `task-spawn-outside`: a thread that is not part of the runtime spawns all tasks.

use anyhow::Result;

use crate::families::async_tasks::spawning::{self, sample};
use crate::families::async_tasks::{AsyncRuntime, AsyncWorkload, TaskKind};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Tasks that a thread spawns.
#[derive(Debug)]
pub struct TaskSpawnOutside;

impl AsyncWorkload for TaskSpawnOutside {
    const CARD: WorkloadCard = WorkloadCard {
        name: "task-spawn-outside",
        about: "a thread outside of the runtime spawns 1,000,000 tasks that end at once",
        analysis: "From the first spawn to the end of the last task. The thread that spawns is one \
                   more beside the jobs. Each task counts itself in a word that all share. Handles \
                   are dropped at once. All tasks go through the queue for threads outside, and \
                   workers that find it empty sleep and have to be woken.",
        default_rank: Some(16),
        ..spawning::CARD
    };

    const KIND: TaskKind = TaskKind::Call;

    const BRIEF: Option<&'static [u64]> = Some(spawning::BRIEF);

    fn tasks(size: u64) -> u64 {
        size
    }

    fn drive<R: AsyncRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        sample(size, session, |countdown| {
            for task in 0..size {
                runtime.call(move || countdown.end(task));
            }
        });
        Ok(())
    }
}
