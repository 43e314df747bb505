//! Rayon, with a fixed number of threads.

use ::rayon::{ThreadPool, ThreadPoolBuilder};
use anyhow::Result;

use crate::families::tasks::TaskRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A thread pool of rayon.
#[derive(Debug)]
pub struct Rayon {
    pool: ThreadPool,
}

impl TaskRuntime for Rayon {
    const CARD: RuntimeCard = RuntimeCard {
        name: "rayon",
        about: "`ThreadPool::spawn`; a fixed number of threads",
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

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        self.pool.spawn(task);
    }
}
