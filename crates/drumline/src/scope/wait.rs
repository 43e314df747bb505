//! The end of a scope: waiting for its jobs, and running them meanwhile.

use std::cell::Cell;

use super::job_list::ScopeJob;
use super::state::ScopeState;
use crate::job::JobRef;
use crate::latch::Sleeper;
use crate::pool::waiting::{self, Awaited};
use crate::pool::{Registry, local};
use crate::sync::Arc;
use crate::unwind::Payload;

/// Waits until all jobs of the scope are done; the body already is.
pub(super) fn wait(state: &Arc<ScopeState>, registry: &Registry) {
    let all_done = AllDone {
        state,
        lent: Cell::new(Some(Arc::clone(state))),
        next: Cell::new(None),
        last: Cell::new(None),
        ended: Cell::new(0),
        done: Cell::new(false),
    };
    if local::find(registry).is_some() {
        waiting::wait_in(registry, &all_done);
    } else if registry.has_guests() {
        waiting::wait_as_guest(registry, &all_done);
    } else {
        state.leave_to_others();
        waiting::block_on(&all_done);
    }
}

/// All jobs of a scope.
struct AllDone<'a> {
    state: &'a Arc<ScopeState>,
    /// A reference for the job that runs now, given back by it.
    lent: Cell<Option<Arc<ScopeState>>>,
    /// A job that was begun and is about to be run.
    next: Cell<Option<ScopeJob>>,
    /// What came of the last one, until `take_work` tells the state.
    last: Cell<Option<Result<(), Payload>>>,
    /// How many jobs have been run here that the state still counts.
    ended: Cell<usize>,
    /// Whether `take_work` has found everything done.
    done: Cell<bool>,
}

impl AllDone<'_> {
    /// Runs the job in `next`.
    ///
    /// # Safety
    ///
    /// `data` is an `AllDone` of this thread.
    unsafe fn run_next(data: *const ()) {
        // SAFETY: in a frame of this thread, further out.
        let this = unsafe { &*data.cast::<AllDone<'_>>() };
        let job = this.next.take().expect("put there by `take_work`");
        let state = this.lent.take().expect("one job at a time");
        let (state, outcome) = job.run(state);
        this.lent.set(Some(state));
        this.last.set(Some(outcome));
    }
}

impl Awaited for AllDone<'_> {
    fn is_done(&self) -> bool {
        self.done.get() || self.state.is_done()
    }

    fn take_work(&self, help: &mut dyn FnMut() -> bool) -> Option<JobRef> {
        // The end of the last job and the beginning of the next in one step:
        // only this thread waits for them.
        if let Some(outcome) = self.last.take() {
            self.state.end_own(outcome, &self.ended);
        }
        let own = || self.state.next_own(&self.ended);
        let job = own().or_else(|| {
            if !self.state.others_have_some() {
                return None;
            }
            // What is left of a loop is older than the jobs that the loop has spawned: a thread
            // that takes a half of it spawns the next ones itself, where it else takes them one by
            // one, with all that they own, from the thread that made them.
            let helped = help().then(own).flatten();
            helped.or_else(|| self.state.next_of_others())
        });
        let Some(job) = job else {
            self.done.set(self.state.settle(&self.ended));
            return None;
        };
        self.next.set(Some(job));
        Some(JobRef {
            data: std::ptr::from_ref(self).cast(),
            run: Self::run_next,
        })
    }

    fn any_runner(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool {
        // A change of the set during the look can hide a runner from it; there is a next one, and
        // the end of a job wakes.
        self.state.runners().any(visit)
    }

    fn is_runner(&self, seat: usize) -> bool {
        self.state.runners().contains(seat)
    }

    fn watch(&self, sleeper: Sleeper) -> bool {
        self.state.watch(sleeper)
    }
}
