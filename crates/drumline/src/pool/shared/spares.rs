//! The spares of a pool: workers that are there because other threads block.

use crate::sync::thread::JoinHandle;
use crate::sync::{Mutex, lock};

/// The spares that there are now, and the handles of their threads.
#[derive(Debug)]
pub(crate) struct Spares {
    /// Their seats.
    seats: Mutex<Vec<usize>>,
    /// In no order. Those of threads that have ended are given back now and then: so there are at
    /// most about twice as many as threads, and to look costs each thread little, however many
    /// there are.
    handles: Mutex<Vec<JoinHandle<()>>>,
}

impl Spares {
    pub(super) fn new() -> Self {
        Spares {
            seats: Mutex::new(Vec::new()),
            handles: Mutex::new(Vec::new()),
        }
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.seats).len()
    }

    /// Calls `use_them` with their seats, none of which is removed meanwhile.
    pub(super) fn with<R>(&self, use_them: impl FnOnce(&[usize]) -> R) -> R {
        use_them(&lock(&self.seats))
    }

    /// A spare is about to be started.
    pub(super) fn add(&self, seat: usize) {
        lock(&self.seats).push(seat);
    }

    /// A spare has left the idle set for good, or could not be started.
    pub(super) fn remove(&self, seat: usize) {
        lock(&self.seats).retain(|&spare| spare != seat);
    }

    /// Keeps the handle of a spare's thread, to wait for its very end if it
    /// lives to the end of the pool.
    pub(crate) fn keep_handle(&self, handle: JoinHandle<()>) {
        lock(&self.handles).push(handle);
    }

    /// Gives back what ended threads still hold, if there are many beside those that live. They are
    /// not waited for: a thread-local destructor of a user may still run, for any length of time.
    pub(crate) fn reap(&self) {
        #[cfg(not(drumline_shuttle))]
        {
            let alive = self.len();
            let mut handles = lock(&self.handles);
            if handles.len() > 2 * alive {
                handles.retain(|handle| !handle.is_finished());
            }
        }
    }

    /// All handles that there are.
    pub(super) fn take_handles(&self) -> Vec<JoinHandle<()>> {
        std::mem::take(&mut *lock(&self.handles))
    }
}
