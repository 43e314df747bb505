//! Rayon, called inside `install`.

use ::rayon::{ThreadPool, ThreadPoolBuilder};
use anyhow::Result;

use crate::families::fork_join::pool::Pool;
use crate::runtime::{Role, RuntimeCard};

/// A thread pool of rayon.
#[derive(Debug)]
pub struct Rayon {
    pool: ThreadPool,
}

impl Pool for Rayon {
    const CARD: RuntimeCard = RuntimeCard {
        name: "rayon",
        about: "`ThreadPool::install`, `rayon::join`",
        package: Some("rayon"),
        role: Role::Peer,
        rank: 20,
        scheduler: "work stealing, Chase-Lev deques",
        parallel: true,
        colour: (47, 111, 176),
    };

    type Context<'c> = ();

    fn start(jobs: usize) -> Result<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(jobs).build()?;
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
        ::rayon::join(|| a(()), || b(()))
    }

    #[inline(always)]
    fn lend<'c>(_context: &'c mut Self::Context<'_>) -> Self::Context<'c> {}
}
