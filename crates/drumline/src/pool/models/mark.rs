//! The mark against publishing: a store-load race with a fence on each side.

use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use std::sync::Arc;

use super::super::deque::{Deque, Reasons};
use super::{Task, explore};
use crate::sync::barrier::{self, Barrier};
use crate::sync::plant::{Plant, must_catch};

/// The searcher marks, runs its barrier and scans. The owner pushes once and
/// never calls the runtime again: either the scan finds the entry, or the push
/// was asked for attention and finds the reason. With `stale`, an earlier mark
/// is pending, so that the owner takes reasons while the searcher marks.
fn found_or_asked(stale: bool) {
    let task = Arc::new(Task::new());
    let deque = Arc::new(Deque::new(2, Barrier::Asymmetric));
    if stale {
        deque.ask(Reasons::HAS_WAITER);
    }
    let searcher = thread::spawn({
        let deque = deque.clone();
        move || {
            deque.ask(Reasons::WAKE_REQUESTED);
            !barrier::heavy(Barrier::Asymmetric) || deque.visible() > 0
        }
    });
    let (_, reasons) = super::push(&deque, task.job());
    let wake_requested = reasons
        .expect("there is room")
        .contains(Reasons::WAKE_REQUESTED);
    let found = searcher.join().unwrap();
    assert!(found || wake_requested, "the entry is hidden");
}

#[test]
fn loom_found_or_asked() {
    explore(6, || found_or_asked(false));
    explore(6, || found_or_asked(true));
}

#[test]
fn loom_plants_found_or_asked() {
    for plant in [Plant::NoHeavyBarrier, Plant::LimitBeforeEntry] {
        must_catch(plant, || explore(6, || found_or_asked(false)));
    }
}

/// The owner answers one mark while another searcher places the next: the
/// second one is not swallowed by the answer to the first. What counts is the
/// last entry, pushed after which the owner never calls the runtime again.
fn marks_in_a_row() {
    let tasks = super::tasks(2);
    let deque = Arc::new(Deque::new(2, Barrier::Asymmetric));
    // How many marks have been answered; the lock of the idle set stands behind it.
    let answers = Arc::new(AtomicUsize::new(0));
    deque.ask(Reasons::HAS_WAITER);
    let searcher = thread::spawn({
        let (deque, answers) = (deque.clone(), answers.clone());
        move || {
            let before = answers.load(Ordering::SeqCst);
            deque.ask(Reasons::WAKE_REQUESTED);
            let found = !barrier::heavy(Barrier::Asymmetric) || deque.visible() > 1;
            (before, found)
        }
    });
    for task in &**tasks {
        let (_, reasons) = super::push(&deque, task.job());
        let reasons = reasons.expect("there is room");
        if reasons.contains(Reasons::WAKE_REQUESTED) {
            answers.fetch_add(1, Ordering::SeqCst);
        }
    }
    let (before, found) = searcher.join().unwrap();
    let answered = answers.load(Ordering::SeqCst) > before;
    assert!(found || answered, "the mark was swallowed");
}

#[test]
fn loom_marks_in_a_row() {
    explore(6, marks_in_a_row);
}

#[test]
fn loom_plants_marks_in_a_row() {
    for plant in [
        Plant::NoHeavyBarrier,
        Plant::LimitBeforeEntry,
        Plant::ReasonAfterLimit,
        Plant::ReasonsBeforeLimit,
    ] {
        must_catch(plant, || explore(6, marks_in_a_row));
    }
}
