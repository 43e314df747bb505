//! Work from outside. The thread that brings it takes no lock when that is of no use.

use std::sync::Arc;

use loom::thread;

use super::pool::Pool;
use super::shape::Shape;
use super::{Task, explore};
use crate::sync::plant::{Plant, must_catch, with_alerts};

impl Pool {
    /// As `Worker::nap`, without an end: a call that does not come is a deadlock. Whether `me` was
    /// the searcher.
    pub(super) fn nap(&self, me: usize) -> bool {
        let is_searcher = self.idle_set.prepare_nap(me);
        if is_searcher {
            if !self.has_work() {
                self.park(me);
            }
            self.idle_set.end_nap(me);
        }
        is_searcher
    }
}

/// The searcher is about to nap when a job comes: it sees the job, or is called.
fn into_a_nap() {
    let pool = Pool::shaped(Shape {
        places: 1,
        workers: 1,
        naps: 1,
        ..Shape::FIXED
    });
    let workers = Pool::start(&pool);
    let tasks = [(); 2].map(|()| Arc::new(Task::new()));
    for task in &tasks {
        pool.inject(Arc::clone(task));
        pool.done.park();
    }
    // The nap, if it has not begun yet, ends some time.
    pool.unpark(0);
    workers.end(&pool);
    for task in tasks {
        task.assert_once();
    }
}

#[test]
fn loom_job_comes_into_a_nap() {
    with_alerts(|| explore(3, into_a_nap));
}

#[test]
fn loom_plants_job_comes_into_a_nap() {
    for plant in [Plant::NapUnannounced, Plant::AlertUnfenced] {
        must_catch(plant, || with_alerts(|| explore(3, into_a_nap)));
    }
}

/// A guest has the only place when a job comes, and leaves: it sees the job, or the thread that has
/// queued the job sees that the place is free.
fn place_becomes_free() {
    let pool = Pool::new(1, 1, 1);
    let workers = Pool::start(&pool);
    let task = Arc::new(Task::new());
    pool.enter(1);
    let outside = thread::spawn({
        let (pool, task) = (pool.clone(), task.clone());
        move || pool.inject(task)
    });
    pool.leave(1);
    pool.done.park();
    outside.join().unwrap();
    workers.end(&pool);
    task.assert_once();
}

#[test]
fn loom_job_comes_when_a_place_becomes_free() {
    with_alerts(|| explore(3, place_becomes_free));
}

#[test]
fn loom_plants_job_comes_when_a_place_becomes_free() {
    for plant in [Plant::SettledTooLong, Plant::AlertUnfenced] {
        must_catch(plant, || with_alerts(|| explore(3, place_becomes_free)));
    }
}
