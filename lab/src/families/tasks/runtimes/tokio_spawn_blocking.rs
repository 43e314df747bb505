//! Tokio with `spawn_blocking`: tasks go to threads that are made for blocking, up to a cap.

use anyhow::Result;

use super::tokio::Tokio;
use crate::families::tasks::TaskRuntime;
use crate::runtime::{Role, RuntimeCard};

/// The blocking pool of a runtime of tokio, with the cap that it has by default.
#[derive(Debug)]
pub struct TokioSpawnBlocking(Tokio);

impl TaskRuntime for TokioSpawnBlocking {
    const CARD: RuntimeCard = RuntimeCard {
        name: "tokio-spawn-blocking",
        about: "`Runtime::spawn_blocking`; at most 512 threads, whatever the jobs",
        package: Some("tokio"),
        role: Role::Peer,
        rank: 32,
        scheduler: "one queue, a thread per task up to a cap",
        parallel: true,
        colour: (188, 164, 220),
    };

    fn start(jobs: usize) -> Result<Self> {
        Tokio::with_jobs(jobs).map(Self)
    }

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        self.0.spawn_blocking(task);
    }
}
