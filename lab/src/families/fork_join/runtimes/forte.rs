//! Forte. Its worker goes to every closure; the calling thread becomes a worker for the call, so
//! a pool for `jobs` threads is resized to `jobs - 1`.

use ::forte::{ThreadPool, Worker};
use anyhow::Result;

use crate::families::fork_join::pool::Pool;
use crate::runtime::{Role, RuntimeCard};

/// A thread pool of forte.
pub struct Forte {
    pool: &'static ThreadPool,
}

impl Pool for Forte {
    const CARD: RuntimeCard = RuntimeCard {
        name: "forte",
        about: "`ThreadPool::with_worker`, `Worker::join`",
        package: Some("forte"),
        role: Role::Peer,
        rank: 22,
        scheduler: "heartbeat, one shared queue",
        parallel: true,
        colour: (130, 91, 166),
    };

    type Context<'c> = &'c Worker;

    fn start(jobs: usize) -> Result<Self> {
        // Forte's pools are static; this process makes one and then ends.
        let pool: &'static ThreadPool = Box::leak(Box::new(ThreadPool::new()));
        pool.resize_to(jobs - 1);
        Ok(Self { pool })
    }

    fn enter<R: Send>(&self, call: impl for<'c> FnOnce(Self::Context<'c>) -> R + Send) -> R {
        self.pool.with_worker(|worker| call(worker))
    }

    #[inline(always)]
    fn join<A, B, RA, RB>(worker: &Worker, a: A, b: B) -> (RA, RB)
    where
        A: for<'c> FnOnce(Self::Context<'c>) -> RA + Send,
        B: for<'c> FnOnce(Self::Context<'c>) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        worker.join(a, b)
    }

    #[inline(always)]
    fn lend<'c>(context: &'c mut Self::Context<'_>) -> Self::Context<'c> {
        context
    }

    fn outside_calls_fail(jobs: usize) -> Option<&'static str> {
        (jobs == 1).then_some(
            "without a thread of its own, this version of forte never frees the leases of outside \
             calls, and each call gets slower",
        )
    }
}
