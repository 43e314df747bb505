//! `task-spawn-inside`: one task spawns all others.

use anyhow::Result;

use crate::families::async_tasks::spawning::{self, sample};
use crate::families::async_tasks::{AsyncRuntime, AsyncWorkload, TaskKind};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Tasks that a task spawns.
#[derive(Debug)]
pub struct TaskSpawnInside;

impl AsyncWorkload for TaskSpawnInside {
    const CARD: WorkloadCard = WorkloadCard {
        name: "task-spawn-inside",
        about: "one task of the runtime spawns 1,000,000 tasks that end at once",
        analysis: "From the spawn of the first task, from outside, to the end of the last one. The \
                   first task spawns all others in a loop without an await. Each of them counts \
                   itself in a word that all share. Handles are dropped at once. A queue per \
                   thread is filled by its own thread here, and overflows where it has a bound.",
        ..spawning::CARD
    };

    const KIND: TaskKind = TaskKind::Call;

    const BRIEF: Option<&'static [u64]> = Some(spawning::BRIEF);

    fn tasks(size: u64) -> u64 {
        size
    }

    fn drive<R: AsyncRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        sample(size, session, |countdown| {
            runtime.call(move || {
                for task in 1..size {
                    runtime.call_inside(move || countdown.end(task));
                }
                countdown.end(0);
            });
        });
        Ok(())
    }
}
