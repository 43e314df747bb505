//! Tokio with tasks that block without a word, which its documentation warns against: the row
//! that shows why.

use ::tokio::runtime::{Builder, Runtime};
use anyhow::Result;

use crate::families::tasks::TaskRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A multi-threaded runtime of tokio.
#[derive(Debug)]
pub struct Tokio {
    runtime: Runtime,
}

impl Tokio {
    /// Makes a runtime with as many workers as jobs, for all rows of tokio.
    pub fn with_jobs(jobs: usize) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(jobs).build()?;
        Ok(Self { runtime })
    }

    /// Spawns a task that consists of one closure, and detaches it.
    pub fn spawn_task(&self, task: impl FnOnce() + Send + 'static) {
        drop(self.runtime.spawn(async move { task() }));
    }

    /// Spawns a closure for a thread that may block, and detaches it.
    pub fn spawn_blocking(&self, task: impl FnOnce() + Send + 'static) {
        drop(self.runtime.spawn_blocking(task));
    }
}

impl TaskRuntime for Tokio {
    const CARD: RuntimeCard = RuntimeCard {
        name: "tokio",
        about: "`Runtime::spawn`, tasks that simply block",
        package: Some("tokio"),
        role: Role::Peer,
        rank: 30,
        scheduler: "async work stealing, fixed workers",
        parallel: true,
        colour: (132, 98, 176),
    };

    fn start(jobs: usize) -> Result<Self> {
        Self::with_jobs(jobs)
    }

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        self.spawn_task(task);
    }
}
