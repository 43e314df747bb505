//! Tokio with `spawn_blocking`, and as many threads as jobs.

use ::tokio::runtime::Builder;
use ::tokio::task::spawn_blocking;
use anyhow::Result;

use crate::families::offload::OffloadRuntime;
use crate::runtime::{Role, RuntimeCard};

/// The blocking pool of the asynchronous side.
#[derive(Debug)]
pub struct TokioSpawnBlockingCapped;

impl OffloadRuntime for TokioSpawnBlockingCapped {
    const CARD: RuntimeCard = RuntimeCard {
        name: "tokio-spawn-blocking-capped",
        about: "the same with `Builder::max_blocking_threads` of the jobs",
        package: Some("tokio"),
        role: Role::Peer,
        rank: 31,
        scheduler: "one queue, fixed threads",
        parallel: true,
        colour: (132, 98, 176),
    };

    fn start(_jobs: usize) -> Result<Self> {
        Ok(Self)
    }

    fn configure(builder: &mut Builder, jobs: usize) {
        builder.max_blocking_threads(jobs);
    }

    async fn offload(&'static self, request: impl FnOnce() -> u64 + Send + 'static) -> Result<u64> {
        Ok(spawn_blocking(request).await?)
    }
}
