//! Threads that enter, leave, wait and come back.

use std::sync::Arc;

use loom::thread;

use super::pool::{Hidden, Pool};
use super::{Task, explore};
use crate::sync::plant::{Plant, must_catch};

/// A guest comes, goes, and comes again with work, while a worker watches and
/// prepares to park: its deque carries the mark whenever no worker is awake.
fn twice() {
    let pool = Pool::new(2, 1, 1);
    let workers = Pool::start(&pool);
    let hidden = Hidden::new();
    pool.enter(1);
    pool.leave(1);
    pool.enter(1);
    hidden.join(&pool, 1);
    pool.leave(1);
    workers.end(&pool);
}

#[test]
fn loom_guest_comes_twice() {
    explore(2, twice);
}

#[test]
fn loom_plants_guest_comes_twice() {
    for plant in [Plant::AdmitUnmarked, Plant::NoHeavyBarrier] {
        must_catch(plant, || explore(2, twice));
    }
}

/// Two guests fill the places; when one leaves, its place is free for a worker,
/// which must be woken for the work of the other.
fn two_guests() {
    let pool = Pool::new(2, 1, 2);
    let workers = Pool::start(&pool);
    let short = thread::spawn({
        let pool = pool.clone();
        move || {
            pool.enter(1);
            pool.leave(1);
        }
    });
    let hidden = Hidden::new();
    pool.enter(2);
    hidden.join(&pool, 2);
    pool.leave(2);
    short.join().unwrap();
    workers.end(&pool);
}

#[test]
fn loom_two_guests() {
    explore(1, two_guests);
}

#[test]
fn loom_plants_two_guests() {
    must_catch(Plant::LeaveWakesNobody, || explore(1, two_guests));
}

/// A thread that comes back fills the last place, while the marks are out. It uses up its mark when
/// no worker can be woken. Then a place becomes free. (One thread plays both guests: their order is
/// fixed, the worker's is not.)
fn comes_back() {
    let pool = Pool::new(2, 1, 2);
    let workers = Pool::start(&pool);
    let hidden = Hidden::new();
    pool.enter(1);
    pool.enter(2);
    pool.rest(2);
    pool.come_back(2);
    let slot = hidden.push(&pool, 1);
    pool.leave(2);
    hidden.settle(&pool, 1, slot);
    pool.leave(1);
    workers.end(&pool);
}

#[test]
fn loom_guest_comes_back() {
    explore(2, comes_back);
}

#[test]
fn loom_plants_guest_comes_back() {
    for plant in [Plant::SummonKeepsRequest, Plant::LeaveWakesNobody] {
        must_catch(plant, || explore(2, comes_back));
    }
}

/// A guest waits while another comes and goes; then it comes back, spawns a
/// job for others, and leaves. Its deque was in use all the time.
///
/// A `leave` that takes "no thread is active" for "no deque is in use" says that the marks are out,
/// and is wrong.
fn waits_unmarked() {
    let pool = Pool::new(1, 1, 2);
    let workers = Pool::start(&pool);
    let task = Arc::new(Task::new());
    pool.enter(1);
    pool.rest(1);
    pool.enter(2);
    pool.leave(2);
    pool.come_back(1);
    pool.spawn(1, task.clone());
    pool.leave(1);
    pool.done.park();
    workers.end(&pool);
    task.assert_once();
}

#[test]
fn loom_waiting_guest_keeps_its_deque() {
    explore(2, waits_unmarked);
}

#[test]
fn loom_plants_waiting_guest_keeps_its_deque() {
    must_catch(Plant::RestForgotten, || explore(2, waits_unmarked));
}

/// A thread that is a member for good has never entered: its deque must be
/// marked all the same, and its waiting must not be counted twice.
///
/// The idle set has to know members.
fn member() {
    let pool = Pool::new(2, 1, 1);
    let workers = Pool::start(&pool);
    pool.add_member(1);
    Hidden::new().join(&pool, 1);
    workers.end(&pool);
}

#[test]
fn loom_member() {
    explore(2, member);
}

#[test]
fn loom_plants_member() {
    for plant in [Plant::AdmitUnmarked, Plant::NoHeavyBarrier] {
        must_catch(plant, || explore(2, member));
    }
}
