//! Deadlines and the timer thread in the model checker.

// The standard library's `Arc` and atomics: a planted deadlock drops them while it unwinds, outside
// of the model. What they count is looked at when nothing runs any more.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use loom::thread::{self, JoinHandle};

use super::schedule::{Clock, Schedule};
use crate::sync::plant::{Plant, must_catch};
use crate::wait::Parker;

/// Due from the beginning.
const DUE: usize = 0;
/// No model lasts until then.
const FAR: usize = 1_000;
const LINGER: usize = 10;

/// A clock on which a linger passes as soon as the timer thread sleeps, and nothing else does.
#[derive(Default)]
struct ModelClock(AtomicUsize);

impl Clock for ModelClock {
    type Time = usize;

    fn now(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn linger_until(&self, now: usize) -> usize {
        now + LINGER
    }

    fn sleep(&self, parker: &Parker, until: usize) {
        if until >= FAR {
            // A lost wake-up is a deadlock.
            parker.park();
        } else {
            self.0.fetch_max(until, Ordering::Relaxed);
        }
    }
}

/// What is called at a deadline.
struct Signal {
    fired: AtomicUsize,
    waiter: Parker,
}

impl Signal {
    fn new() -> Arc<Self> {
        Arc::new(Signal {
            fired: AtomicUsize::new(0),
            waiter: Parker::new(),
        })
    }

    fn fire(&self) {
        self.fired.fetch_add(1, Ordering::Relaxed);
        self.waiter.unpark();
    }

    fn fired(&self) -> usize {
        self.fired.load(Ordering::Relaxed)
    }
}

/// A schedule with the threads that were started for it.
struct Process {
    schedule: Schedule<ModelClock, Arc<Signal>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

type Key = super::schedule::DeadlineKey<usize>;

impl Process {
    fn new() -> Arc<Self> {
        Arc::new(Process {
            schedule: Schedule::new(ModelClock::default()),
            threads: Mutex::new(Vec::new()),
        })
    }

    fn insert(self: &Arc<Self>, at: usize, signal: &Arc<Signal>) -> Key {
        let start = || {
            let process = Arc::clone(self);
            let thread = thread::spawn(move || process.schedule.run(|signal| signal.fire()));
            self.threads.lock().unwrap().push(thread);
            Ok(())
        };
        let inserted = self.schedule.insert(at, Arc::clone(signal), start);
        inserted.unwrap_or_else(|_| unreachable!("a model has threads"))
    }

    /// The timer threads end, because no deadline is left. Returns how many there were.
    fn join(&self) -> usize {
        let threads = std::mem::take(&mut *self.threads.lock().unwrap());
        let count = threads.len();
        for thread in threads {
            thread.join().unwrap();
        }
        count
    }
}

/// An earlier deadline comes while the thread falls asleep for a later one. Then the later one is
/// cancelled while it falls asleep again.
fn insert_meets_sleep() {
    let process = Process::new();
    let (late, early) = (Signal::new(), Signal::new());
    let key = process.insert(FAR, &late);
    process.insert(DUE, &early);
    early.waiter.park();
    assert!(process.schedule.cancel(key).is_some());
    assert_eq!(process.join(), 1);
    assert_eq!((late.fired(), early.fired()), (0, 1));
}

/// A deadline is moved forward while the thread falls asleep for it.
fn move_meets_sleep() {
    let process = Process::new();
    let signal = Signal::new();
    let key = process.insert(FAR, &signal);
    assert!(process.schedule.move_to(key, DUE).is_some());
    signal.waiter.park();
    assert_eq!(process.join(), 1);
    assert_eq!(signal.fired(), 1);
}

/// A deadline comes while the thread ends that was there for another one.
fn insert_meets_end() {
    let process = Process::new();
    let (first, second) = (Signal::new(), Signal::new());
    process.insert(DUE, &first);
    process.insert(DUE, &second);
    first.waiter.park();
    second.waiter.park();
    let threads = process.join();
    assert!(threads == 1 || threads == 2);
    assert_eq!((first.fired(), second.fired()), (1, 1));
}

/// Two threads have the first deadlines at once: one timer thread is started for both.
fn inserts_meet() {
    let process = Process::new();
    let signal = Signal::new();
    let other = thread::spawn({
        let (process, signal) = (Arc::clone(&process), Arc::clone(&signal));
        move || process.insert(FAR, &signal)
    });
    let mine = process.insert(FAR, &signal);
    let others = other.join().unwrap();
    assert!(process.schedule.cancel(mine).is_some());
    assert!(process.schedule.cancel(others).is_some());
    assert_eq!(process.join(), 1);
    assert_eq!(signal.fired(), 0);
}

/// A deadline is cancelled while it is due: it is called, or comes back, and no other is touched.
fn cancel_meets_fire() {
    let process = Process::new();
    let (late, due) = (Signal::new(), Signal::new());
    let far = process.insert(FAR, &late);
    let key = process.insert(DUE, &due);
    let came_back = usize::from(process.schedule.cancel(key).is_some());
    assert!(process.schedule.cancel(far).is_some());
    process.join();
    assert_eq!((late.fired(), due.fired() + came_back), (0, 1));
}

/// A deadline gets another call while it is due. The caller waits for the call that it was told.
fn replace_meets_fire() {
    let process = Process::new();
    let (before, after) = (Signal::new(), Signal::new());
    let key = process.insert(DUE, &before);
    match process.schedule.replace(key, Arc::clone(&after)) {
        Ok(replaced) => {
            assert!(Arc::ptr_eq(&replaced, &before));
            after.waiter.park();
        }
        Err(unused) => {
            assert!(Arc::ptr_eq(&unused, &after));
            before.waiter.park();
        }
    }
    process.join();
    assert_eq!(before.fired() + after.fired(), 1);
}

#[test]
fn loom_deadline_insert_meets_sleep() {
    loom::model(insert_meets_sleep);
}

#[test]
fn loom_plants_deadline_insert_meets_sleep() {
    for plant in [Plant::TimerSleepsTwoSteps, Plant::LastCancelSilent] {
        must_catch(plant, || loom::model(insert_meets_sleep));
    }
}

#[test]
fn loom_deadline_move_meets_sleep() {
    loom::model(move_meets_sleep);
}

#[test]
fn loom_plants_deadline_move_meets_sleep() {
    must_catch(Plant::TimerSleepsTwoSteps, || loom::model(move_meets_sleep));
}

#[test]
fn loom_deadline_insert_meets_end() {
    loom::model(insert_meets_end);
}

#[test]
fn loom_plants_deadline_insert_meets_end() {
    must_catch(Plant::TimerEndsTwoSteps, || loom::model(insert_meets_end));
}

#[test]
fn loom_deadline_inserts_meet() {
    loom::model(inserts_meet);
}

#[test]
fn loom_plants_deadline_inserts_meet() {
    must_catch(Plant::TimerStartsTwoSteps, || loom::model(inserts_meet));
}

#[test]
fn loom_deadline_cancel_meets_fire() {
    loom::model(cancel_meets_fire);
}

#[test]
fn loom_plants_deadline_cancel_meets_fire() {
    must_catch(Plant::FiresTwoSteps, || loom::model(cancel_meets_fire));
}

#[test]
fn loom_deadline_replace_meets_fire() {
    loom::model(replace_meets_fire);
}

#[test]
fn loom_plants_deadline_replace_meets_fire() {
    must_catch(Plant::ReplacedTooLate, || loom::model(replace_meets_fire));
}
