//! Drumline, not told of waits: it has to notice them.

use ::drumline::Pool;
use anyhow::{Result, anyhow};

use crate::families::tasks::TaskRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline.
#[derive(Debug)]
pub struct Drumline {
    pool: Pool,
}

impl Drumline {
    /// Makes a pool, for both rows.
    pub fn with_jobs(jobs: usize) -> Result<Self> {
        let pool = Pool::builder()
            .jobs(jobs)
            .build()
            .map_err(|error| anyhow!("the pool cannot be made: {error:?}"))?;
        Ok(Self { pool })
    }

    /// Spawns and detaches, for both rows.
    pub fn detached(&self, task: impl FnOnce() + Send + 'static) {
        drop(self.pool.spawn(task));
    }
}

impl TaskRuntime for Drumline {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline",
        about: "this repository: `Pool::spawn`, plain closures that block",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 10,
        scheduler: "queue per worker, stealing, unannounced waits",
        parallel: true,
        colour: (214, 69, 43),
    };

    fn start(jobs: usize) -> Result<Self> {
        Self::with_jobs(jobs)
    }

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        self.detached(task);
    }
}
