//! How long a pool lives: what its end waits for.

use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::thread::JoinHandle;
use crate::sync::{Mutex, lock};
use crate::unwind;
use crate::wait::{Gate, blocking};

/// Counts what keeps a pool alive.
#[derive(Debug)]
pub(crate) struct Lifetime {
    /// Workers that have not ended, calls that keep the pool open, and 1 for the open handle.
    alive: AtomicUsize,
    ended: Gate,
    /// The end, or something that was begun before it, after the handle was dropped.
    ended_or_disturbed: Gate,
    /// Threads that the program's spawner was asked for, and of which nothing was heard.
    awaited: AtomicUsize,
    /// Whether `alive` counts the work that is left to a member for good.
    owes_end: AtomicBool,
    /// The threads of workers.
    handles: Mutex<Vec<JoinHandle<()>>>,
}

impl Lifetime {
    /// Of a pool with an open handle.
    pub(crate) fn new() -> Self {
        Lifetime {
            alive: AtomicUsize::new(1),
            ended: Gate::new(),
            ended_or_disturbed: Gate::new(),
            awaited: AtomicUsize::new(0),
            owes_end: AtomicBool::new(false),
            handles: Mutex::new(Vec::new()),
        }
    }

    /// A worker is about to be started, or a call keeps the pool open.
    pub(crate) fn begin(&self) {
        // Relaxed: its thread is counted already, or orders this by the lock of the idle set.
        self.alive.fetch_add(1, Ordering::Relaxed);
    }

    /// A worker has ended, or could not be started after all; a call has ended, or the handle is
    /// closed.
    pub(crate) fn end(&self) {
        // AcqRel: the last one to leave has seen what the others did.
        if self.alive.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.ended.open();
            self.ended_or_disturbed.open();
        }
    }

    /// Something was begun after the handle was dropped: the program decides how long that takes.
    #[cold]
    pub(crate) fn disturb(&self) {
        self.ended_or_disturbed.open();
    }

    /// Keeps the handle of a worker's thread, to wait for its very end.
    pub(crate) fn keep_handle(&self, handle: JoinHandle<()>) {
        lock(&self.handles).push(handle);
    }

    /// Waits until nothing keeps the pool alive, and then for the very end of the threads: those of
    /// workers, and the `others` that there are then.
    pub(crate) fn wait(&self, others: impl FnOnce() -> Vec<JoinHandle<()>>) {
        self.ended.wait();
        self.join_threads(others);
    }

    /// For the thread that has dropped the handle of a pool at rest: as [`wait`](Self::wait), but
    /// no longer than until something is [begun](Self::disturb).
    pub(crate) fn wait_undisturbed(&self, others: impl FnOnce() -> Vec<JoinHandle<()>>) {
        self.ended_or_disturbed.wait();
        // Acquire: the partner of `end`.
        if self.alive.load(Ordering::Acquire) == 0 {
            self.join_threads(others);
        }
    }

    fn join_threads(&self, others: impl FnOnce() -> Vec<JoinHandle<()>>) {
        let mut handles = std::mem::take(&mut *lock(&self.handles));
        handles.append(&mut others());
        for handle in handles {
            // A worker does not panic; a thread-local destructor of a user may.
            if let Err(payload) = blocking(|| handle.join()) {
                unwind::discard(payload);
            }
        }
    }

    /// The program's spawner is asked for a thread; or an actor of the pool runs elsewhere.
    pub(crate) fn await_thread(&self) {
        // Relaxed, here and below: no more than a hint, see `awaits_threads`.
        self.awaited.fetch_add(1, Ordering::Relaxed);
    }

    /// That thread has begun, or will not come; or the actor has ended.
    pub(crate) fn heard_of_thread(&self) {
        self.awaited.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether the end of the pool may be in the hands of the program: it keeps a builder, or runs
    /// actors.
    pub(crate) fn awaits_threads(&self) -> bool {
        // Relaxed: a builder in the hands of this thread was counted before it got there. With the
        // builders of other threads the count may change at any moment.
        self.awaited.load(Ordering::Relaxed) > 0
    }

    /// The pool has no thread but a member for good, and is closed with work left. It does not end
    /// before that is [done](Self::pay_end).
    pub(crate) fn owe_end(&self) {
        self.begin();
        self.owes_end.store(true, Ordering::Release);
    }

    /// A call that kept the pool open is about to end. `is_over`: nothing is left to be done.
    pub(crate) fn pay_end(&self, is_over: bool) {
        // Acquire: `alive` counts it.
        if is_over && self.owes_end.swap(false, Ordering::Acquire) {
            self.end();
        }
    }
}
