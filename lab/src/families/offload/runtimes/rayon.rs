//! Rayon, with jobs that send their answers through a channel of tokio.

use ::rayon::{ThreadPool, ThreadPoolBuilder};
use ::tokio::sync::oneshot;
use anyhow::Result;

use crate::families::offload::OffloadRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A thread pool of rayon.
#[derive(Debug)]
pub struct Rayon {
    pool: ThreadPool,
}

impl OffloadRuntime for Rayon {
    const CARD: RuntimeCard = RuntimeCard {
        name: "rayon",
        about: "`ThreadPool::spawn`; the answer comes through `tokio::sync::oneshot`",
        package: Some("rayon"),
        role: Role::Peer,
        rank: 20,
        scheduler: "injector and work stealing, fixed threads",
        parallel: true,
        colour: (47, 111, 176),
    };

    fn start(jobs: usize) -> Result<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(jobs).build()?;
        Ok(Self { pool })
    }

    async fn offload(&'static self, request: impl FnOnce() -> u64 + Send + 'static) -> Result<u64> {
        let (send, receive) = oneshot::channel();
        self.pool.spawn(move || {
            // Nothing waits if the asynchronous side has failed.
            let _ = send.send(request());
        });
        Ok(receive.await?)
    }
}
