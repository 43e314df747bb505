//! A system that is asked for the barrier and has not answered: `barrier::light` is nothing here,
//! and `barrier::heavy` says that it was not run. It is not lost, so no owner changes over.

use std::sync::Arc;

use loom::thread;

use super::super::deque::{Deque, Reasons};
use super::{Task, explore, finish_join, push, raid, tasks};
use crate::sync::barrier::{self, Barrier};
use crate::sync::plant::{Plant, must_catch, with_delay};

fn deque() -> Arc<Deque> {
    Arc::new(Deque::new(2, Barrier::Asymmetric))
}

/// The owner pushes and pops without a fence, against a thief that would force a steal: every entry
/// is run exactly once.
fn robbed() {
    let tasks = tasks(2);
    let deque = deque();
    let thief = thread::spawn({
        let (tasks, deque) = (tasks.clone(), deque.clone());
        move || {
            raid(&deque, 1, 2);
            drop(tasks);
        }
    });
    let (outer, _) = push(&deque, tasks[0].job());
    let (inner, _) = push(&deque, tasks[1].job());
    finish_join(&deque, inner, &tasks[1]);
    finish_join(&deque, outer, &tasks[0]);
    thief.join().unwrap();
    tasks.iter().for_each(Task::assert_once);
}

#[test]
fn loom_early_robs_no_owner() {
    with_delay(|| explore(3, robbed));
}

#[test]
fn loom_plants_early_robs_no_owner() {
    must_catch(Plant::EarlyBarrierCounts, || {
        with_delay(|| explore(3, robbed));
    });
}

/// A thread that would sleep marks and scans, as `Registry::mark_and_scan`, while the owner pushes:
/// it is sure that there is nothing only if the push meets the mark.
fn hidden() {
    let tasks = tasks(1);
    let deque = deque();
    let sleeper = thread::spawn({
        let deque = deque.clone();
        move || {
            deque.ask(Reasons::WAKE_REQUESTED);
            let is_sure = barrier::heavy(Barrier::Asymmetric);
            is_sure && deque.takeable() == 0
        }
    });
    let (slot, reasons) = push(&deque, tasks[0].job());
    let has_met_mark = reasons.is_some_and(|reasons| reasons.contains(Reasons::WAKE_REQUESTED));
    let sleeps = sleeper.join().unwrap();
    assert!(
        !sleeps || has_met_mark,
        "it sleeps, and the entry is hidden"
    );
    finish_join(&deque, slot, &tasks[0]);
    tasks[0].assert_once();
}

#[test]
fn loom_early_hides_no_entry() {
    with_delay(|| explore(3, hidden));
}

#[test]
fn loom_plants_early_hides_no_entry() {
    must_catch(Plant::EarlyBarrierCounts, || {
        with_delay(|| explore(3, hidden));
    });
}
