//! The slot as a latch: the owner of a taken entry sleeps until the thief is
//! done, and then frees the frame in which the job and its result lived.

use loom::thread;
use std::sync::Arc;

use super::super::deque::{Deque, Effort, Steal};
use super::{Task, explore};
use crate::pool::deque::slot::StealState;
use crate::sync::barrier::Barrier;
use crate::sync::plant::{Plant, must_catch};
use crate::wait::Parker;

/// As `waiting::wait_for` with no patience and nothing to help with: watch,
/// then sleep until it is done. The frame is a box that is dropped right after;
/// a thief that still touched it would race with the drop of its cell.
fn freed_by_its_waiter() {
    let parker = Arc::new(Parker::new());
    let deque = Arc::new(Deque::new(1, Barrier::Asymmetric));
    let thief = thread::spawn({
        let (parker, deque) = (parker.clone(), deque.clone());
        move || {
            if let Steal::Taken(stolen) = deque.steal(1, Effort::Force(1), None)
                && super::run_stolen(&stolen, 1)
            {
                // The frame may be gone; the parker lives as long as its seat.
                parker.unpark();
            }
        }
    });
    let frame = Box::new(Task::new());
    let (slot, _) = super::push(&deque, frame.job());
    if super::pop(&deque, slot) {
        frame.run();
    } else {
        // SAFETY: the deque is alive.
        let entry = unsafe { &*slot };
        if entry.take_back() {
            frame.run();
        } else {
            if entry.watch() {
                while entry.progress() != StealState::Done {
                    parker.park();
                }
            }
            assert_eq!(entry.progress(), StealState::Done);
        }
        deque.release(slot);
    }
    frame.assert_once();
    // Exclusive access, as the drop of a frame: a race with a late thief.
    // SAFETY: loom checks it.
    frame.runs.with_mut(|runs| unsafe { *runs = usize::MAX });
    thief.join().unwrap();
    // Only now, so that a planted bug is caught above and not by a crash.
    drop(frame);
}

#[test]
fn loom_freed_by_its_waiter() {
    explore(5, freed_by_its_waiter);
}

#[test]
fn loom_plants_freed_by_its_waiter() {
    for plant in [
        Plant::FinishRelaxed,
        Plant::FinishWakesNobody,
        Plant::WatchUnnoticed,
        Plant::StartUnasked,
    ] {
        must_catch(plant, || explore(5, freed_by_its_waiter));
    }
}

/// A wake-up for an earlier wait comes late, while the owner waits for the
/// next: it costs a turn, and the second wake-up is not lost by it.
fn late_wake_up() {
    let parker = Arc::new(Parker::new());
    let deque = Arc::new(Deque::new(1, Barrier::Asymmetric));
    let thieves: Vec<_> = (1..=2)
        .map(|name| {
            let (parker, deque) = (parker.clone(), deque.clone());
            thread::spawn(move || {
                if let Steal::Taken(stolen) = deque.steal(name, Effort::Force(1), None)
                    && super::run_stolen(&stolen, name)
                {
                    parker.unpark();
                }
            })
        })
        .collect();
    let frames = [Task::new(), Task::new()];
    for frame in &frames {
        let (slot, _) = super::push(&deque, frame.job());
        if super::pop(&deque, slot) {
            continue;
        }
        // SAFETY: the deque is alive.
        let entry = unsafe { &*slot };
        if !entry.take_back() && entry.watch() {
            while entry.progress() != StealState::Done {
                parker.park();
            }
        }
        deque.release(slot);
    }
    for thief in thieves {
        thief.join().unwrap();
    }
}

#[test]
fn loom_late_wake_up() {
    explore(2, late_wake_up);
}

#[test]
fn loom_plants_late_wake_up() {
    must_catch(Plant::FinishWakesNobody, || explore(2, late_wake_up));
}
