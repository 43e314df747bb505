//! A system that refuses the barrier while owners rely on it: `barrier::light` is nothing here, and
//! `barrier::heavy` fails.

use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;
use std::sync::Arc;

use super::super::deque::{Deque, Reasons};
use super::super::idle::{IdleSet, ParkStep, Role, Wake, WorkerPolicy};
use super::{Task, explore, finish_join, raid, tasks};
use crate::pool::deque::handshake::Handshake;
use crate::pool::deque::slot::Slot;
use crate::sync::barrier::{self, Barrier};
use crate::sync::plant::{Plant, must_catch, with_refusal};
use crate::sync::planted;

/// A seat in miniature.
struct Seat {
    deque: Deque,
    handshake: Handshake,
}

impl Seat {
    fn new() -> Arc<Self> {
        Arc::new(Seat {
            deque: Deque::new(2, Barrier::Asymmetric),
            handshake: Handshake::new(false),
        })
    }

    /// As `Seat::acknowledge`.
    fn acknowledge(&self) {
        if self.handshake.is_due() {
            self.handshake.acknowledge(std::iter::once(&self.deque));
        }
    }

    /// The push of a `join`, and as `Seat::answer`: whether a mark was met.
    fn push(&self, task: &Task) -> (*mut Slot, bool) {
        let slot = self.deque.vacant();
        // SAFETY: the models push on the owner's thread, and keep the job alive.
        if !unsafe { self.deque.push::<false>(slot, task.job()) } {
            return (slot, false);
        }
        let reasons = self.deque.attend(slot).expect("there is room");
        self.acknowledge();
        (slot, reasons.contains(Reasons::WAKE_REQUESTED))
    }

    /// As `Registry::mark_and_scan`: how much is there, and whether that is
    /// certain.
    fn mark_and_scan(&self) -> (usize, bool) {
        self.deque.ask(Reasons::WAKE_REQUESTED);
        let sure = barrier::heavy(Barrier::Asymmetric) || self.handshake.is_settled();
        (self.deque.takeable(), sure)
    }
}

/// The owner pushes and pops before, while and after it learns that the barrier
/// is lost, against a thief: every entry is run exactly once.
fn robbed() {
    let tasks = tasks(3);
    let seat = Seat::new();
    let thief = thread::spawn({
        let (tasks, seat) = (tasks.clone(), seat.clone());
        move || {
            seat.mark_and_scan();
            raid(&seat.deque, 1, 2);
            raid(&seat.deque, 1, 2);
            drop(tasks);
        }
    });
    let (outer, _) = seat.push(&tasks[0]);
    let (inner, _) = seat.push(&tasks[1]);
    finish_join(&seat.deque, inner, &tasks[1]);
    let (again, _) = seat.push(&tasks[2]);
    finish_join(&seat.deque, again, &tasks[2]);
    finish_join(&seat.deque, outer, &tasks[0]);
    thief.join().unwrap();
    tasks.iter().for_each(Task::assert_once);
}

#[test]
fn loom_refusal_robs_no_owner() {
    with_refusal(|| explore(3, robbed));
}

#[test]
fn loom_plants_refusal_robs_no_owner() {
    must_catch(Plant::RobUnacknowledged, || {
        with_refusal(|| explore(3, robbed));
    });
}

/// The owner blocks between its push and its pop: the kernel runs a full barrier
/// when it switches the thread out, and one when it runs it again.
fn slept() {
    let tasks = tasks(2);
    let seat = Seat::new();
    let asleep = Arc::new(AtomicBool::new(false));
    assert!(!barrier::heavy(Barrier::Asymmetric));
    let thief = thread::spawn({
        let (tasks, seat, asleep) = (tasks.clone(), seat.clone(), asleep.clone());
        move || {
            let sleeps = |_: &()| asleep.load(Ordering::Acquire);
            seat.deque.expose_sleeper(|| (), sleeps);
            raid(&seat.deque, 1, 1);
            drop(tasks);
        }
    });
    let (outer, _) = seat.push(&tasks[0]);
    let (inner, _) = seat.push(&tasks[1]);
    barrier::fence();
    asleep.store(true, Ordering::Release);
    thread::yield_now();
    asleep.store(false, Ordering::Release);
    barrier::fence();
    finish_join(&seat.deque, inner, &tasks[1]);
    finish_join(&seat.deque, outer, &tasks[0]);
    thief.join().unwrap();
    tasks.iter().for_each(Task::assert_once);
}

#[test]
fn loom_slept() {
    with_refusal(|| explore(4, slept));
}

#[test]
fn loom_plants_slept() {
    must_catch(Plant::ExposeAwake, || with_refusal(|| explore(4, slept)));
}

/// An owner that has acknowledged hides nothing: its entry can be taken while
/// it never calls the runtime again, also one that it pushed without a fence.
fn exposed() {
    let tasks = tasks(2);
    let seat = Seat::new();
    let (outer, _) = seat.push(&tasks[0]);
    seat.mark_and_scan();
    let (inner, met) = seat.push(&tasks[1]);
    assert!(met, "this thread has marked the deque itself");
    let thief = thread::spawn({
        let (tasks, seat) = (tasks.clone(), seat.clone());
        move || {
            assert!(raid(&seat.deque, 1, 1), "the older entry");
            assert!(raid(&seat.deque, 1, 1), "the newer entry");
            drop(tasks);
        }
    });
    thief.join().unwrap();
    finish_join(&seat.deque, inner, &tasks[1]);
    finish_join(&seat.deque, outer, &tasks[0]);
    for task in &**tasks {
        let (again, _) = seat.push(task);
        assert_eq!(seat.deque.takeable(), 1, "and so for ever");
        assert!(super::pop(&seat.deque, again));
    }
}

#[test]
fn loom_acknowledged_hides_nothing() {
    with_refusal(|| explore(3, exposed));
}

#[test]
fn loom_plants_acknowledged_hides_nothing() {
    must_catch(Plant::ExposingForgotten, || {
        with_refusal(|| explore(3, exposed));
    });
}

/// A sleeper marks, runs its own fence, asks and scans, twice. The owner pushes
/// twice and never calls the runtime again: unless the sleeper knows that it
/// knows nothing, it finds the last entry, or that push has met the marks.
fn found_or_asked_or_unsure() {
    let tasks = tasks(2);
    let seat = Seat::new();
    let met = Arc::new(AtomicUsize::new(0));
    let sleeper = thread::spawn({
        let (seat, met) = (seat.clone(), met.clone());
        move || {
            seat.mark_and_scan();
            let before = met.load(Ordering::SeqCst);
            (seat.mark_and_scan(), before)
        }
    });
    for task in &**tasks {
        if seat.push(task).1 {
            met.fetch_add(1, Ordering::SeqCst);
        }
    }
    let ((found, sure), before) = sleeper.join().unwrap();
    let answered = met.load(Ordering::SeqCst) > before;
    assert!(found > 1 || answered || !sure, "the entry is hidden");
}

#[test]
fn loom_found_or_asked_or_unsure() {
    with_refusal(|| explore(4, found_or_asked_or_unsure));
}

#[test]
fn loom_plants_found_or_asked_or_unsure() {
    for plant in [Plant::ExposeUnfenced, Plant::SettledUnasked] {
        must_catch(plant, || {
            with_refusal(|| explore(4, found_or_asked_or_unsure));
        });
    }
}

/// The loss is known, and the owner is asked for something else: it acknowledges
/// in its only push, without having met the mark.
fn acknowledged_meanwhile() {
    let task = Arc::new(Task::new());
    let seat = Seat::new();
    assert!(!barrier::heavy(Barrier::Asymmetric));
    seat.deque.ask(Reasons::HAS_WAITER);
    let sleeper = thread::spawn({
        let seat = seat.clone();
        move || seat.mark_and_scan()
    });
    let (_, met) = seat.push(&task);
    let (found, sure) = sleeper.join().unwrap();
    assert!(found > 0 || met || !sure, "the entry is hidden");
}

#[test]
fn loom_acknowledged_meanwhile() {
    with_refusal(|| explore(4, acknowledged_meanwhile));
}

#[test]
fn loom_plants_acknowledged_meanwhile() {
    for plant in [Plant::AcknowledgeFirst, Plant::SettledUnasked] {
        must_catch(plant, || {
            with_refusal(|| explore(4, acknowledged_meanwhile));
        });
    }
}

/// A guest enters, or comes back to its seat, while the searcher prepares to park: its seat
/// was IDLE. Its push is found or asked, or the sleeper is unsure.
fn begun() {
    let task = Arc::new(Task::new());
    let seat = Seat::new();
    seat.handshake.end();
    let idle_set = Arc::new(IdleSet::new(2, WorkerPolicy::FIXED));
    assert_eq!(idle_set.arrive(0, &|| true).0, Role::Search);
    let sleeper = thread::spawn({
        let (seat, idle_set) = (seat.clone(), idle_set.clone());
        move || {
            assert_eq!(idle_set.prepare_park(0, &|| false), ParkStep::Mark);
            seat.mark_and_scan()
        }
    });
    if !planted!(BeginLate) {
        seat.handshake.begin();
    }
    seat.acknowledge();
    assert_eq!(
        idle_set.enter(1, |marked| {
            if marked {
                seat.deque.ask(Reasons::WAKE_REQUESTED);
            }
        }),
        Wake::None
    );
    if planted!(BeginLate) {
        seat.handshake.begin();
    }
    let (_, met) = seat.push(&task);
    let (found, sure) = sleeper.join().unwrap();
    assert!(found > 0 || met || !sure, "the entry is hidden");
}

#[test]
fn loom_begun() {
    with_refusal(|| explore(4, begun));
}

#[test]
fn loom_plants_begun() {
    must_catch(Plant::BeginLate, || with_refusal(|| explore(4, begun)));
}
