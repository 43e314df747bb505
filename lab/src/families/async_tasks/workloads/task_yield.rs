//! `task-yield`: tasks that let each other run.

use anyhow::Result;

use crate::families::async_tasks::countdown::Countdown;
use crate::families::async_tasks::{AsyncRuntime, AsyncWorkload, TaskKind};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard, group};

/// How many tasks there are.
const TASKS: u64 = 100;

/// Tasks that yield.
#[derive(Debug)]
pub struct TaskYield;

impl AsyncWorkload for TaskYield {
    const CARD: WorkloadCard = WorkloadCard {
        name: "task-yield",
        about: "100 tasks yield 10,000 times each, in the runtime's own way",
        analysis: "From the spawn of the first task, from outside, to the end of the last one. A \
                   yield puts the task at the end of a queue and takes another one from its front. \
                   With several jobs, the queue is shared, or tasks move between the queues.",
        item: "yield",
        size_counts: "yields per task",
        sizes: &[10_000],
        smoke_sizes: &[100],
        limits: (1, 10_000_000),
        default_rank: Some(18),
        outside: true,
        shows: Shows::Rate,
    };

    const KIND: TaskKind = TaskKind::Yield;

    const BRIEF: Option<&'static [u64]> = Some(&[500]);

    fn tasks(_size: u64) -> u64 {
        TASKS
    }

    fn drive<R: AsyncRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        let countdown = Countdown::leaked(TASKS);
        session.sample_prepared(
            TASKS * size,
            &mut (),
            |()| countdown.reset(),
            |()| {
                for task in 0..TASKS {
                    runtime.call_after_yields(size, move || countdown.end(task));
                }
                countdown.wait();
            },
            |(), ()| countdown.check(),
        );
        Ok(())
    }

    fn size_label(size: u64) -> String {
        format!("{} × {}", group(TASKS), group(size))
    }
}
