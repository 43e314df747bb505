//! Tokio with `spawn_blocking`, and the number of threads that it has by default.

use ::tokio::task::spawn_blocking;
use anyhow::Result;

use crate::families::offload::OffloadRuntime;
use crate::runtime::{Role, RuntimeCard};

/// The blocking pool of the asynchronous side.
#[derive(Debug)]
pub struct TokioSpawnBlocking;

impl OffloadRuntime for TokioSpawnBlocking {
    const CARD: RuntimeCard = RuntimeCard {
        name: "tokio-spawn-blocking",
        about: "`tokio::task::spawn_blocking`; at most 512 threads, whatever the jobs",
        package: Some("tokio"),
        role: Role::Peer,
        rank: 30,
        scheduler: "one queue, a thread per task up to a cap",
        parallel: true,
        colour: (188, 164, 220),
    };

    fn start(_jobs: usize) -> Result<Self> {
        Ok(Self)
    }

    async fn offload(&'static self, request: impl FnOnce() -> u64 + Send + 'static) -> Result<u64> {
        Ok(spawn_blocking(request).await?)
    }
}
