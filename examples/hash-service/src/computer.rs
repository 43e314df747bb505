//! The pool, and the work that a request has it do.

use std::fmt;
use std::sync::Arc;

use drumline::{BuildError, CancellationToken, Jobs, JoinError, Pool, Stats};
use hyper::body::Bytes;

use crate::admission::Admission;
use crate::counters::Counters;
use crate::hashing::{Digest, Stopped};

/// What is computed of an upload. It looks at the token now and then, and stops when that is
/// cancelled.
pub type Work = dyn Fn(&[u8], &CancellationToken) -> Result<Digest, Stopped> + Send + Sync;

/// A pool that does one kind of work.
pub struct Computer {
    pool: Pool,
    work: Arc<Work>,
    counters: Arc<Counters>,
}

/// Why a job gave no digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It panicked. The panic hook of the process has printed it.
    Panicked,
    /// It was stopped, or its pool has ended.
    Stopped,
}

impl fmt::Debug for Computer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Computer")
            .field("pool", &self.pool)
            .finish_non_exhaustive()
    }
}

/// Cancels its token when it is dropped: when the future that holds it ends, or is dropped.
struct CancelOnDrop(CancellationToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Computer {
    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// If the number of jobs makes no sense.
    pub fn start(jobs: Jobs, work: Arc<Work>, counters: Arc<Counters>) -> Result<Self, BuildError> {
        let detached = Arc::clone(&counters);
        let pool = Pool::builder()
            .jobs(jobs)
            .thread_name(|index| format!("compute-{index}"))
            // A thread of tokio never computes, and the work never blocks. So there are as many
            // computing threads as jobs, and never more.
            .guests(false)
            .spares(false)
            // The panic of a job without a request any more. Those of other jobs arrive at their
            // handles.
            .panic_handler(move |_payload| detached.jobs_panicked.add_one())
            .build()?;
        Ok(Computer {
            pool,
            work,
            counters,
        })
    }

    /// Does the work for an upload. If the returned future is dropped, a job that no thread has
    /// begun never runs, and any other stops at its next look at the token.
    ///
    /// The admission is the job's, not the future's. A job that still runs after its client has
    /// gone counts until it has stopped. Otherwise clients that come and go could fill the pool.
    pub async fn compute(&self, upload: Bytes, admission: Admission) -> Result<Digest, Failure> {
        let token = CancellationToken::new();
        let _stop = CancelOnDrop(token.clone());
        let work = Arc::clone(&self.work);
        let counters = Arc::clone(&self.counters);
        let job = move || {
            let _admission = admission;
            counters.jobs_begun.add_one();
            let result = work(&upload, &token);
            match result {
                Ok(_) => counters.jobs_finished.add_one(),
                Err(Stopped) => counters.jobs_stopped.add_one(),
            }
            result
        };
        match self.pool.spawn(job).abort_on_drop().await {
            Ok(Ok(digest)) => Ok(digest),
            Ok(Err(Stopped)) => Err(Failure::Stopped),
            Err(JoinError::Panicked(_)) => {
                self.counters.jobs_panicked.add_one();
                Err(Failure::Panicked)
            }
            Err(JoinError::Cancelled | JoinError::Shutdown) => Err(Failure::Stopped),
        }
    }

    /// How many jobs run at once.
    pub fn jobs(&self) -> usize {
        self.pool.jobs()
    }

    /// What the pool has done so far.
    pub fn stats(&self) -> Stats {
        self.pool.stats()
    }

    /// Waits until all jobs have ended, and ends the threads. Call it outside of async code: it
    /// blocks.
    ///
    /// # Errors
    ///
    /// On a thread of the pool.
    pub fn shutdown(self) -> Result<(), drumline::ShutdownError> {
        self.pool.shutdown()
    }
}
