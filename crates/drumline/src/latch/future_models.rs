//! The word of a future in the model checker.

// The standard library's `Arc`: a planted deadlock drops it while it unwinds, outside of the model.
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::{
    Cancel, Detached, DropReason, Dropped, FutureWord, Pause, Run, Sleeper, WakeStep, Watcher,
};
use crate::sync::plant::{Plant, must_catch};
use crate::wait::Parker;

/// A future that is ready once `ready` is set, and its outcome: plain memory.
struct Cell {
    word: FutureWord,
    future: UnsafeCell<u32>,
    outcome: UnsafeCell<u32>,
    /// Relaxed, so that it is the word that has to publish it.
    ready: AtomicUsize,
    /// How often it is still to yield.
    yields: AtomicUsize,
    /// How many clones of its waker are on account; the runner alone asks.
    clones: AtomicUsize,
    /// The memory of the cell: each reference reads it, and what frees the cell writes it.
    memory: UnsafeCell<u32>,
    /// How often the memory was freed.
    freed: AtomicUsize,
    /// How often a runner dropped the outcome.
    disposed: AtomicUsize,
    parker: Parker,
}

// SAFETY: the cells are what the word hands from thread to thread; loom checks every access.
unsafe impl Send for Cell {}
// SAFETY: as for `Send`.
unsafe impl Sync for Cell {}

const READY: u32 = 2;
const CANCELLED: u32 = 3;

impl Cell {
    fn new() -> Arc<Self> {
        Arc::new(Cell {
            word: FutureWord::new(),
            future: UnsafeCell::new(1),
            outcome: UnsafeCell::new(0),
            ready: AtomicUsize::new(0),
            yields: AtomicUsize::new(0),
            clones: AtomicUsize::new(0),
            memory: UnsafeCell::new(1),
            freed: AtomicUsize::new(0),
            disposed: AtomicUsize::new(0),
            parker: Parker::new(),
        })
    }

    fn drop_future(&self) {
        // SAFETY: loom checks that no other thread is here.
        let future = self
            .future
            .with_mut(|future| unsafe { std::mem::replace(&mut *future, 0) });
        assert_eq!(future, 1, "dropped once");
    }

    fn complete(&self, outcome: u32) {
        self.drop_future();
        if self.word.is_alone() {
            // Relaxed: a count, read when the threads have been joined.
            self.disposed.fetch_add(1, Ordering::Relaxed);
            return self.free();
        }
        // SAFETY: as above.
        self.outcome.with_mut(|cell| unsafe { *cell = outcome });
        let finished = self.word.finish();
        if finished.is_detached {
            self.disposed.fetch_add(1, Ordering::Relaxed);
            assert_eq!(self.take_outcome(), outcome);
        }
        if let Some(Watcher::Thread(sleeper)) = finished.watcher {
            // SAFETY: the parker is in the cell.
            unsafe { sleeper.wake() };
        }
        self.drop_ref();
    }

    /// Runs the future for the first time, until it waits or is done.
    fn run_first(&self) {
        self.go_on(self.word.start());
    }

    /// The same at a later time.
    fn run(&self) {
        self.go_on(self.word.resume());
    }

    fn go_on(&self, mut run: Run) {
        loop {
            match run {
                Run::Drop(_) => return self.complete(CANCELLED),
                Run::Poll => {}
            }
            // SAFETY: as above.
            self.future
                .with_mut(|future| assert_eq!(unsafe { *future }, 1));
            if self.ready.load(Ordering::Relaxed) == 1 {
                // Relaxed, here and below: the runner alone asks.
                self.word.add_clones(self.clones.swap(0, Ordering::Relaxed));
                return self.complete(READY);
            }
            // Relaxed: the runner alone counts.
            let yields = self.yields.load(Ordering::Relaxed);
            if yields > 0 && self.word.may_yield() {
                self.yields.store(yields - 1, Ordering::Relaxed);
            } else {
                match self.word.pause(self.clones.swap(0, Ordering::Relaxed)) {
                    Pause::Idle => return,
                    Pause::Again => {}
                    Pause::Drop(_) => return self.complete(CANCELLED),
                }
            }
            run = self.word.resume();
        }
    }

    /// Makes the future ready, and wakes it with the caller's reference.
    fn make_ready(&self) {
        self.ready.store(1, Ordering::Relaxed);
        match self.word.wake_with_ref() {
            WakeStep::Queue => self.run(),
            WakeStep::Nothing => self.drop_ref(),
        }
    }

    /// Each reference uses the memory up to its end.
    fn is_used(&self) {
        // SAFETY: loom checks that no other thread frees it.
        self.memory.with(|memory| assert_eq!(unsafe { *memory }, 1));
    }

    fn free(&self) {
        // SAFETY: loom checks that no other thread is here.
        self.memory.with_mut(|memory| unsafe { *memory = 0 });
        // Relaxed: as above.
        self.freed.fetch_add(1, Ordering::Relaxed);
    }

    fn drop_ref(&self) {
        self.is_used();
        self.has_dropped_ref(self.word.drop_ref());
    }

    fn has_dropped_ref(&self, dropped: Dropped) {
        match dropped {
            Dropped::Kept => {}
            Dropped::Free => self.free(),
            Dropped::Queue => self.run(),
        }
    }

    fn take_outcome(&self) -> u32 {
        // SAFETY: as above.
        self.outcome
            .with_mut(|outcome| unsafe { std::mem::replace(&mut *outcome, 0) })
    }

    /// The handle goes away. Returns the outcome, if it is the handle's.
    fn detach(&self) -> u32 {
        self.is_used();
        match self.word.detach() {
            Detached::Outcome => {
                let outcome = self.take_outcome();
                self.drop_ref();
                outcome
            }
            Detached::Dropped(dropped) => {
                self.has_dropped_ref(dropped);
                0
            }
        }
    }

    fn was_freed_once(&self) {
        assert_eq!(self.freed.load(Ordering::Relaxed), 1, "freed once");
    }
}

/// A wake-up comes before the poll, beside it, or after it. The poll that follows sees what the
/// waker has done before.
fn wake() {
    loom::model(|| {
        let cell = Cell::new();
        cell.word.add_ref();
        let other = Arc::clone(&cell);
        let waker = thread::spawn(move || {
            other.ready.store(1, Ordering::Relaxed);
            if other.word.wake() == WakeStep::Queue {
                other.run();
            }
            other.drop_ref();
        });
        cell.run_first();
        waker.join().unwrap();
        assert!(cell.word.is_done(), "the wake-up was lost");
        assert_eq!(cell.detach(), READY);
        cell.was_freed_once();
    });
}

/// A future that yields is cancelled by its handle.
fn cancel_and_yield() {
    loom::model(|| {
        let cell = Cell::new();
        cell.yields.store(2, Ordering::Relaxed);
        let other = Arc::clone(&cell);
        let runner = thread::spawn(move || other.run_first());
        if cell.word.cancel() == Cancel::Stopped(WakeStep::Queue) {
            cell.run();
        }
        runner.join().unwrap();
        assert!(cell.word.is_done(), "it waits for ever");
        assert_eq!(cell.detach(), CANCELLED);
        cell.was_freed_once();
    });
}

/// The same by value: the waker's reference becomes that of the run. The future yields this often,
/// so the wake-up may come while its next run is queued.
fn wake_with_ref(yields: usize) {
    loom::model(move || {
        let cell = Cell::new();
        cell.yields.store(yields, Ordering::Relaxed);
        cell.word.add_ref();
        let other = Arc::clone(&cell);
        let waker = thread::spawn(move || other.make_ready());
        cell.run_first();
        waker.join().unwrap();
        assert!(cell.word.is_done(), "the wake-up was lost");
        assert_eq!(cell.detach(), READY);
        cell.was_freed_once();
    });
}

/// The handle cancels the future while it runs, and waits for the outcome.
fn cancel() {
    loom::model(|| {
        let cell = Cell::new();
        cell.ready.store(1, Ordering::Relaxed);
        let other = Arc::clone(&cell);
        let runner = thread::spawn(move || other.run_first());
        let mut stopped = false;
        let was_open = match cell.word.cancel() {
            Cancel::Stopped(wake) => {
                if wake == WakeStep::Queue {
                    cell.run();
                }
                stopped = true;
                true
            }
            Cancel::Running => true,
            Cancel::Done => false,
        };
        if cell
            .word
            .watch(Watcher::Thread(Sleeper::Member(&cell.parker)))
        {
            // Once: a lost wake-up is a deadlock here.
            cell.parker.park();
        }
        assert!(cell.word.is_done());
        let outcome = cell.take_outcome();
        assert!(outcome == READY || outcome == CANCELLED && was_open);
        assert!(outcome == CANCELLED || !stopped, "it was polled again");
        runner.join().unwrap();
        assert_eq!(cell.word.detach(), Detached::Outcome);
        cell.drop_ref();
        cell.was_freed_once();
    });
}

/// A future that waits is cancelled by its handle and woken by another thread at once.
fn cancel_and_wake() {
    loom::model(|| {
        let cell = Cell::new();
        cell.word.add_ref();
        cell.run_first();
        let other = Arc::clone(&cell);
        let waker = thread::spawn(move || other.make_ready());
        if cell.word.cancel() == Cancel::Stopped(WakeStep::Queue) {
            cell.run();
        }
        waker.join().unwrap();
        let outcome = cell.detach();
        assert!(outcome == READY || outcome == CANCELLED);
        cell.was_freed_once();
    });
}

/// The handle and the last waker go away while the future is polled: it is dropped once.
fn last_reference() {
    loom::model(|| {
        let cell = Cell::new();
        cell.word.add_ref();
        let other = Arc::clone(&cell);
        let waker = thread::spawn(move || other.drop_ref());
        let third = Arc::clone(&cell);
        let handle = thread::spawn(move || assert_eq!(third.detach(), 0));
        cell.run_first();
        waker.join().unwrap();
        handle.join().unwrap();
        assert_eq!(cell.disposed.load(Ordering::Relaxed), 1);
        cell.was_freed_once();
    });
}

/// The end of the pool evicts a future while its handle goes away.
fn evict() {
    loom::model(|| {
        let cell = Cell::new();
        cell.word.add_ref();
        cell.run_first();
        let other = Arc::clone(&cell);
        let pool = thread::spawn(move || {
            // The list of the pool keeps the memory; here it is the first reference.
            if other.word.evict() == WakeStep::Queue {
                other.run();
            }
        });
        let mine = u32::from(cell.detach() != 0);
        pool.join().unwrap();
        cell.drop_ref();
        assert_eq!(mine as usize + cell.disposed.load(Ordering::Relaxed), 1);
        cell.was_freed_once();
    });
}

/// A future is cancelled, and then its pool ends: it was cancelled.
fn cancel_and_evict() {
    loom::model(|| {
        let cell = Cell::new();
        cell.run_first();
        assert_eq!(cell.word.cancel(), Cancel::Stopped(WakeStep::Queue));
        let other = Arc::clone(&cell);
        let pool = thread::spawn(move || {
            assert_eq!(other.word.evict(), WakeStep::Nothing);
        });
        pool.join().unwrap();
        let Run::Drop(reason) = cell.word.resume() else {
            panic!("it is to be dropped");
        };
        assert_eq!(reason, DropReason::Cancelled);
        cell.complete(CANCELLED);
        assert_eq!(cell.detach(), CANCELLED);
        cell.was_freed_once();
    });
}

/// Two clones that the first poll makes on account are dropped by another thread, the second one by
/// a wake-up or without one. If there is no handle either, the future is dropped with the last one.
fn clones_on_account(keeps_handle: bool, wakes: bool) {
    loom::model(move || {
        let cell = Cell::new();
        if !keeps_handle {
            assert_eq!(cell.detach(), 0);
        }
        let run = cell.word.start();
        // Relaxed: the runner alone asks.
        cell.clones.store(2, Ordering::Relaxed);
        let other = Arc::clone(&cell);
        let wakers = thread::spawn(move || {
            other.drop_ref();
            if wakes {
                other.make_ready();
            } else {
                other.drop_ref();
            }
        });
        cell.go_on(run);
        wakers.join().unwrap();
        if keeps_handle {
            assert!(cell.word.is_done(), "it waits for ever");
            assert_eq!(cell.detach(), READY);
        } else {
            // Relaxed: the runner has ended.
            assert_eq!(cell.disposed.load(Ordering::Relaxed), 1);
        }
        cell.was_freed_once();
    });
}

/// The handle goes away while the future ends: exactly one side disposes of the outcome.
fn detach() {
    loom::model(|| {
        let cell = Cell::new();
        cell.ready.store(1, Ordering::Relaxed);
        let other = Arc::clone(&cell);
        let runner = thread::spawn(move || other.run_first());
        if cell
            .word
            .watch(Watcher::Thread(Sleeper::Member(&cell.parker)))
        {
            let _ = cell.word.unwatch();
        }
        let mine = u32::from(cell.detach() != 0);
        runner.join().unwrap();
        assert_eq!(mine as usize + cell.disposed.load(Ordering::Relaxed), 1);
        cell.was_freed_once();
    });
}

/// The handle goes away before the first run, which is alone then, or in it. The run frees the
/// memory after the handle has used it.
fn alone() {
    loom::model(|| {
        let cell = Cell::new();
        // Relaxed: there is no other thread yet. Below: the other one has been joined.
        cell.ready.store(1, Ordering::Relaxed);
        let other = Arc::clone(&cell);
        let handle = thread::spawn(move || other.detach());
        cell.run_first();
        let mine = u32::from(handle.join().unwrap() != 0);
        assert_eq!(mine as usize + cell.disposed.load(Ordering::Relaxed), 1);
        cell.was_freed_once();
    });
}

/// The handle names a watcher twice while the future ends.
fn watch_again() {
    loom::model(|| {
        let cell = Cell::new();
        cell.ready.store(1, Ordering::Relaxed);
        let other = Arc::clone(&cell);
        let runner = thread::spawn(move || other.run_first());
        let watch = || {
            let sleeper = Sleeper::Member(&raw const cell.parker);
            cell.word.watch(Watcher::Thread(sleeper))
        };
        if watch() && watch() {
            while !cell.word.is_done() {
                cell.parker.park();
            }
        }
        assert_eq!(cell.take_outcome(), READY);
        runner.join().unwrap();
        assert_eq!(cell.word.detach(), Detached::Outcome);
        cell.drop_ref();
        cell.was_freed_once();
    });
}

#[test]
fn loom_future_watch_again() {
    watch_again();
    must_catch(Plant::WatchAgainBlind, watch_again);
}

#[test]
fn loom_future_wake() {
    wake();
    must_catch(Plant::FutureWakeLooksFirst, wake);
    must_catch(Plant::FuturePauseForgetsWake, wake);
    wake_with_ref(0);
    must_catch(Plant::FutureWakeLooksFirst, || wake_with_ref(0));
    must_catch(Plant::FuturePauseForgetsWake, || wake_with_ref(0));
}

#[test]
fn loom_future_yield() {
    wake_with_ref(1);
    must_catch(Plant::FutureResumeBlind, || wake_with_ref(1));
    must_catch(Plant::FuturePauseForgetsWake, || wake_with_ref(1));
    cancel_and_yield();
}

#[test]
fn loom_future_cancel() {
    cancel();
    must_catch(Plant::FutureFinishForgetsWatcher, cancel);
    cancel_and_wake();
}

#[test]
fn loom_future_last_reference() {
    last_reference();
    must_catch(Plant::FutureLastRefForgotten, last_reference);
}

#[test]
fn loom_future_evict() {
    evict();
    must_catch(Plant::FutureDetachTwoSteps, evict);
    cancel_and_evict();
    must_catch(Plant::FutureEvictsCancelled, cancel_and_evict);
}

#[test]
fn loom_future_detach() {
    detach();
    must_catch(Plant::FutureDetachTwoSteps, detach);
    must_catch(Plant::UnwatchUnasked, detach);
}

#[test]
fn loom_future_alone() {
    alone();
    must_catch(Plant::FutureAloneUnsynchronised, alone);
}

#[test]
fn loom_future_clones_on_account() {
    clones_on_account(true, true);
    clones_on_account(false, true);
    clones_on_account(false, false);
}

#[test]
fn loom_plants_future_clones_on_account() {
    must_catch(Plant::FutureFreedInPoll, || clones_on_account(false, true));
    must_catch(Plant::FutureClonesForgotten, || {
        clones_on_account(true, true);
    });
}
