//! The hand-off slot of a worker: the task that it runs next.
//!
//! A task that wakes another one often waits for it right after that: a reply to a question, the
//! next stage of a pipeline. What the two share is in the cache of this processor. So the woken
//! task goes into the slot of the worker whose job has woken it, and the worker runs it when that
//! job has ended. If the slot is full, the task that was there goes to the queue.
//!
//! # Who takes from it
//!
//! The worker, when its job has ended; not more than 16 times in a row, so that two tasks that wake
//! each other do not keep the queue waiting ([`worker`](super::worker)). And any thief, once the
//! job has lasted longer than a steal would take. A thief cannot see when that job began. It
//! remembers the *turn* of what it sees, and comes back some microseconds later. If the same turn
//! is still there, the thief takes the task ([`thief`](super::thief)). A worker that blocks or
//! waits moves the task to its queue at once.
//!
//! # The protocol
//!
//! The slot is one word. Each side takes what is in it by a swap, so a task has one taker. The
//! owner alone fills it: by a store where it is empty, by a swap where a taker may come first. The
//! turn is a hint: a thief that reads the turn of one task and takes the next one has taken a task
//! a few microseconds too early.
//!
//! **The race feared** is a task in a slot that no thread looks at: its worker computes for a
//! second, and all others sleep. A full slot counts as work in the scan that a worker makes before
//! it sleeps. What comes later meets the mark, because a put is followed by the same duty as a push
//! to the queue ([`Seat::published`](super::seat::Seat::published)).
//!
//! # Rejected
//!
//! A lock that is biased towards the owner, which then needs no read-modify-write: a thief claims
//! the slot and runs the asymmetric barrier. It passed its models, and a message between two actors
//! took 15.5 nanoseconds in place of 14.8, one of a ring 16.8 in place of 15.7.

use std::ptr;

use crate::job::Header;
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use crate::sync::planted;

/// A place for one job.
#[derive(Debug)]
pub(crate) struct HandOff {
    /// Null: empty.
    job: AtomicPtr<Header>,
    /// How often the slot was filled; written by the owner.
    turn: AtomicUsize,
    /// The owner will come back to it; written by the owner, and read by it alone.
    open: AtomicBool,
}

impl HandOff {
    pub(crate) fn new() -> Self {
        HandOff {
            job: AtomicPtr::new(ptr::null_mut()),
            turn: AtomicUsize::new(0),
            open: AtomicBool::new(false),
        }
    }

    // ---- the owner ----------------------------------------------------------

    /// Whether the owner will look into the slot when its job has ended.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        // Relaxed: the owner alone writes and reads it.
        self.open.load(Ordering::Relaxed)
    }

    pub(crate) fn set_open(&self, open: bool) {
        self.open.store(open, Ordering::Relaxed);
    }

    /// Fills the slot. Returns what was in it before. To be followed by the duty after a push.
    #[inline]
    pub(crate) fn put(&self, job: *const Header) -> Option<*const Header> {
        // Relaxed: a hint.
        let turn = self.turn.load(Ordering::Relaxed);
        self.turn.store(turn.wrapping_add(1), Ordering::Relaxed);
        // Release, here and below, publishes the job to the Acquire of its taker.
        if !self.is_full() {
            // Only the owner fills the slot, so it stays empty: a store will do.
            self.job.store(job.cast_mut(), Ordering::Release);
            return None;
        }
        let before = self.job.swap(job.cast_mut(), Ordering::AcqRel);
        (!before.is_null()).then_some(before.cast_const())
    }

    // ---- any thread ---------------------------------------------------------

    /// Whether there is something in it, as far as one can see.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        // Relaxed: a hint. A thread that must not miss a job uses a barrier.
        !self.job.load(Ordering::Relaxed).is_null()
    }

    /// The turn of what is in it.
    #[inline]
    pub(crate) fn turn(&self) -> Option<usize> {
        self.is_full().then(|| self.turn.load(Ordering::Relaxed))
    }

    /// Takes what is in it.
    #[inline]
    pub(crate) fn take(&self) -> Option<*const Header> {
        if !self.is_full() {
            return None;
        }
        let job = if planted!(HandOffTakenTwice) {
            let job = self.job.load(Ordering::Acquire);
            self.job.store(ptr::null_mut(), Ordering::Release);
            job
        } else {
            // Acquire pairs with the Release in `put`.
            self.job.swap(ptr::null_mut(), Ordering::AcqRel)
        };
        (!job.is_null()).then_some(job.cast_const())
    }
}
