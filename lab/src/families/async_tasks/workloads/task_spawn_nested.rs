//! `task-spawn-nested`: tasks that spawn tasks.

use anyhow::Result;

use crate::families::async_tasks::spawning::{self, node, sample};
use crate::families::async_tasks::{AsyncRuntime, AsyncWorkload, TaskKind};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// A binary tree of tasks.
#[derive(Debug)]
pub struct TaskSpawnNested;

impl AsyncWorkload for TaskSpawnNested {
    const CARD: WorkloadCard = WorkloadCard {
        name: "task-spawn-nested",
        about: "a binary tree of 1,000,000 tasks: each spawns two others and ends",
        analysis: "From the spawn of the root, from outside, to the end of the last task. Each \
                   task halves what is left among two others, counts itself in a word that all share, \
                   and ends without an await. Handles are dropped at once. A runtime that takes \
                   the newest task first has few at once; one that takes the oldest first has half \
                   a million.",
        default_rank: Some(17),
        ..spawning::CARD
    };

    const KIND: TaskKind = TaskKind::Call;

    const BRIEF: Option<&'static [u64]> = Some(spawning::BRIEF);

    fn tasks(size: u64) -> u64 {
        size
    }

    fn drive<R: AsyncRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        sample(size, session, |countdown| {
            runtime.call(move || node(runtime, countdown, 0..size));
        });
        Ok(())
    }
}
