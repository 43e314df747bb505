//! `blocking-sleep`: tasks that only wait for time to pass.

use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use crate::families::tasks::roll::Roll;
use crate::families::tasks::{TaskRuntime, TaskWorkload};
use crate::nap::sleep_precisely;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

const NAP: Duration = Duration::from_millis(10);

/// This many sleeping tasks.
#[derive(Debug)]
pub struct BlockingSleep {
    tasks: usize,
}

impl TaskWorkload for BlockingSleep {
    const CARD: WorkloadCard = WorkloadCard {
        name: "blocking-sleep",
        about: "tasks that sleep for 10 ms each, all queued at once from outside",
        analysis: "Sleeping takes no core, so all could sleep at once: the bound is 10 ms and \
                   what it costs to get so many threads. A pool that lets its threads sleep takes \
                   10 ms times tasks divided by jobs. Where the wait is announced a runtime can \
                   act at once; where it is not, it has to notice first.",
        item: "task",
        size_counts: "tasks",
        sizes: &[400],
        smoke_sizes: &[20],
        limits: (1, 20_000),
        default_rank: None,
        outside: true,
        shows: Shows::Waiting,
    };

    const TASKS_WAIT_FOR_TASKS: bool = false;

    fn build(size: u64) -> Result<Self> {
        let tasks = usize::try_from(size)?;
        // Before the runtime makes its threads.
        sleep_precisely();
        Ok(Self { tasks })
    }

    fn drive<R: TaskRuntime>(&self, runtime: &R, session: &mut Session) {
        session.tasks(self.tasks as u64, None);
        session.sample_prepared(
            self.tasks as u64,
            &mut Roll::new(0),
            |roll| *roll = Roll::new(self.tasks),
            |roll| {
                for index in 0..self.tasks {
                    let roll = Arc::clone(roll);
                    runtime.spawn(move || {
                        R::block(|| sleep(NAP));
                        roll.sign(index);
                    });
                }
                roll.wait();
            },
            |roll, ()| roll.check(),
        );
    }
}
