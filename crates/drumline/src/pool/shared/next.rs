//! What a thread does right after the job that it runs has been reported as done.
//!
//! A thread that takes a part of a loop hands it over to the threads that share the loop, and
//! takes part itself. The owner of the entry waits for the former only.

use std::cell::Cell;

use crate::job::JobRef;
use crate::sync::per_thread;

per_thread! {
    static NEXT: Cell<Option<JobRef>> = const { Cell::new(None) };
}

/// The calling thread runs `job` once the stolen job that it runs now has been reported as done.
///
/// `job` must be such that it may be run wherever the stolen one is.
pub(crate) fn do_next(job: JobRef) {
    let before = NEXT.with(|next| next.replace(Some(job)));
    debug_assert!(before.is_none(), "a stolen job leaves one job at most");
}

/// Runs what the last job left.
pub(crate) fn run_next() {
    if let Some(job) = take_next() {
        // SAFETY: put there once, by the maker of the job, and taken out.
        unsafe { job.run() };
    }
}

/// Takes what the last job left; to be run.
pub(crate) fn take_next() -> Option<JobRef> {
    NEXT.with(Cell::take)
}
