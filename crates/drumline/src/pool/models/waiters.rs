//! Threads that wait and would run any job, where no other thread is left: they
//! are woken for what comes.

use std::sync::Arc;

use loom::thread;

use super::pool::Pool;
use super::shape::Shape;
use super::{Task, explore};
use crate::pool::idle::Absence;
use crate::sync::plant::{Plant, must_catch};
use crate::sync::planted;

/// As `pool::waiting` does with `WaitPolicy::Steal`.
impl Pool {
    /// Sleeps, ready to run any job that it is woken for. `is_done`: whether it
    /// has something else to do when it is awake.
    fn sleep_to_steal(&self, seat: usize, is_done: bool) {
        let why = Absence::Steals;
        self.wake(self.idle_set.rest(seat, why, &|| self.has_work()));
        self.park(seat);
        self.wake(self.idle_set.come_back(seat, why));
        if is_done && self.has_work() && !planted!(StealerKeepsCall) {
            self.wake(self.idle_set.summon());
        }
    }

    /// Waits until it has run a job of the pool.
    fn steal_one(&self, seat: usize) {
        loop {
            if let Some(task) = self.take_queued() {
                return task.run();
            }
            self.sleep_to_steal(seat, false);
        }
    }
}

/// No worker is there, and none may be started: a thread that waits and would run
/// anything is woken for what comes from outside, or from another guest.
fn waiter_is_called() {
    let pool = Pool::shaped(Shape {
        places: 2,
        others: 2,
        ..Shape::FIXED
    });
    let workers = Pool::start(&pool);
    let tasks = [(); 2].map(|()| Arc::new(Task::new()));
    pool.enter(0);
    let outside = thread::spawn({
        let (pool, task) = (pool.clone(), tasks[0].clone());
        move || pool.inject(task)
    });
    pool.steal_one(0);
    outside.join().unwrap();
    let guest = thread::spawn({
        let (pool, task) = (pool.clone(), tasks[1].clone());
        move || {
            pool.enter(1);
            pool.spawn(1, task);
            pool.leave(1);
        }
    });
    pool.steal_one(0);
    guest.join().unwrap();
    pool.leave(0);
    workers.end(&pool);
    for task in tasks {
        task.assert_once();
    }
}

#[test]
fn loom_waiter_is_called() {
    explore(2, waiter_is_called);
}

#[test]
fn loom_plants_waiter_is_called() {
    for plant in [Plant::StealerNotCalled, Plant::NoHeavyBarrier] {
        must_catch(plant, || explore(2, waiter_is_called));
    }
}

/// Two wait. The one that is called for a job has something else to do by then,
/// and needs that job to be done: it passes the call on.
fn call_is_passed_on() {
    let pool = Pool::shaped(Shape {
        places: 2,
        others: 2,
        ..Shape::FIXED
    });
    let workers = Pool::start(&pool);
    let task = Arc::new(Task::new());
    pool.enter(0);
    let other = thread::spawn({
        let pool = pool.clone();
        move || {
            pool.enter(1);
            pool.steal_one(1);
            pool.done.unpark();
            pool.leave(1);
        }
    });
    let outside = thread::spawn({
        let (pool, task) = (pool.clone(), task.clone());
        move || {
            pool.inject(task);
            pool.unpark(0);
        }
    });
    pool.sleep_to_steal(0, true);
    pool.done.park();
    pool.leave(0);
    other.join().unwrap();
    outside.join().unwrap();
    workers.end(&pool);
    task.assert_once();
}

#[test]
fn loom_call_is_passed_on() {
    explore(2, call_is_passed_on);
}

#[test]
fn loom_plants_call_is_passed_on() {
    must_catch(Plant::StealerKeepsCall, || explore(2, call_is_passed_on));
}
