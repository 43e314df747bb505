//! `task-ring`: one token goes round.

use anyhow::Result;

use crate::families::async_tasks::rings::{self, TASKS};
use crate::families::async_tasks::{AsyncRuntime, AsyncWorkload, TaskKind};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// One ring.
#[derive(Debug)]
pub struct TaskRing;

impl AsyncWorkload for TaskRing {
    const CARD: WorkloadCard = WorkloadCard {
        name: "task-ring",
        about: "a token goes round a ring of 100 tasks; 1,000,000 hops",
        analysis: "From the spawn of the first task, from outside, to the end of the last one. At \
                   a hop a task sets the flag of its successor, wakes it by its waker, and waits for \
                   its own flag. The flag and the waker are behind a lock, the same for all \
                   runtimes. Only one task can run at a time, so more jobs can only cost: they \
                   move the token between cores, or wake threads that find nothing.",
        item: "hop",
        size_counts: "hops",
        sizes: &[1_000_000],
        smoke_sizes: &[5_000],
        limits: (1, 1_000_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Rate,
    };

    const KIND: TaskKind = TaskKind::Await;

    fn tasks(_size: u64) -> u64 {
        TASKS
    }

    fn drive<R: AsyncRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        rings::drive(1, size, runtime, session);
        Ok(())
    }
}
