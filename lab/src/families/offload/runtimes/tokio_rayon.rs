//! The package that does the same for users of tokio and rayon.

use ::rayon::{ThreadPool, ThreadPoolBuilder};
use ::tokio_rayon::AsyncThreadPool;
use anyhow::Result;

use crate::families::offload::OffloadRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A thread pool of rayon.
#[derive(Debug)]
pub struct TokioRayon {
    pool: ThreadPool,
}

impl OffloadRuntime for TokioRayon {
    const CARD: RuntimeCard = RuntimeCard {
        name: "tokio-rayon",
        about: "`AsyncThreadPool::spawn_async` on a pool of rayon",
        package: Some("tokio-rayon"),
        role: Role::Peer,
        rank: 21,
        scheduler: "injector and work stealing, fixed threads",
        parallel: true,
        colour: (120, 165, 210),
    };

    fn start(jobs: usize) -> Result<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(jobs).build()?;
        Ok(Self { pool })
    }

    async fn offload(&'static self, request: impl FnOnce() -> u64 + Send + 'static) -> Result<u64> {
        Ok(self.pool.spawn_async(request).await)
    }
}
