//! The count of a scope's jobs in the model checker.

// As in `models`: a planted deadlock drops it while it unwinds, outside of the model.
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::{JobCount, Sleeper};
use crate::sync::plant::{Plant, must_catch};
use crate::wait::Parker;

/// A scope with a thread that waits for it.
struct Scope {
    count: JobCount,
    parker: Parker,
    /// A job in a list that the waiter can see or miss: no lock orders the two threads.
    list: AtomicUsize,
    /// What the job of the other thread leaves, as plain memory.
    result: UnsafeCell<u32>,
}

// SAFETY: the cell is handed over by the count; loom checks every access.
unsafe impl Send for Scope {}
// SAFETY: as for `Send`.
unsafe impl Sync for Scope {}

impl Scope {
    /// With one job, which another thread runs.
    fn new() -> Arc<Self> {
        let scope = Scope {
            count: JobCount::new(),
            parker: Parker::new(),
            list: AtomicUsize::new(0),
            result: UnsafeCell::new(0),
        };
        scope.count.add(1);
        Arc::new(scope)
    }

    /// The other thread's job has been run.
    fn complete(&self) {
        if self.count.step(1)
            && let Some(sleeper) = self.count.take_sleeper()
        {
            // SAFETY: the parker is in the scope.
            unsafe { sleeper.wake() };
        }
    }
}

/// The last job ends while the wait names its sleeper: it is woken if, and only if, `watch` says
/// so.
fn last_job_against_watch() {
    loom::model(|| {
        let scope = Scope::new();
        let job = Arc::clone(&scope);
        let runner = thread::spawn(move || {
            // SAFETY: loom checks that no other thread is here.
            job.result.with_mut(|result| unsafe { *result = 1 });
            job.complete();
        });
        if !scope.count.step(1) && scope.count.watch(Sleeper::Member(&scope.parker)) {
            scope.parker.park();
        }
        assert!(scope.count.is_done());
        // SAFETY: as above.
        assert_eq!(scope.result.with(|result| unsafe { *result }), 1);
        runner.join().unwrap();
    });
}

/// A thread that is not counted counts itself in while the last job ends, and leaves something.
fn late_comer() {
    loom::model(|| {
        let scope = Scope::new();
        let job = Arc::clone(&scope);
        let late = thread::spawn(move || {
            if job.count.try_add() {
                // SAFETY: loom checks that no other thread is here.
                job.result.with_mut(|result| unsafe { *result = 1 });
                job.complete();
                1
            } else {
                0
            }
        });
        let job = Arc::clone(&scope);
        let runner = thread::spawn(move || job.complete());
        if !scope.count.step(1) && scope.count.watch(Sleeper::Member(&scope.parker)) {
            scope.parker.park();
        }
        assert!(scope.count.is_done());
        // SAFETY: as above.
        let seen = scope.result.with(|result| unsafe { *result });
        assert_eq!(seen, late.join().unwrap());
        runner.join().unwrap();
    });
}

#[test]
fn loom_job_count_late_comer() {
    late_comer();
    must_catch(Plant::ScopeAddsLate, late_comer);
}

#[test]
fn loom_job_count_last_job_against_watch() {
    last_job_against_watch();
}

#[test]
fn loom_plants_job_count_last_job_against_watch() {
    for plant in [Plant::ScopeWakesNone, Plant::ScopeWatchTwoSteps] {
        must_catch(plant, last_job_against_watch);
    }
}

/// A job adds another one, which only the waiter can run, while the waiter falls asleep.
fn added_against_watch() {
    loom::model(|| {
        let scope = Scope::new();
        let job = Arc::clone(&scope);
        let runner = thread::spawn(move || {
            job.count.add(1);
            job.list.store(1, Ordering::Relaxed);
            // SAFETY: this job is counted, and the parker is in the scope.
            unsafe { job.count.rouse(true) };
            job.complete();
        });
        let mut is_done = scope.count.step(1);
        let mut is_watched = false;
        while !is_done {
            // A load and a store: to loom, a swap could find what it has stored itself.
            if scope.list.load(Ordering::Relaxed) > 0 {
                scope.list.store(0, Ordering::Relaxed);
                is_done = scope.count.step(1);
            } else if is_watched {
                scope.parker.park();
                is_done = scope.count.is_done();
            } else {
                is_watched = scope.count.watch(Sleeper::Member(&scope.parker));
                is_done = !is_watched;
            }
        }
        runner.join().unwrap();
    });
}

#[test]
fn loom_job_count_added_against_watch() {
    added_against_watch();
}

#[test]
fn loom_plants_job_count_added_against_watch() {
    must_catch(Plant::RouseUnfenced, added_against_watch);
}
