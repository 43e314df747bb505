//! The end of a pool: everything queued is done, every worker ends.

use std::sync::Arc;

use loom::thread;

use super::pool::{Hidden, Pool};
use super::shape::Shape;
use super::{Task, explore};
use crate::sync::plant::{Plant, must_catch};
use crate::wait::Parker;

/// A job is queued and the pool closed at once, against workers that arrive,
/// watch, take, become_idle or prepare_park.
fn queued(workers: usize) {
    let pool = Pool::new(workers, workers, 0);
    let threads = Pool::start(&pool);
    let task = Arc::new(Task::new());
    pool.inject(task.clone());
    threads.end(&pool);
    task.assert_once();
}

#[test]
fn loom_queued_job_is_done() {
    explore(3, || queued(1));
    explore(1, || queued(2));
}

#[test]
fn loom_plants_queued_job_is_done() {
    for plant in [Plant::EndsWithWork, Plant::EndForgotten] {
        must_catch(plant, || explore(3, || queued(1)));
    }
}

/// The pool is closed while all its workers sleep, or are about to. Only `close` itself can end it.
fn asleep() {
    let pool = Pool::new(2, 2, 0);
    let threads = Pool::start(&pool);
    threads.end(&pool);
}

#[test]
fn loom_sleepers_end() {
    explore(2, asleep);
}

#[test]
fn loom_plants_sleepers_end() {
    must_catch(Plant::EndForgotten, || explore(2, asleep));
}

/// One thread closes the pool while another is in it as a guest, with work that a worker must take.
/// The pool ends after the guest has left.
fn guest_inside() {
    let pool = Pool::new(2, 1, 1);
    let threads = Pool::start(&pool);
    pool.enter(1);
    let closer = thread::spawn({
        let pool = pool.clone();
        move || pool.close()
    });
    Hidden::new().join(&pool, 1);
    pool.leave(1);
    closer.join().unwrap();
    threads.join();
}

#[test]
fn loom_guest_inside() {
    explore(1, guest_inside);
}

#[test]
fn loom_plants_guest_inside() {
    must_catch(Plant::EndForgotten, || explore(1, guest_inside));
}

/// One thread drops the handle, with a pool that may be at rest. Another one begins something that
/// does not end before the handle is dropped. The worker may still be on its way.
fn dropped_while(pool: &Arc<Pool>, begins: impl FnOnce(&Arc<Parker>)) {
    let dropped = Arc::new(Parker::new());
    let threads = Pool::start(pool);
    let dropper = thread::spawn({
        let (pool, dropped) = (pool.clone(), dropped.clone());
        move || {
            pool.drop_handle();
            dropped.unpark();
        }
    });
    begins(&dropped);
    dropper.join().unwrap();
    threads.join();
}

/// A guest comes in, before or after, and stays.
fn guest_that_waits_for_the_drop() {
    let pool = Pool::new(2, 1, 1);
    dropped_while(&pool, |dropped| {
        pool.enter(1);
        pool.disturb_end();
        dropped.park();
        pool.leave(1);
    });
}

/// A member for good spawns a job, which a worker or the member runs.
fn job_that_waits_for_the_drop() {
    let pool = Pool::new(2, 1, 1);
    pool.add_member(1);
    dropped_while(&pool, |dropped| {
        pool.spawn(1, Arc::new(Task::waiting_for(dropped)));
    });
}

/// A worker that comes late has a handler to run.
fn handler_that_waits_for_the_drop() {
    let pool = Pool::shaped(Shape {
        places: 2,
        workers: 1,
        entry: Some(|pool, _| pool.done.park()),
        ..Shape::FIXED
    });
    dropped_while(&pool, |dropped| {
        dropped.park();
        pool.done.unpark();
    });
}

#[test]
fn loom_a_drop_does_not_wait_for_the_program() {
    explore(2, guest_that_waits_for_the_drop);
    explore(2, job_that_waits_for_the_drop);
    explore(2, handler_that_waits_for_the_drop);
}

#[test]
fn loom_plants_a_drop_does_not_wait_for_the_program() {
    must_catch(Plant::RestAssumed, || {
        explore(2, guest_that_waits_for_the_drop);
    });
    for model in [
        guest_that_waits_for_the_drop,
        job_that_waits_for_the_drop,
        handler_that_waits_for_the_drop,
    ] {
        must_catch(Plant::DropUndisturbed, move || explore(2, model));
    }
}

/// A member for good spawns a job, and does something else, while another thread closes the pool.
fn member_against_close(then: impl FnOnce(&Pool)) {
    let pool = Pool::new(2, 1, 1);
    let threads = Pool::start(&pool);
    pool.add_member(1);
    let closer = thread::spawn({
        let pool = pool.clone();
        move || pool.close()
    });
    let task = Arc::new(Task::new());
    pool.spawn(1, task.clone());
    then(&pool);
    closer.join().unwrap();
    threads.join();
    task.assert_once();
}

/// A worker does the job before it ends, or the member does it.
fn member_spawns() {
    member_against_close(|_| ());
}

#[test]
fn loom_member_spawns_at_the_end() {
    explore(2, member_spawns);
}

#[test]
fn loom_plants_member_spawns_at_the_end() {
    for plant in [Plant::MemberUnasked, Plant::CloseUnfenced] {
        must_catch(plant, || explore(2, member_spawns));
    }
}

/// The member takes its job back, as `ScopeState::recall` takes tickets: the pool ends, although
/// the job may have been all that kept it open.
fn member_takes_back() {
    member_against_close(|pool| {
        let Some(task) = pool.take_queued() else {
            return;
        };
        task.run();
        if pool.idle_set.is_closed() && pool.idle_set.begin_call() {
            pool.wake(pool.idle_set.end_call(&|| pool.has_work()));
        }
    });
}

#[test]
fn loom_member_takes_back() {
    explore(2, member_takes_back);
}

#[test]
fn loom_plants_member_takes_back() {
    for plant in [Plant::ClosedUnasked, Plant::CloseUnfenced] {
        must_catch(plant, || explore(2, member_takes_back));
    }
}

/// A guest leaves behind a spawned job and the pool is closed: the job is done.
fn left_behind() {
    let pool = Pool::new(1, 1, 1);
    let threads = Pool::start(&pool);
    let task = Arc::new(Task::new());
    pool.enter(1);
    pool.spawn(1, task.clone());
    pool.leave(1);
    threads.end(&pool);
    task.assert_once();
}

#[test]
fn loom_spawned_job_is_done() {
    explore(2, left_behind);
}

#[test]
fn loom_plants_spawned_job_is_done() {
    must_catch(Plant::EndsWithWork, || explore(2, left_behind));
}
