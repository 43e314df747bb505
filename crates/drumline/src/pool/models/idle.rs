//! The idle set: no lost wake-up.
//!
//! Each model has a thread with work that another thread must take. If all threads sleep instead,
//! loom reports the deadlock.

use super::pool::{Hidden, Pool};
use super::{Task, explore};
use crate::job::Header;
use crate::sync::plant::{Plant, must_catch};

/// A guest pushes once and never calls the runtime again, while the one worker
/// arrives, watches, marks, scans, sleeps.
fn one_worker() {
    let pool = Pool::new(2, 1, 1);
    let workers = Pool::start(&pool);
    let hidden = Hidden::new();
    pool.enter(1);
    hidden.join(&pool, 1);
    pool.leave(1);
    workers.end(&pool);
}

#[test]
fn loom_one_worker() {
    explore(2, one_worker);
}

#[test]
fn loom_plants_one_worker() {
    for plant in [
        Plant::NoHeavyBarrier,
        Plant::LimitBeforeEntry,
        Plant::AdmitUnmarked,
        Plant::EntersUnlisted,
        Plant::ParksUnmarked,
        Plant::ScanBeforeMark,
        Plant::EnqueueSleeps,
    ] {
        must_catch(plant, || explore(2, one_worker));
    }
}

/// The same with two workers: lowest number first, searchers that are deposed,
/// a searcher that is called while it prepares to park.
fn two_workers() {
    let pool = Pool::new(2, 2, 1);
    let workers = Pool::start(&pool);
    let hidden = Hidden::new();
    pool.enter(2);
    hidden.join(&pool, 2);
    pool.leave(2);
    workers.end(&pool);
}

#[test]
fn loom_two_workers() {
    explore(1, two_workers);
}

/// A searcher that takes work names its successor, or marks before it begins. The job that it runs
/// lasts until another thread has run a second job, which was pushed before or after.
fn successor() {
    /// A job that waits for another one.
    #[repr(C)]
    struct Long {
        header: Header,
        task: Task,
        other: std::sync::Arc<Hidden>,
        ended: crate::wait::Parker,
    }

    /// # Safety
    ///
    /// `data` is a `Long` that is alive.
    unsafe fn run_at(data: *const ()) {
        // SAFETY: the caller's obligation.
        let long = unsafe { &*data.cast::<Long>() };
        long.other.wait();
        long.task.run();
        long.ended.unpark();
    }

    let pool = Pool::new(3, 2, 1);
    let workers = Pool::start(&pool);
    let long = Long {
        header: Header::new(run_at),
        task: Task::new(),
        other: Hidden::new(),
        ended: crate::wait::Parker::new(),
    };
    pool.enter(2);
    let first = pool.push(2, std::ptr::from_ref(&long).cast());
    let second = long.other.push(&pool, 2);
    // Without calling the runtime.
    long.ended.park();
    assert!(!pool.settle(2, second), "another thread has run it");
    assert!(!pool.settle(2, first), "another thread has run it");
    long.task.assert_once();
    pool.leave(2);
    workers.end(&pool);
}

#[test]
fn loom_successor() {
    explore(0, successor);
}

#[test]
fn loom_plants_successor() {
    must_catch(Plant::TakeAlone, || explore(0, successor));
}

/// A worker gets a job that only it can do, and pushes in it: while it slept
/// its deque was not in use and need not have carried the mark.
///
/// Found when this model was written: `begin` admitted the deque unmarked.
fn errand() {
    let pool = Pool::with_errand(2, 2, 0, |pool, me| {
        Hidden::new().join(pool, me);
        pool.done.unpark();
    });
    let workers = Pool::start(&pool);
    pool.send(0);
    pool.done.park();
    workers.end(&pool);
}

#[test]
fn loom_errand() {
    explore(1, errand);
}

#[test]
fn loom_plants_errand() {
    must_catch(Plant::BeginUnmarked, || explore(1, errand));
}
