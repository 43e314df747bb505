//! What runs the tasks at the ends of channels.

use std::future::Future;

use ::tokio::runtime::{Builder, Runtime};
use anyhow::Result;

/// Something that runs tasks. It lasts as long as the process.
pub trait Executor: Sync + 'static {
    /// Spawns a task from a thread outside, and detaches it.
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static);
}

/// A multi-threaded runtime of tokio, the same for all libraries without an executor.
#[derive(Debug)]
pub struct TokioExecutor {
    runtime: Runtime,
}

impl TokioExecutor {
    /// A runtime with a worker per job.
    pub fn start(jobs: usize) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(jobs).build()?;
        Ok(Self { runtime })
    }
}

impl Executor for TokioExecutor {
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.runtime.spawn(task));
    }
}
