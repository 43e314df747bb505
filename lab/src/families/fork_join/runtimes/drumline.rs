//! Drumline itself.

use ::drumline::Pool as DrumlinePool;
use anyhow::{Result, anyhow};

use crate::families::fork_join::pool::Pool;
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline.
#[derive(Debug)]
pub struct Drumline {
    pool: DrumlinePool,
}

impl Pool for Drumline {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline",
        about: "this repository: `Pool::install`, `drumline::join`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 10,
        scheduler: "lazy sharing, thief-fenced deques",
        parallel: true,
        colour: (214, 69, 43),
    };

    type Context<'c> = ();

    fn start(jobs: usize) -> Result<Self> {
        let pool = DrumlinePool::builder()
            .jobs(jobs)
            .build()
            .map_err(|error| anyhow!("the pool cannot be made: {error:?}"))?;
        Ok(Self { pool })
    }

    fn enter<R: Send>(&self, call: impl for<'c> FnOnce(Self::Context<'c>) -> R + Send) -> R {
        self.pool.install(|| call(()))
    }

    #[inline(always)]
    fn join<A, B, RA, RB>((): (), a: A, b: B) -> (RA, RB)
    where
        A: for<'c> FnOnce(Self::Context<'c>) -> RA + Send,
        B: for<'c> FnOnce(Self::Context<'c>) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        ::drumline::join(|| a(()), || b(()))
    }

    #[inline(always)]
    fn lend<'c>(_context: &'c mut Self::Context<'_>) -> Self::Context<'c> {}
}
