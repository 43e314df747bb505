//! The change to a further deque where one is full.

use loom::thread;
use std::sync::Arc;

use super::super::deque::{Deque, Effort, Reasons, Steal};
use super::super::idle::{IdleSet, ParkStep, Role, Wake, WorkerPolicy};
use super::{Task, explore, finish_join, raid, tasks};
use crate::sync::barrier::{self, Barrier};
use crate::sync::plant::{Plant, must_catch};

/// Takes one entry from a chain, oldest deque first, as a thief does.
fn raid_chain(first: &Deque, thief: usize) -> bool {
    std::iter::successors(Some(first), |deque| deque.next()).any(|deque| raid(deque, thief, 1))
}

/// A deque with one place is full; the owner undoes the push that found it so,
/// links a further deque and goes on there. A thief follows the chain. No
/// entry is lost or doubled, also the one that was written to the scratch slot.
fn full() {
    let tasks = tasks(2);
    let deque = Arc::new(Deque::new(1, Barrier::Asymmetric));
    let thief = thread::spawn({
        let (tasks, deque) = (tasks.clone(), deque.clone());
        move || {
            raid_chain(&deque, 1);
            raid_chain(&deque, 1);
            drop(tasks);
        }
    });
    let (outer, reasons) = super::push(&deque, tasks[0].job());
    assert!(reasons.is_some(), "there is room");
    let (_, reasons) = super::push(&deque, tasks[1].job());
    assert!(reasons.is_none(), "it is full");
    let further = deque.further();
    deque.link(further);
    let further = deque.next().expect("just linked");
    let (inner, reasons) = super::push(further, tasks[1].job());
    assert!(reasons.is_some(), "there is room");
    finish_join(further, inner, &tasks[1]);
    finish_join(&deque, outer, &tasks[0]);
    thief.join().unwrap();
    tasks.iter().for_each(Task::assert_once);
}

#[test]
fn loom_full() {
    explore(3, full);
}

#[test]
fn loom_plants_full() {
    for plant in [Plant::ScratchVisible, Plant::NoHeavyBarrier] {
        must_catch(plant, || explore(3, full));
    }
}

/// A deque is linked while a searcher marks, scans and sleeps. The entry that
/// goes to it is found, or its push is asked: a deque that is linked after the
/// marking carries the mark (the duty of `Seat::overflow`).
fn marked() {
    let task = Arc::new(Task::new());
    let deque = Arc::new(Deque::new(0, Barrier::Asymmetric));
    let idle_set = Arc::new(IdleSet::new(2, WorkerPolicy::FIXED));
    assert_eq!(idle_set.enter(1, |_| {}), Wake::None);
    // The searcher to be: it has just become idle.
    assert_eq!(idle_set.arrive(0, &|| true).0, Role::Search);
    let searcher = thread::spawn({
        let (deque, idle_set) = (deque.clone(), idle_set.clone());
        move || {
            let chain = || std::iter::successors(Some(&*deque), |deque| deque.next());
            assert_eq!(idle_set.prepare_park(0, &|| false), ParkStep::Mark);
            chain().for_each(|deque| deque.ask(Reasons::WAKE_REQUESTED));
            !barrier::heavy(Barrier::Asymmetric) || chain().any(|deque| deque.visible() > 0)
        }
    });
    let further = Box::new(Deque::new(1, Barrier::Asymmetric));
    idle_set.add_deque(|marked| {
        if marked {
            further.ask(Reasons::WAKE_REQUESTED);
        }
        deque.link(further);
    });
    let further = deque.next().expect("just linked");
    let (_, reasons) = super::push(further, task.job());
    let wake_requested = reasons
        .expect("there is room")
        .contains(Reasons::WAKE_REQUESTED);
    let found = searcher.join().unwrap();
    assert!(found || wake_requested, "the entry is hidden");
    // No thief took it.
    assert!(matches!(
        further.steal(0, Effort::Force(1), None),
        Steal::Taken(_)
    ));
}

#[test]
fn loom_linked_deque_is_marked() {
    explore(4, marked);
}

#[test]
fn loom_plants_linked_deque_is_marked() {
    for plant in [Plant::AdmitUnmarked, Plant::NoHeavyBarrier] {
        must_catch(plant, || explore(4, marked));
    }
}
