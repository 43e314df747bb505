//! Workers that are called to help: they have a place before they have woken up.
//!
//! In each model a thread's work must be taken by another one, so that loom reports a wake-up that
//! is lost as a deadlock.

use loom::thread;

use super::explore;
use super::pool::{Hidden, Pool};
use super::shape::Shape;
use crate::pool::idle::{Wake, WorkerPolicy};
use crate::sync::plant::{Plant, must_catch};

impl Pool {
    /// An active thread sees more work than the searcher will take.
    fn call_helpers(&self, count: usize) {
        for helper in self.idle_set.call_helpers(count) {
            self.wake(Wake::One(helper));
        }
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
    pool.call_helpers(1);
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

/// Both workers are called at once, under one lock, whatever they do just then. One of them, or the
/// marks, must see to what the guest pushes afterwards, and to what a helper pushes.
fn two_called_at_once() {
    let pool = Pool::new(4, 2, 1);
    let workers = Pool::start(&pool);
    let hidden = Hidden::new();
    pool.enter(2);
    pool.call_helpers(2);
    hidden.join(&pool, 2);
    pool.leave(2);
    workers.end(&pool);
}

#[test]
fn loom_helpers_two_called_at_once() {
    explore(1, two_called_at_once);
}

#[test]
fn loom_plants_helpers_two_called_at_once() {
    must_catch(Plant::CallUnseen, || explore(1, two_called_at_once));
}

/// A worker is called to help and gets a job that only it can do, and pushes in it: nothing was in
/// use while it slept, so its deque need not have carried the mark.
fn called_and_sent_for() {
    let pool = Pool::with_errand(3, 2, 0, |pool, me| {
        Hidden::new().join(pool, me);
        pool.done.unpark();
    });
    let workers = Pool::start(&pool);
    pool.call_helpers(1);
    pool.send(0);
    pool.done.park();
    workers.end(&pool);
}

#[test]
fn loom_helper_called_and_sent_for() {
    explore(1, called_and_sent_for);
}

/// The monitor takes the places of two threads that stand still. One of them goes on, and calls a
/// helper just then. The only idle worker is the monitor. It has to be the searcher: its next job,
/// which only it can do, waits for what that thread pushed, so a spare has to take that.
fn called_beside_the_monitor() {
    let pool = Pool::shaped(Shape {
        places: 2,
        workers: 1,
        others: 2,
        spares: 1,
        worker_policy: WorkerPolicy {
            max_workers: 2,
            monitored: true,
        },
        errand: |pool, _| pool.done.park(),
        ..Shape::FIXED
    });
    pool.enter(1);
    pool.enter(2);
    let hidden = Hidden::new();
    let slot = hidden.push(&pool, 2);
    pool.stand_still(1);
    pool.stand_still(2);
    let workers = Pool::start(&pool);
    thread::yield_now();
    pool.call_helpers(1);
    pool.send(0);
    hidden.wait();
    pool.done.unpark();
    assert!(!pool.settle(2, slot), "another thread has run it");
    pool.leave(2);
    pool.leave(1);
    workers.end(&pool);
}

#[test]
fn loom_helper_called_beside_the_monitor() {
    explore(1, called_beside_the_monitor);
}

#[test]
fn loom_plants_helper_called_beside_the_monitor() {
    must_catch(Plant::MonitorHelps, || {
        explore(1, called_beside_the_monitor)
    });
}
