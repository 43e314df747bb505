//! Threads that block: their places go to others, and come back.
//!
//! Each model has a thread that blocks. Only another thread can do its work, or the work that it
//! waits for. That thread has to be started, woken, or given a place. If that does not happen, loom
//! reports the deadlock. At the end of each model the idle set must have counted right.

use std::sync::Arc;

use loom::thread;

use super::pool::{Hidden, Pool};
use super::shape::Shape;
use super::{Task, explore};
use crate::pool::idle::WorkerPolicy;
use crate::sync::plant::{Plant, must_catch};
use crate::wait::Parker;

/// One place. A thread that blocks without a word is found out.
const MONITORED: Shape = Shape {
    places: 1,
    others: 1,
    spares: 1,
    worker_policy: WorkerPolicy {
        max_workers: 1,
        monitored: true,
    },
    ..Shape::FIXED
};

/// Two places. A thread that blocks says so.
const UNMONITORED: Shape = Shape {
    places: 2,
    others: 2,
    spares: 1,
    worker_policy: WorkerPolicy {
        max_workers: 1,
        monitored: false,
    },
    ..Shape::FIXED
};

/// The only place is that of a guest, which pushes and blocks. There is no other thread. A spare is
/// started for what the guest pushed.
fn started() {
    let pool = Pool::shaped(Shape {
        places: 1,
        others: 1,
        ..UNMONITORED
    });
    let workers = Pool::start(&pool);
    pool.enter(0);
    Hidden::new().join_with(&pool, 0, Hidden::wait_blocked);
    pool.leave(0);
    workers.end(&pool);
}

#[test]
fn loom_spare_is_hired() {
    explore(2, started);
}

#[test]
fn loom_plants_spare_is_hired() {
    must_catch(Plant::SpareNotStarted, || explore(2, started));
}

/// A guest blocks until another's second half has been run, which is pushed
/// before, meanwhile or after: the marks that the first leaves on its way are
/// all that can call a spare.
fn marks_left() {
    let pool = Pool::shaped(UNMONITORED);
    let workers = Pool::start(&pool);
    let other = Arc::new(Parker::new());
    pool.enter(1);
    let blocked = thread::spawn({
        let (pool, other) = (pool.clone(), other.clone());
        move || {
            pool.block(1);
            other.park();
            pool.unblock(1);
            pool.leave(1);
        }
    });
    // All places are taken, so that its deque has no mark yet.
    pool.enter(0);
    // Silent, and there is no monitor: it keeps its place.
    Hidden::new().join(&pool, 0);
    other.unpark();
    pool.leave(0);
    blocked.join().unwrap();
    workers.end(&pool);
}

#[test]
fn loom_blocked_leaves_marks() {
    explore(1, marks_left);
}

#[test]
fn loom_plants_blocked_leaves_marks() {
    for plant in [
        Plant::FreedUnmarked,
        Plant::AdmitUnmarked,
        Plant::NoHeavyBarrier,
        Plant::LimitBeforeEntry,
    ] {
        must_catch(plant, || explore(1, marks_left));
    }
}

/// The same with work that comes from a thread outside.
fn injected() {
    let pool = Pool::shaped(Shape {
        places: 1,
        others: 1,
        ..UNMONITORED
    });
    let workers = Pool::start(&pool);
    let task = Arc::new(Task::new());
    let outside = thread::spawn({
        let (pool, task) = (pool.clone(), task.clone());
        move || pool.inject(task)
    });
    pool.enter(0);
    pool.block(0);
    pool.done.park();
    pool.unblock(0);
    pool.leave(0);
    outside.join().unwrap();
    workers.end(&pool);
    task.assert_once();
}

#[test]
fn loom_work_from_outside_is_done() {
    explore(1, injected);
}

#[test]
fn loom_plants_work_from_outside_is_done() {
    must_catch(Plant::SpareNotStarted, || explore(1, injected));
}

/// A pool gets a further place while all are taken: what is pushed before or
/// after calls a spare.
///
/// Not only workers in the idle set are called.
fn resized() {
    let pool = Pool::shaped(Shape {
        places: 1,
        others: 1,
        ..UNMONITORED
    });
    let workers = Pool::start(&pool);
    pool.enter(0);
    let outside = thread::spawn({
        let pool = pool.clone();
        move || pool.wake(pool.idle_set.set_places(2, &|| pool.has_work()))
    });
    Hidden::new().join(&pool, 0);
    pool.leave(0);
    outside.join().unwrap();
    workers.end(&pool);
}

#[test]
fn loom_further_place_is_used() {
    explore(2, resized);
}

#[test]
fn loom_plants_further_place_is_used() {
    must_catch(Plant::SetPlacesWakesNobody, || explore(2, resized));
}

/// The last place is taken, and its thread blocks without a word. The monitor is started on
/// evidence: a push that meets the mark.
fn found_out() {
    let pool = Pool::shaped(MONITORED);
    let workers = Pool::start(&pool);
    pool.enter(0);
    Hidden::new().join_with(&pool, 0, Hidden::wait_stuck);
    pool.leave(0);
    workers.end(&pool);
}

#[test]
fn loom_monitor_is_hired() {
    explore(2, found_out);
}

#[test]
fn loom_plants_monitor_is_hired() {
    must_catch(Plant::NoMonitor, || explore(2, found_out));
}

/// The same where a worker is in the idle set: it is the monitor, leaves when
/// nothing is to be done, and must be called back.
fn called_back() {
    let pool = Pool::shaped(Shape {
        workers: 1,
        spares: 0,
        ..MONITORED
    });
    let workers = Pool::start(&pool);
    pool.enter(1);
    Hidden::new().join_with(&pool, 1, Hidden::wait_stuck);
    pool.leave(1);
    workers.end(&pool);
}

#[test]
fn loom_monitor_is_called_back() {
    explore(1, called_back);
}

#[test]
fn loom_plants_monitor_is_called_back() {
    for plant in [
        Plant::NoMonitor,
        Plant::MonitorLeavesUnmarked,
        Plant::DisplacedForgotten,
    ] {
        must_catch(plant, || explore(1, called_back));
    }
}

/// Twice: a thread that has lost its place without knowing it pushes again, and
/// blocks again.
fn twice() {
    let pool = Pool::shaped(Shape {
        workers: 1,
        ..MONITORED
    });
    let workers = Pool::start(&pool);
    pool.enter(1);
    Hidden::new().join_with(&pool, 1, Hidden::wait_stuck);
    Hidden::new().join_with(&pool, 1, Hidden::wait_stuck);
    pool.leave(1);
    workers.end(&pool);
}

#[test]
fn loom_found_out_twice() {
    explore(1, twice);
}

#[test]
fn loom_plants_found_out_twice() {
    // There may be one worker, which looks after the guest and takes its place.
    must_catch(Plant::MonitorBeyondLimit, || explore(1, twice));
}

/// A searcher that prepares to park finds what came before its marks. But meanwhile the last place
/// has been taken, and all active threads block without a word: the searcher has to look after
/// them. (One thread plays both guests.)
fn risen() {
    let pool = Pool::shaped(Shape {
        places: 2,
        workers: 1,
        others: 2,
        ..MONITORED
    });
    let workers = Pool::start(&pool);
    pool.enter(1);
    pool.enter(2);
    pool.rest(2);
    let hidden = Hidden::new();
    let slot = hidden.push(&pool, 1);
    pool.come_back(2);
    hidden.wait_stuck(&pool, 1);
    assert!(!pool.settle(1, slot), "another thread has run it");
    pool.leave(2);
    pool.leave(1);
    workers.end(&pool);
}

#[test]
fn loom_searcher_returns_as_monitor() {
    explore(2, risen);
}

#[test]
fn loom_plants_searcher_returns_as_monitor() {
    must_catch(Plant::UnparkSleeps, || explore(2, risen));
}

/// A short blocking is expected, so that only a note is left, which the monitor
/// finds, or not before the thread goes on.
fn note() {
    let pool = Pool::shaped(Shape {
        workers: 1,
        spares: 0,
        ..MONITORED
    });
    let workers = Pool::start(&pool);
    pool.enter(1);
    pool.expect_short(1);
    Hidden::new().join_with(&pool, 1, Hidden::wait_blocked);
    pool.leave(1);
    workers.end(&pool);
}

#[test]
fn loom_note_is_found() {
    explore(1, note);
}

#[test]
fn loom_plants_note_is_found() {
    must_catch(Plant::NoMonitor, || explore(1, note));
}

/// The monitor takes places while their threads go on: the occupant is
/// displaced by mistake, wakes up, waits, comes back, leaves, all at any moment.
fn contested() {
    let pool = Pool::shaped(Shape {
        workers: 1,
        spares: 0,
        ..MONITORED
    });
    let workers = Pool::start(&pool);
    let task = Arc::new(Task::new());
    pool.enter(1);
    pool.spawn(1, task.clone());
    pool.expect_short(1);
    // Over at once.
    pool.block(1);
    pool.unblock(1);
    pool.stick(1);
    pool.rest(1);
    pool.come_back(1);
    pool.leave(1);
    workers.end(&pool);
    task.assert_once();
}

#[test]
fn loom_place_is_contested() {
    explore(2, contested);
}

#[test]
fn loom_plants_place_is_contested() {
    for plant in [
        Plant::DisplacedForgotten,
        Plant::LosePlaceUnasked,
        Plant::UnblockTwoSteps,
    ] {
        must_catch(plant, || explore(2, contested));
    }
}

/// A thread that lost its place is given it back by the next monitor, while it
/// goes on, waits, comes back and leaves.
fn restored() {
    let pool = Pool::shaped(Shape {
        others: 1,
        ..UNMONITORED
    });
    let workers = Pool::start(&pool);
    pool.enter(0);
    let monitor = thread::spawn({
        let pool = pool.clone();
        move || {
            pool.idle_set.displace(0, false, &|| true);
            let (_, displaced) = pool.idle_set.active_and_displaced();
            displaced
                .into_iter()
                .for_each(|seat| pool.idle_set.replace(seat));
        }
    });
    pool.rest(0);
    pool.come_back(0);
    pool.leave(0);
    monitor.join().unwrap();
    workers.end(&pool);
}

#[test]
fn loom_place_is_given_back() {
    explore(3, restored);
}

#[test]
fn loom_plants_place_is_given_back() {
    must_catch(Plant::ReplaceUnasked, || explore(3, restored));
}

/// A spare is tired of waiting while it is chosen, because a thread blocks once more.
fn tired() {
    let pool = Pool::shaped(Shape {
        places: 1,
        others: 1,
        spares: 2,
        quits: 1,
        ..UNMONITORED
    });
    let workers = Pool::start(&pool);
    pool.enter(0);
    Hidden::new().join_with(&pool, 0, Hidden::wait_blocked);
    Hidden::new().join_with(&pool, 0, Hidden::wait_blocked);
    pool.leave(0);
    workers.end(&pool);
}

#[test]
fn loom_spare_quits() {
    explore(1, tired);
}

#[test]
fn loom_plants_spare_quits() {
    // The limit is met until the spare that quits has ended.
    for plant in [Plant::QuitAnyway, Plant::LeftUnasked] {
        must_catch(plant, || explore(1, tired));
    }
}

/// The same for one that is chosen to be the monitor.
fn tired_monitor() {
    let pool = Pool::shaped(Shape {
        spares: 2,
        quits: 1,
        ..MONITORED
    });
    let workers = Pool::start(&pool);
    pool.enter(0);
    Hidden::new().join_with(&pool, 0, Hidden::wait_stuck);
    Hidden::new().join_with(&pool, 0, Hidden::wait_stuck);
    pool.leave(0);
    workers.end(&pool);
}

#[test]
fn loom_monitor_quits() {
    explore(1, tired_monitor);
}

#[test]
fn loom_plants_monitor_quits() {
    must_catch(Plant::QuitAnyway, || explore(1, tired_monitor));
}

/// A spare is started and not needed any more: it arrives while the pool ends, or
/// after.
fn late() {
    let pool = Pool::shaped(Shape {
        places: 1,
        others: 1,
        ..UNMONITORED
    });
    let workers = Pool::start(&pool);
    let task = Task::new();
    pool.enter(0);
    let slot = pool.push(0, task.job());
    pool.block(0);
    pool.unblock(0);
    if pool.settle(0, slot) {
        task.run();
    }
    task.assert_once();
    pool.leave(0);
    workers.end(&pool);
}

#[test]
fn loom_spare_arrives_late() {
    explore(2, late);
}

#[test]
fn loom_plants_spare_arrives_late() {
    must_catch(Plant::EndForgotten, || explore(2, late));
}

/// The system refuses the spare; when a thread ends, that is tried again.
fn refused() {
    let pool = Pool::shaped(Shape {
        places: 1,
        others: 1,
        refusals: 1,
        ..UNMONITORED
    });
    let workers = Pool::start(&pool);
    pool.enter(0);
    Hidden::new().join_with(&pool, 0, Hidden::wait_blocked);
    pool.leave(0);
    workers.end(&pool);
}

#[test]
fn loom_spare_is_refused() {
    explore(2, refused);
}

#[test]
fn loom_plants_spare_is_refused() {
    must_catch(Plant::UnhireForgotten, || explore(2, refused));
}

/// A worker arrives with a handler to run, which waits until the work of a guest has been done.
/// The guest came while the worker was on its way, and relied on it; a spare must be started.
fn handler_at_entry() {
    let pool = Pool::shaped(Shape {
        places: 3,
        workers: 1,
        others: 1,
        worker_policy: WorkerPolicy {
            max_workers: 2,
            monitored: false,
        },
        entry: Some(|pool, _| pool.done.park()),
        ..UNMONITORED
    });
    let workers = Pool::start(&pool);
    pool.enter(1);
    Hidden::new().join(&pool, 1);
    pool.done.unpark();
    pool.leave(1);
    workers.end(&pool);
}

#[test]
fn loom_handler_at_entry() {
    explore(1, handler_at_entry);
}

#[test]
fn loom_plants_handler_at_entry() {
    must_catch(Plant::ArrivesUnseen, || explore(1, handler_at_entry));
}

/// A handler at a worker's entry forks; the other half can only be run by a thread that is started.
fn fork_at_entry() {
    let pool = Pool::shaped(Shape {
        places: 2,
        workers: 1,
        others: 0,
        worker_policy: WorkerPolicy {
            max_workers: 2,
            monitored: false,
        },
        entry: Some(|pool, me| Hidden::new().join(pool, me)),
        ..UNMONITORED
    });
    let workers = Pool::start(&pool);
    workers.end(&pool);
}

#[test]
fn loom_fork_at_entry() {
    explore(1, fork_at_entry);
}

#[test]
fn loom_plants_fork_at_entry() {
    must_catch(Plant::EndsWithoutArrivals, || explore(1, fork_at_entry));
}

/// The pool is closed while a guest blocks. The guest goes on with work that another thread must
/// do, and then the pool ends.
fn closed() {
    let pool = Pool::shaped(Shape {
        places: 1,
        others: 1,
        ..UNMONITORED
    });
    let workers = Pool::start(&pool);
    pool.enter(0);
    let closer = thread::spawn({
        let pool = pool.clone();
        move || {
            pool.close();
            pool.done.unpark();
        }
    });
    pool.block(0);
    pool.done.park();
    pool.unblock(0);
    Hidden::new().join_with(&pool, 0, Hidden::wait_blocked);
    pool.leave(0);
    closer.join().unwrap();
    workers.join();
}

#[test]
fn loom_closed_while_blocked() {
    explore(2, closed);
}

#[test]
fn loom_plants_closed_while_blocked() {
    for plant in [Plant::EndForgotten, Plant::RestForgotten] {
        must_catch(plant, || explore(2, closed));
    }
}

/// The monitor is called to be the searcher and deposed by a lower number, which
/// then blocks: the former must be in the idle set, as there may be no third worker.
fn deposed() {
    let pool = Pool::shaped(Shape {
        places: 2,
        workers: 2,
        others: 1,
        worker_policy: WorkerPolicy {
            max_workers: 2,
            monitored: true,
        },
        errand: |pool, me| {
            // The second time, another thread has to help.
            if pool.is_first() {
                pool.done.unpark();
            } else {
                Hidden::new().join_with(pool, me, Hidden::wait_stuck);
            }
        },
        ..Shape::FIXED
    });
    let workers = Pool::start(&pool);
    pool.enter(2);
    pool.send(0);
    pool.done.park();
    pool.leave(2);
    pool.send(0);
    workers.end(&pool);
}

#[test]
fn loom_monitor_is_deposed() {
    explore(1, deposed);
}

#[test]
fn loom_plants_monitor_is_deposed() {
    must_catch(Plant::DeposedOutOfLine, || explore(1, deposed));
}
