//! Workers that are called to help: they have a place before they have woken up.
//!
//! In each model a thread's work must be taken by another one, so that loom reports a wake-up that
//! is lost as a deadlock.

use super::explore;
use super::pool::{Hidden, Pool};
use crate::sync::plant::{Plant, must_catch};

impl Pool {
    /// An active thread sees more work than the searcher will take.
    fn call_helper(&self) {
        self.wake(self.idle_set.call_helper());
    }
}

/// A guest calls a helper before there is anything to do, whatever its workers do just then: watch,
/// mark, scan, sleep. A helper that finds nothing gives its place back. Then the guest pushes, and
/// never calls the runtime again.
fn called_too_early() {
    let pool = Pool::new(3, 2, 1);
    let workers = Pool::start(&pool);
    let hidden = Hidden::new();
    pool.enter(2);
    pool.call_helper();
    hidden.join(&pool, 2);
    pool.leave(2);
    workers.end(&pool);
}

#[test]
fn loom_helper_called_too_early() {
    explore(1, called_too_early);
}

#[test]
fn loom_plants_helper_called_too_early() {
    must_catch(Plant::CallUnseen, || explore(1, called_too_early));
}

/// A worker is called to help and gets a job that only it can do, and pushes in it: nothing was in
/// use while it slept, so its deque need not have carried the mark.
fn called_and_sent_for() {
    let pool = Pool::with_errand(3, 2, 0, |pool, me| {
        Hidden::new().join(pool, me);
        pool.done.unpark();
    });
    let workers = Pool::start(&pool);
    pool.call_helper();
    pool.send(0);
    pool.done.park();
    workers.end(&pool);
}

#[test]
fn loom_helper_called_and_sent_for() {
    explore(1, called_and_sent_for);
}
