//! Drumline (skeleton).
#![warn(missing_docs)]

mod jobs;
#[allow(dead_code, reason = "until the pool uses it")]
mod platform;

pub use jobs::{Jobs, ParseJobsError};

use std::num::NonZeroUsize;

/// Runs two closures, potentially in parallel.
pub fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    let ra = a();
    let rb = b();
    (ra, rb)
}

/// A pool of worker threads.
#[derive(Debug)]
pub struct Pool {
    jobs: NonZeroUsize,
}

/// A builder of pools.
#[derive(Debug)]
pub struct PoolBuilder {
    jobs: NonZeroUsize,
}

/// A pool could not be built.
#[derive(Debug)]
pub struct BuildError;

impl PoolBuilder {
    /// Sets the number of jobs.
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = NonZeroUsize::new(jobs).expect("jobs");
        self
    }
    /// Builds the pool.
    pub fn build(self) -> Result<Pool, BuildError> {
        Ok(Pool { jobs: self.jobs })
    }
}

impl Pool {
    /// Starts to build a pool.
    pub fn builder() -> PoolBuilder {
        PoolBuilder {
            jobs: NonZeroUsize::MIN,
        }
    }
    /// Runs `op` inside the pool.
    pub fn install<R: Send>(&self, op: impl FnOnce() -> R + Send) -> R {
        op()
    }
    /// The number of jobs.
    pub fn current_jobs(&self) -> usize {
        self.jobs.get()
    }
}
