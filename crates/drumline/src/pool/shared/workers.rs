//! The workers of a pool, and the moment when none is left.
//!
//! A worker counts from before its thread is started. So calls rely on workers that have not come
//! yet: they queue their work, and wait. The thread may turn out not to come at all (the program's
//! spawner dropped its [`ThreadBuilder`](crate::pool::ThreadBuilder)). If it was the last one, no
//! thread looks at the queues any more: new calls run on the threads that make them.
//!
//! ```text
//!   a call                              the last builder is dropped
//!   ──────                              ───────────────────────────
//!   counts the workers: some            takes the worker off the list
//!   queues its work                     fence
//!   fence                               looks at the queues: has all that is there run
//!   counts again: none? has it run
//! ```
//!
//! # The race feared
//!
//! The call relies on the worker, and the worker goes without having seen the work. Then nothing
//! ever runs it. It cannot happen: of two fences one is first. Either the call counts again after
//! the removal, or the look at the queues finds the work. Both may happen. The queue hands each
//! job to one thread.
//!
//! Work that is sent to one worker is queued under the lock of the list. So it is not sent to a
//! worker that has gone.

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, barrier, lock, planted};

/// The workers that a pool has or expects, spares apart.
#[derive(Debug)]
pub(crate) struct Workers {
    /// Their seats, in the order in which they were made.
    seats: Mutex<Vec<usize>>,
    /// How many there are; written under the lock.
    count: AtomicUsize,
}

impl Workers {
    pub(crate) fn new() -> Self {
        Workers {
            seats: Mutex::new(Vec::new()),
            count: AtomicUsize::new(0),
        }
    }

    /// How many there are. A call that relies on one asks [again](Self::are_gone).
    pub(crate) fn len(&self) -> usize {
        // Relaxed, here and where it is written: a hint. `remove` and `are_gone` fence.
        self.count.load(Ordering::Relaxed)
    }

    /// Calls `use_them` with their seats, none of which is removed meanwhile.
    pub(crate) fn with<R>(&self, use_them: impl FnOnce(&[usize]) -> R) -> R {
        use_them(&lock(&self.seats))
    }

    pub(crate) fn add(&self, seat: usize) {
        let mut seats = lock(&self.seats);
        seats.push(seat);
        // Relaxed: as in `len`.
        self.count.store(seats.len(), Ordering::Relaxed);
    }

    /// Removes a worker that will not come. Returns whether none is left: then the caller has to
    /// see to what is queued.
    #[must_use]
    pub(crate) fn remove(&self, seat: usize) -> bool {
        let left = {
            let mut seats = lock(&self.seats);
            seats.retain(|&worker| worker != seat);
            // Relaxed: as in `len`.
            self.count.store(seats.len(), Ordering::Relaxed);
            seats.len()
        };
        if !planted!(RemovalUnfenced) {
            barrier::fence();
        }
        left == 0
    }

    /// For a thread that has just queued work in reliance on a worker: whether none is left. Then
    /// the caller has to see to what is queued.
    pub(crate) fn are_gone(&self) -> bool {
        barrier::fence();
        self.are_gone_after_fence()
    }

    /// The same, for a thread that has run a fence since it queued the work.
    pub(crate) fn are_gone_after_fence(&self) -> bool {
        self.len() == 0 && !planted!(WorkersUnasked)
    }
}
