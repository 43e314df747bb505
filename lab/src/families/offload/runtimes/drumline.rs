//! Drumline: the handle of a closure is awaited.

use ::drumline::Pool;
use anyhow::{Result, anyhow};

use crate::families::offload::OffloadRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline.
#[derive(Debug)]
pub struct Drumline {
    pool: Pool,
}

impl OffloadRuntime for Drumline {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline",
        about: "this repository: `Pool::spawn` of a closure, whose handle is awaited",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 10,
        scheduler: "queue per worker, stealing",
        parallel: true,
        colour: (214, 69, 43),
    };

    fn start(jobs: usize) -> Result<Self> {
        let pool = Pool::builder()
            .jobs(jobs)
            .build()
            .map_err(|error| anyhow!("the pool cannot be made: {error:?}"))?;
        Ok(Self { pool })
    }

    async fn offload(&'static self, request: impl FnOnce() -> u64 + Send + 'static) -> Result<u64> {
        self.pool
            .spawn(request)
            .await
            .map_err(|error| anyhow!("the request failed: {error:?}"))
    }
}
