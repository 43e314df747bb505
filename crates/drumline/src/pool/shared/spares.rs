//! The spares of a pool: workers that are there because other threads block.

use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::thread::JoinHandle;
use crate::sync::{Mutex, lock};

/// More trials in vain than this are not counted.
const MOST_IN_VAIN: u32 = 4;

/// The spares that there are now, and the handles of their threads.
#[derive(Debug)]
pub(crate) struct Spares {
    /// Their seats.
    seats: Mutex<Vec<usize>>,
    /// In no order. Those of threads that have ended are given back now and then: so there are at
    /// most about twice as many as threads, and to look costs each thread little, however many
    /// there are.
    handles: Mutex<Vec<JoinHandle<()>>>,
    /// How many trials were in vain, less those that were not.
    in_vain: AtomicU32,
}

impl Spares {
    pub(super) fn new() -> Self {
        Spares {
            seats: Mutex::new(Vec::new()),
            handles: Mutex::new(Vec::new()),
            in_vain: AtomicU32::new(0),
        }
    }

    /// How many of the last spares that took the place of a thread that waits had to wait in turn,
    /// less those that had not.
    pub(crate) fn in_vain(&self) -> u32 {
        // Relaxed, here and below: a spare thinks for longer or not because of it. It publishes
        // nothing, and a count that is lost is one of many.
        self.in_vain.load(Ordering::Relaxed)
    }

    /// A spare that took the place of a thread that waits has to wait in turn, or has not.
    pub(crate) fn end_trial(&self, in_vain: bool) {
        let before = self.in_vain.load(Ordering::Relaxed);
        let after = if in_vain {
            (before + 1).min(MOST_IN_VAIN)
        } else {
            before.saturating_sub(1)
        };
        self.in_vain.store(after, Ordering::Relaxed);
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

#[cfg(all(test, not(drumline_shuttle)))]
mod tests {
    use super::{MOST_IN_VAIN, Spares};

    #[test]
    fn trials_are_counted_within_bounds() {
        let spares = Spares::new();
        spares.end_trial(false);
        assert_eq!(spares.in_vain(), 0);
        for _ in 0..2 * MOST_IN_VAIN {
            spares.end_trial(true);
        }
        assert_eq!(spares.in_vain(), MOST_IN_VAIN);
        spares.end_trial(false);
        assert_eq!(spares.in_vain(), MOST_IN_VAIN - 1);
    }
}
