//! Drumline: futures in a pool.

use std::future::Future;

use ::drumline::{Pool, task};
use anyhow::{Result, anyhow};

use crate::families::async_tasks::AsyncRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline.
#[derive(Debug)]
pub struct Drumline {
    pool: Pool,
}

impl AsyncRuntime for Drumline {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline",
        about: "this repository: `Pool::spawn_future` from outside, `spawn_future` inside",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 10,
        scheduler: "queue per worker, stealing, futures among closures",
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

    fn spawn(&'static self, future: impl Future<Output = ()> + Send + 'static) {
        drop(self.pool.spawn_future(future));
    }

    fn spawn_inside(&'static self, future: impl Future<Output = ()> + Send + 'static) {
        drop(::drumline::spawn_future(future));
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        task::yield_now()
    }
}
