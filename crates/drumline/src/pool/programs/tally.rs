//! How often each job was begun, and what has not been dropped.
//!
//! With the standard library's atomics and locks: between two steps of shuttle
//! a thread is alone.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::program::Program;

/// The jobs of one call, and those that are never joined.
#[derive(Clone)]
pub(super) struct Tally {
    call: Arc<Counts>,
    /// Those that may outlive the call, of the whole pool.
    detached: Arc<Counts>,
}

#[derive(Default)]
pub(super) struct Counts {
    /// Closures and values that have not been dropped.
    alive: AtomicUsize,
    jobs: Mutex<Vec<Begun>>,
    /// Panics that the pool's handler must be told, and that it was told.
    panics: AtomicUsize,
    reports: AtomicUsize,
    /// Locks that the programs of a pool have in common, each for one depth.
    locks: [shuttle::sync::RwLock<u64>; 5],
}

struct Begun {
    times: usize,
    /// Whether it has to be begun at all.
    must: bool,
}

impl Counts {
    /// Everything is gone, and was begun once.
    pub(super) fn check(&self) {
        assert_eq!(self.alive.load(Ordering::SeqCst), 0, "leaks");
        for (number, job) in self.jobs.lock().unwrap().iter().enumerate() {
            let fine = if job.must { 1..2 } else { 0..2 };
            assert!(fine.contains(&job.times), "{number}: {} times", job.times);
        }
        let panics = self.panics.load(Ordering::SeqCst);
        assert_eq!(self.reports.load(Ordering::SeqCst), panics, "reports");
    }

    /// Whether nothing is left to be run or dropped or reported.
    pub(super) fn is_settled(&self) -> bool {
        let panics = self.panics.load(Ordering::SeqCst);
        self.alive.load(Ordering::SeqCst) == 0 && self.reports.load(Ordering::SeqCst) == panics
    }

    /// The pool reports a panic.
    pub(super) fn report(&self) {
        self.reports.fetch_add(1, Ordering::SeqCst);
    }
}

impl Tally {
    /// For a call into a pool. `detached` counts the detached tasks of that pool.
    pub(super) fn new(detached: &Arc<Counts>) -> Self {
        Tally {
            call: Arc::default(),
            detached: Arc::clone(detached),
        }
    }

    /// For a task that runs `program` and is never joined.
    pub(super) fn detached(&self, program: &Program) -> Self {
        if program.expected().is_err() {
            self.detached.panics.fetch_add(1, Ordering::SeqCst);
        }
        Tally::of_detached(&self.detached)
    }

    fn of_detached(detached: &Arc<Counts>) -> Self {
        Tally {
            call: Arc::clone(detached),
            detached: Arc::clone(detached),
        }
    }

    /// A job that must be begun once.
    pub(super) fn job(&self) -> Job {
        self.job_if(true)
    }

    /// A job that may be begun once, and with `must`, must be.
    pub(super) fn job_if(&self, must: bool) -> Job {
        self.call.alive.fetch_add(1, Ordering::SeqCst);
        let mut jobs = self.call.jobs.lock().unwrap();
        jobs.push(Begun { times: 0, must });
        Job {
            tally: self.clone(),
            number: jobs.len() - 1,
        }
    }

    /// The locks of the pool's programs.
    pub(super) fn locks(&self) -> &[shuttle::sync::RwLock<u64>] {
        &self.detached.locks
    }

    /// The call has returned.
    pub(super) fn check(&self) {
        self.call.check();
    }
}

/// What the closure of a job owns.
pub(super) struct Job {
    tally: Tally,
    number: usize,
}

impl Job {
    /// The job begins.
    pub(super) fn begin(&self) -> &Tally {
        self.tally.call.jobs.lock().unwrap()[self.number].times += 1;
        &self.tally
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.tally.call.alive.fetch_sub(1, Ordering::SeqCst);
    }
}
