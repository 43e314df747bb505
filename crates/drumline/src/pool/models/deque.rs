//! The deque: an owner that pushes and pops against thieves.

use loom::thread;
use std::sync::Arc;

use super::super::deque::Deque;
use super::{Task, explore, finish_join, raid, tasks};
use crate::sync::barrier::Barrier;
use crate::sync::plant::{Plant, must_catch, with_requests};

fn deque(capacity: usize) -> Arc<Deque> {
    Arc::new(Deque::new(capacity, Barrier::Asymmetric))
}

fn push(deque: &Deque, task: &Task) -> *mut super::Slot {
    super::push(deque, task.job()).0
}

/// A thread that takes one entry by force, if there is one.
fn thief(tasks: &Arc<Vec<Task>>, deque: &Arc<Deque>, name: usize) -> thread::JoinHandle<()> {
    let (tasks, deque) = (tasks.clone(), deque.clone());
    thread::spawn(move || {
        raid(&deque, name, 1);
        drop(tasks);
    })
}

/// The last entry: both the owner and a thief want it (events O1, O2, T1, T2
/// of `pool::deque`). Also the reuse of its slot right afterwards.
fn last_entry() {
    let tasks = tasks(2);
    let deque = deque(2);
    let thief = thief(&tasks, &deque, 1);
    for task in &**tasks {
        let slot = push(&deque, task);
        finish_join(&deque, slot, task);
    }
    thief.join().unwrap();
    tasks.iter().for_each(Task::assert_once);
}

#[test]
fn loom_last_entry() {
    explore(4, last_entry);
}

#[test]
fn loom_plants_last_entry() {
    for plant in [
        Plant::NoHeavyBarrier,
        Plant::ClaimTooMuch,
        Plant::SpinLockOpen,
    ] {
        must_catch(plant, || explore(4, last_entry));
    }
}

/// Two nested joins against two thieves: every entry is run exactly once, and
/// the slots are reused for a second pair.
fn two_thieves() {
    let tasks = tasks(3);
    let deque = deque(2);
    let thieves: Vec<_> = (1..=2).map(|name| thief(&tasks, &deque, name)).collect();
    let outer = push(&deque, &tasks[0]);
    let inner = push(&deque, &tasks[1]);
    finish_join(&deque, inner, &tasks[1]);
    let again = push(&deque, &tasks[2]);
    finish_join(&deque, again, &tasks[2]);
    finish_join(&deque, outer, &tasks[0]);
    for thief in thieves {
        thief.join().unwrap();
    }
    tasks.iter().for_each(Task::assert_once);
}

#[test]
fn loom_two_thieves() {
    explore(2, two_thieves);
}

/// A thief exposes both entries with one barrier and takes one or two; the
/// owner withdraws what was exposed and not taken.
fn batch() {
    let tasks = tasks(2);
    let deque = deque(2);
    let thief = thread::spawn({
        let (tasks, deque) = (tasks.clone(), deque.clone());
        move || {
            if raid(&deque, 1, 2) {
                // Without a barrier: only what is exposed already.
                raid(&deque, 1, 0);
            }
            drop(tasks);
        }
    });
    let outer = push(&deque, &tasks[0]);
    let inner = push(&deque, &tasks[1]);
    finish_join(&deque, inner, &tasks[1]);
    finish_join(&deque, outer, &tasks[0]);
    thief.join().unwrap();
    tasks.iter().for_each(Task::assert_once);
}

#[test]
fn loom_batch_is_withdrawn() {
    explore(4, batch);
}

#[test]
fn loom_plants_batch() {
    for plant in [
        Plant::NoHeavyBarrier,
        Plant::LowerHeadUnlocked,
        Plant::ClaimTooMuch,
    ] {
        must_catch(plant, || explore(4, batch));
    }
}

/// After a theft `release` lowers `head`. So what is pushed then is open to thieves again, also if
/// the owner never calls the runtime again.
fn lowered_head() {
    let tasks = tasks(2);
    let deque = deque(2);
    let slot = push(&deque, &tasks[0]);
    let thief = thief(&tasks, &deque, 1);
    finish_join(&deque, slot, &tasks[0]);
    thief.join().unwrap();
    let slot = push(&deque, &tasks[1]);
    assert_eq!(deque.visible(), 1);
    let late = thread::spawn({
        let (tasks, deque) = (tasks.clone(), deque.clone());
        move || {
            assert!(raid(&deque, 2, 1), "the entry is there to be taken");
            drop(tasks);
        }
    });
    late.join().unwrap();
    finish_join(&deque, slot, &tasks[1]);
    tasks.iter().for_each(Task::assert_once);
}

#[test]
fn loom_lowered_head() {
    explore(4, lowered_head);
}

#[test]
fn loom_plants_lowered_head() {
    must_catch(Plant::ReleaseKeepsTaken, || explore(4, lowered_head));
}

/// A thief asks before there is anything to take. The owner exposes what it pushes next, and pops
/// it while the thief takes it; or the thief has lost its patience and steals by force.
fn requested_early() {
    let tasks = tasks(2);
    let deque = deque(2);
    let thief = thread::spawn({
        let (tasks, deque) = (tasks.clone(), deque.clone());
        move || {
            deque.request_next();
            raid(&deque, 1, 1);
            drop(tasks);
        }
    });
    for task in &**tasks {
        let slot = push(&deque, task);
        finish_join(&deque, slot, task);
    }
    thief.join().unwrap();
    tasks.iter().for_each(Task::assert_once);
}

#[test]
fn loom_requested_early() {
    explore(5, requested_early);
}

#[test]
fn loom_plants_requested_early() {
    for plant in [Plant::LowerHeadUnlocked, Plant::NoHeavyBarrier] {
        must_catch(plant, || explore(4, requested_early));
    }
}

/// A thief asks, and the owner exposes the entry itself in its push; or the
/// thief has lost its patience and steals by force. In between, the owner pops.
fn shared() {
    let tasks = tasks(3);
    let deque = deque(3);
    let thief = thread::spawn({
        let (tasks, deque) = (tasks.clone(), deque.clone());
        move || {
            raid(&deque, 1, 2);
            raid(&deque, 1, 1);
            drop(tasks);
        }
    });
    let outer = push(&deque, &tasks[0]);
    let inner = push(&deque, &tasks[1]);
    finish_join(&deque, inner, &tasks[1]);
    let again = push(&deque, &tasks[2]);
    finish_join(&deque, again, &tasks[2]);
    finish_join(&deque, outer, &tasks[0]);
    thief.join().unwrap();
    tasks.iter().for_each(Task::assert_once);
}

#[test]
fn loom_shared() {
    with_requests(|| explore(3, shared));
}

#[test]
fn loom_plants_shared() {
    for plant in [Plant::NoHeavyBarrier, Plant::ShareTooMuch] {
        must_catch(plant, || with_requests(|| explore(3, shared)));
    }
}

/// A thief asks, has no answer, and claims the entry. Meanwhile the owner pops that, publishes
/// something elsewhere, and is asked then: it has nothing to share, and the claim is settled.
fn asked_with_nothing() {
    let tasks = tasks(2);
    let deque = deque(2);
    let thief = thief(&tasks, &deque, 1);
    for task in &**tasks {
        let slot = push(&deque, task);
        finish_join(&deque, slot, task);
        // As `Seat::published`.
        if deque.is_asked() {
            deque.take_reasons();
        }
    }
    thief.join().unwrap();
    tasks.iter().for_each(Task::assert_once);
}

#[test]
fn loom_asked_with_nothing() {
    with_requests(|| explore(3, asked_with_nothing));
}

#[test]
fn loom_plants_asked_with_nothing() {
    for plant in [Plant::SettledAboveTop, Plant::NoHeavyBarrier] {
        must_catch(plant, || with_requests(|| explore(3, asked_with_nothing)));
    }
}

/// A claim is pending while its thief runs the barrier, and the lock is free: the owner takes its
/// entry back meanwhile, and pushes another one, which another thief claims.
fn claimed() {
    let tasks = tasks(2);
    let deque = deque(2);
    let thieves: Vec<_> = (1..=2).map(|name| thief(&tasks, &deque, name)).collect();
    for task in &**tasks {
        let slot = push(&deque, task);
        finish_join(&deque, slot, task);
    }
    for thief in thieves {
        thief.join().unwrap();
    }
    tasks.iter().for_each(Task::assert_once);
}

#[test]
fn loom_claimed() {
    explore(3, claimed);
}

#[test]
fn loom_plants_claimed() {
    for plant in [Plant::TakeClaimed, Plant::ConfirmAny, Plant::NoHeavyBarrier] {
        must_catch(plant, || explore(3, claimed));
    }
}
