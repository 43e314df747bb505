//! The words of this module in the model checker.

// The standard library's `Arc`: a planted deadlock drops it while it unwinds,
// outside of the model.
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::thread;

use super::{Countdown, Detach, Finish, Sleeper, TaskState, TaskWord, Watcher};
use crate::sync::plant::{Plant, must_catch};
use crate::wait::Parker;

/// A task with its closure and its outcome in plain memory.
struct Task {
    word: TaskWord,
    closure: UnsafeCell<u32>,
    outcome: UnsafeCell<u32>,
    parker: Parker,
}

// SAFETY: the cells are what the word hands from thread to thread; loom checks
// every access.
unsafe impl Send for Task {}
// SAFETY: as for `Send`.
unsafe impl Sync for Task {}

impl Task {
    fn new() -> Arc<Self> {
        Arc::new(Task {
            word: TaskWord::new(),
            closure: UnsafeCell::new(1),
            outcome: UnsafeCell::new(0),
            parker: Parker::new(),
        })
    }

    fn sleeper(&self) -> Watcher {
        Watcher::Thread(Sleeper::Member(&self.parker))
    }

    /// Takes a value out of a cell that this thread owns.
    fn take(cell: &UnsafeCell<u32>) -> u32 {
        // SAFETY: loom checks that no other thread is here.
        cell.with_mut(|value| unsafe { std::mem::replace(&mut *value, 0) })
    }

    /// What the ticket does. Returns how many outcomes it disposed of.
    fn redeem(&self) -> u32 {
        if !self.word.start(7) {
            return 0;
        }
        let closure = Self::take(&self.closure);
        assert_eq!(closure, 1, "another thread has run it");
        // SAFETY: loom checks that no other thread is here.
        self.outcome.with_mut(|outcome| unsafe { *outcome = 2 });
        match self.word.finish() {
            Finish::Kept => 0,
            Finish::Wake(Watcher::Thread(sleeper)) => {
                // SAFETY: the parker is in the task.
                unsafe { sleeper.wake() };
                0
            }
            Finish::Wake(Watcher::Task(_)) => unreachable!("threads wait here"),
            Finish::Detached => Self::take(&self.outcome) / 2,
        }
    }
}

/// The handle takes the task back, or waits for it.
fn join() {
    loom::model(|| {
        let task = Task::new();
        let ticket = Arc::clone(&task);
        let runner = thread::spawn(move || ticket.redeem());
        if task.word.take_back() {
            assert_eq!(Task::take(&task.closure), 1, "another thread has run it");
        } else {
            if task.word.watch(task.sleeper()) {
                while task.word.progress() != TaskState::Done {
                    task.parker.park();
                }
            }
            assert_eq!(Task::take(&task.outcome), 2);
        }
        assert_eq!(runner.join().unwrap(), 0);
    });
}

/// The handle waits without taking back, as one from outside does.
fn wait() {
    loom::model(|| {
        let task = Task::new();
        let ticket = Arc::clone(&task);
        let runner = thread::spawn(move || ticket.redeem());
        if task.word.watch(task.sleeper()) {
            // Once: a gate opens once, and a lost wake-up is a deadlock here.
            task.parker.park();
        }
        assert_eq!(Task::take(&task.outcome), 2);
        assert_eq!(runner.join().unwrap(), 0);
    });
}

/// The handle names a watcher, takes it back, and goes away, as one that was polled.
fn watch_and_leave() {
    loom::model(|| {
        let task = Task::new();
        let ticket = Arc::clone(&task);
        let runner = thread::spawn(move || ticket.redeem());
        if task.word.watch(task.sleeper()) {
            let _ = task.word.unwatch();
        }
        let mine = match task.word.detach() {
            Detach::Left => 0,
            Detach::Done => Task::take(&task.outcome) / 2,
        };
        assert_eq!(mine + runner.join().unwrap(), 1);
    });
}

/// The handle names a watcher twice, as one that is polled twice.
fn watch_again() {
    loom::model(|| {
        let task = Task::new();
        let ticket = Arc::clone(&task);
        let runner = thread::spawn(move || ticket.redeem());
        if task.word.watch(task.sleeper()) && task.word.watch(task.sleeper()) {
            while task.word.progress() != TaskState::Done {
                task.parker.park();
            }
        }
        assert_eq!(Task::take(&task.outcome), 2);
        assert_eq!(runner.join().unwrap(), 0);
    });
}

/// The handle goes away: exactly one side disposes of the outcome.
fn detach() {
    loom::model(|| {
        let task = Task::new();
        let ticket = Arc::clone(&task);
        let runner = thread::spawn(move || ticket.redeem());
        let mine = match task.word.detach() {
            Detach::Left => 0,
            Detach::Done => Task::take(&task.outcome) / 2,
        };
        assert_eq!(mine + runner.join().unwrap(), 1);
    });
}

/// Two threads count down. One of them then waits, and frees the memory at once. With a third
/// thread the model takes two minutes and shows the same.
fn countdown() {
    struct Shared {
        count: std::cell::UnsafeCell<Countdown>,
        done: [UnsafeCell<u32>; 2],
        parker: Parker,
    }
    // SAFETY: loom checks every access to `done`; `count` is shared, except at
    // its end, which loom checks too.
    unsafe impl Send for Shared {}
    // SAFETY: as for `Send`.
    unsafe impl Sync for Shared {}

    loom::model(|| {
        let shared = Arc::new(Shared {
            count: std::cell::UnsafeCell::new(Countdown::new(2)),
            done: [UnsafeCell::new(0), UnsafeCell::new(0)],
            parker: Parker::new(),
        });
        let count = |shared: &Shared, n: usize| {
            // SAFETY: loom checks that no other thread is here.
            shared.done[n].with_mut(|done| unsafe { *done = 1 });
            // SAFETY: each counts once.
            if let Some(sleeper) = unsafe { Countdown::count_down(shared.count.get()) } {
                // SAFETY: the parker is in `shared`.
                unsafe { sleeper.wake() };
            }
        };
        let other = Arc::clone(&shared);
        let worker = thread::spawn(move || count(&other, 1));
        count(&shared, 0);
        {
            // SAFETY: shared until `die`.
            let count = unsafe { &*shared.count.get() };
            if count.watch(Sleeper::Member(&shared.parker)) {
                while !count.is_done() {
                    shared.parker.park();
                }
            }
        }
        for done in &shared.done {
            // SAFETY: loom checks that no other thread is here.
            assert_eq!(done.with(|done| unsafe { *done }), 1);
        }
        // SAFETY: done, so no thread touches it any more; loom checks that.
        unsafe { &mut *shared.count.get() }.die();
        worker.join().unwrap();
    });
}

#[test]
fn loom_task_join() {
    join();
    must_catch(Plant::TaskBackUnasked, join);
    must_catch(Plant::TaskFinishRelaxed, join);
}

#[test]
fn loom_task_wait() {
    wait();
    must_catch(Plant::TaskWatchTwoSteps, wait);
    must_catch(Plant::TaskFinishRelaxed, wait);
}

#[test]
fn loom_task_detach() {
    detach();
    must_catch(Plant::TaskDetachTwoSteps, detach);
    must_catch(Plant::TaskFinishRelaxed, detach);
}

#[test]
fn loom_task_watch_again() {
    watch_again();
    must_catch(Plant::WatchAgainBlind, watch_again);
}

#[test]
fn loom_task_watch_and_leave() {
    watch_and_leave();
    must_catch(Plant::TaskDetachTwoSteps, watch_and_leave);
    must_catch(Plant::UnwatchUnasked, watch_and_leave);
}

#[test]
fn loom_countdown() {
    countdown();
    must_catch(Plant::CountThenLook, countdown);
    must_catch(Plant::CountRelaxed, countdown);
}
