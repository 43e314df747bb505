//! How many jobs of a scope are not done, and which sleeper to wake.
//!
//! # What it owns
//!
//! * The count. The body of the scope counts as one.
//! * The *sleeper* of the scope's wait, under a mutex. The last job wakes it.
//! * The *roused* parker: the same waiter, if it is a member of the pool. A thread that adds a job
//!   wakes it, because the waiter can run the job.
//!
//! ```text
//!   1: the body ──add()──► n ──step()──► … ──► 0: done, for good
//! ```
//!
//! A job is counted before another thread can see it, by a thread that is counted itself. So the
//! count is 0 once. It lives on the heap, and outlives the frame that waits.
//!
//! # The races feared
//!
//! *The last job ends while the wait names its sleeper* (`watch`). The wait looks at the count
//! after it has named the sleeper, under the mutex. The last job takes the mutex after its step. If
//! it is first, the wait sees the step, and takes the name back. Otherwise the last job finds the
//! name. So a sleeper is woken if, and only if, `watch` says so. The gate of a thread outside is in
//! a frame that stays for exactly that case.
//!
//! *A thread counts itself in that is not counted* (`try_add`), while the last job ends. It changes
//! the count from a number above 0, in one step. So either the last job finds that it is not the
//! last, or the thread finds 0 and stays out.
//!
//! *The wait looks for a job, finds none, and falls asleep while a job is added.* It names its
//! parker, and looks for the last time after that. A thread that has added a job looks for the
//! name. Both take the lock of the list of jobs in between, or both run a fence (`rouse`).

use std::ptr;

use super::Sleeper;
use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::sync::{Mutex, barrier, lock, planted};
use crate::wait::Parker;

/// The jobs of a scope that are not done.
pub(crate) struct JobCount {
    pending: AtomicUsize,
    /// The waiting scope.
    sleeper: Mutex<Option<Sleeper>>,
    /// The parker of the waiting scope, for threads that add jobs; or null.
    roused: AtomicPtr<Parker>,
}

impl JobCount {
    /// The body is not done.
    pub(crate) fn new() -> Self {
        JobCount {
            pending: AtomicUsize::new(1),
            sleeper: Mutex::new(None),
            roused: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Counts jobs in. The caller is counted itself.
    pub(crate) fn add(&self, jobs: usize) {
        // Relaxed: what publishes a job is the lock of its list.
        self.pending.fetch_add(jobs, Ordering::Relaxed);
    }

    /// Counts one in, if not all are done. For a caller that is not counted itself.
    #[must_use]
    pub(crate) fn try_add(&self) -> bool {
        // Relaxed, here and below: a thread that is counted in steps out later, and that publishes
        // what it did.
        let mut pending = self.pending.load(Ordering::Relaxed);
        while pending > 0 {
            let added = pending + 1;
            if planted!(ScopeAddsLate) {
                self.pending.fetch_add(1, Ordering::Relaxed);
                return true;
            }
            // Relaxed: as above. On failure: a step that fails is tried anew.
            match self.pending.compare_exchange_weak(
                pending,
                added,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => pending = now,
            }
        }
        false
    }

    /// This many jobs are done. Returns whether they were the last. If so, and the caller is not
    /// the waiter, it must [wake the sleeper](Self::take_sleeper).
    #[must_use]
    pub(crate) fn step(&self, jobs: usize) -> bool {
        // Release publishes what the jobs did to the Acquire of the wait, through all later steps.
        self.pending.fetch_sub(jobs, Ordering::AcqRel) == jobs
    }

    /// Whether all are done.
    pub(crate) fn is_done(&self) -> bool {
        // Acquire pairs with the Release in `step`.
        self.pending.load(Ordering::Acquire) == 0
    }

    /// Names the sleeper to wake. `false`: all are done, and the sleeper will not be woken.
    #[must_use]
    pub(crate) fn watch(&self, sleeper: Sleeper) -> bool {
        let is_pending = {
            let mut named = lock(&self.sleeper);
            *named = Some(sleeper);
            let is_pending = !self.is_done() || planted!(ScopeWatchTwoSteps);
            if !is_pending {
                *named = None;
            }
            is_pending
        };
        #[allow(irrefutable_let_patterns, reason = "under loom there are only members")]
        if is_pending && let Sleeper::Member(parker) = sleeper {
            // Release pairs with the Acquire in `rouse`.
            self.roused.store(parker.cast_mut(), Ordering::Release);
            // Its partner is the fence in `rouse`.
            barrier::fence();
        }
        is_pending
    }

    /// A job has been added: wakes the waiting scope, which can run it. `fenced`: the waiter may
    /// look for the job without having taken a lock after this thread.
    ///
    /// # Safety
    ///
    /// The pool of the scope is alive. The caller is counted, or it has added a job since that is.
    pub(crate) unsafe fn rouse(&self, fenced: bool) {
        if fenced && !planted!(RouseUnfenced) {
            // Its partner is the fence in `watch`.
            barrier::fence();
        }
        // Acquire pairs with the Release in `watch`.
        let roused = self.roused.load(Ordering::Acquire);
        if !roused.is_null() {
            // SAFETY: the parker of a seat of that pool.
            unsafe { &*roused }.unpark();
        }
    }

    /// After the last step: the sleeper to wake. The frame of the scope may be gone, but not this.
    pub(crate) fn take_sleeper(&self) -> Option<Sleeper> {
        let sleeper = lock(&self.sleeper).take();
        sleeper.filter(|_| !planted!(ScopeWakesNone))
    }
}
