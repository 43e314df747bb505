//! Taking back against starting: one word in the slot decides.

use loom::thread;
use std::sync::Arc;

use super::super::deque::{Deque, Effort, Steal};
use super::{explore, finish_join, run_stolen, settle, tasks};
use crate::sync::barrier::Barrier;
use crate::sync::plant::{Plant, must_catch};

/// The entry is taken already; the owner wants it back while the thief is
/// about to start it. One of them runs it, and if it is the thief, the owner
/// sees its result.
fn back_or_started() {
    let tasks = tasks(1);
    let deque = Arc::new(Deque::new(1, Barrier::Asymmetric));
    let (slot, _) = super::push(&deque, tasks[0].job());
    let Steal::Taken(stolen) = deque.steal(1, Effort::Force(1), None) else {
        unreachable!("no other thread is here")
    };
    let stolen = Sendable(stolen);
    let thief = thread::spawn({
        let (tasks, deque) = (tasks.clone(), deque.clone());
        move || {
            let _ = run_stolen(stolen.get(), 1);
            drop((tasks, deque));
        }
    });
    assert!(!super::pop(&deque, slot));
    settle(&deque, slot, &tasks[0]);
    // The frame is the owner's again: no thief looks at it any more.
    tasks[0].assert_once();
    thief.join().unwrap();
}

#[test]
fn loom_back_or_started() {
    explore(5, back_or_started);
}

#[test]
fn loom_plants_back_or_started() {
    for plant in [
        Plant::StartUnasked,
        Plant::TakeBackUnasked,
        Plant::FinishRelaxed,
    ] {
        must_catch(plant, || explore(5, back_or_started));
    }
}

/// A thief is late: the owner has taken its job back and pushed another one
/// into the same slot, which a second thief takes. The late thief must start
/// neither.
fn late_thief() {
    let tasks = tasks(2);
    let deque = Arc::new(Deque::new(1, Barrier::Asymmetric));
    let (slot, _) = super::push(&deque, tasks[0].job());
    let Steal::Taken(stolen) = deque.steal(1, Effort::Force(1), None) else {
        unreachable!("no other thread is here")
    };
    let stolen = Sendable(stolen);
    let late = thread::spawn({
        let (tasks, deque) = (tasks.clone(), deque.clone());
        move || {
            let _ = run_stolen(stolen.get(), 1);
            drop((tasks, deque));
        }
    });
    let second = thread::spawn({
        let (tasks, deque) = (tasks.clone(), deque.clone());
        move || {
            super::raid(&deque, 2, 1);
            drop(tasks);
        }
    });
    assert!(!super::pop(&deque, slot));
    settle(&deque, slot, &tasks[0]);
    let (slot, _) = super::push(&deque, tasks[1].job());
    finish_join(&deque, slot, &tasks[1]);
    late.join().unwrap();
    second.join().unwrap();
    tasks.iter().for_each(super::Task::assert_once);
}

#[test]
fn loom_late_thief() {
    explore(3, late_thief);
}

#[test]
fn loom_plants_late_thief() {
    for plant in [Plant::StartIgnoresName, Plant::StartUnasked] {
        must_catch(plant, || explore(3, late_thief));
    }
}

/// Carries what a thief took to the thread that plays the thief.
struct Sendable(super::Stolen);

// SAFETY: in the pool a thief steals on its own thread; here the model steals
// for it first, and hands over an address that stays good.
unsafe impl Send for Sendable {}

impl Sendable {
    fn get(&self) -> &super::Stolen {
        &self.0
    }
}
