//! The hand-off slot of a worker: the task that it runs next.
//!
//! A task that wakes another one often waits for it right after that: a reply to a question, the
//! next stage of a pipeline. What the two share is in the cache of this processor. So the woken
//! task goes into the slot of the worker that runs the waking job. The worker runs the task when
//! that job has ended. If the slot is full, the task that was there goes to the queue.
//!
//! # Which threads take from it
//!
//! The worker takes the task when its job has ended, but not more than 16 times in a row
//! (`pool::workers::worker`). So two tasks that wake each other do not keep the queue waiting.
//! Any thief takes it once the job has lasted longer than a steal would take. A thief cannot see
//! when that job began. It remembers the *turn* of what it sees, and comes back some microseconds
//! later. If the same turn is still there, the thief takes the task (`pool::workers::thief`). A
//! worker that blocks or waits moves the task to its queue at once.
//!
//! # The protocol
//!
//! The slot is a pointer and a *turn*, a number that the owner alone writes. It is odd while there
//! is something for thieves. Only the owner fills the slot, so both steps of the owner are plain
//! loads and stores:
//!
//! ```text
//!   put                     take, by the owner          steal, by a thief
//!   job  = task             turn += 1: even             claimed: false -> true, or give up
//!   turn += 1: odd          barrier::light()            barrier::heavy(), or give up
//!                           claimed?  -> swap job       turn is even? -> give up
//!                           else      -> load job       swap job with null
//!                                                       claimed = false
//! ```
//!
//! A taker that swaps gets the task or null. So a task has one taker if both swap; and the owner
//! may do without only if no thief gets to its swap.
//!
//! **The race feared** is a task that both get: the owner by its load, a thief by its swap. The
//! owner has made the turn even before it looked at the claim and saw none. The barrier pairs with
//! that: a thief that has claimed before the owner looked is seen; if it claims later, it sees that
//! the turn is even, or that it is that of a task that was put there since. The same holds for the
//! owner's next take: so no take that begins after the thief's barrier misses the claim. When the
//! owner sees the claim released (Acquire), it sees the null as well.
//!
//! A thread that wants to sleep counts a claimed slot as full, because the thief that has claimed
//! it may give up. Other thieves leave the slot alone for a while, and so does a thief that has
//! given up (`pool::workers::thief`). Otherwise, with 64 threads, all idle ones come to the slot
//! during the barrier, and wake each other.
//!
//! An owner that loads leaves the old pointer where it is. It means nothing: the turn is even.
//!
//! **The other race feared** is a task in a slot that no thread looks at: its worker computes for a
//! second, and all others sleep. A full slot counts as work in the scan that a worker makes before
//! it sleeps. What comes later meets the mark, because a put is followed by the same duty as a push
//! to the queue (`Seat::published`).
//!
//! # Without the barrier
//!
//! An owner that fences (see `pool::deque::handshake`) swaps in each take. If the system
//! refuses the barrier, a thief goes on only if that owner has acknowledged, or has been switched
//! out since the claim.
//!
//! # Rejected
//!
//! A swap in each take: it waits for all stores before it. On an Intel Xeon (480 MB of L3 cache) a
//! message between two actors on one worker takes 23.8 nanoseconds with it, and 19.5 without.
//!
//! A flag that says "the owner is taking", beside a turn that says nothing of it: two stores more.
//! On an AMD EPYC it took 15.5 nanoseconds, and the swap 14.8.

use std::ptr;

use crate::job::Header;
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use crate::sync::{barrier, planted};

/// A place for one job.
#[derive(Debug)]
pub(crate) struct HandOff {
    /// Of meaning while the turn is odd. Null: a thief has taken it.
    job: AtomicPtr<Header>,
    /// How often the owner has filled and emptied the slot. Only the owner writes it. Odd: filled.
    turn: AtomicUsize,
    /// A thief is at it.
    claimed: AtomicBool,
    /// The owner will come back to it; written by the owner, and read by it alone.
    open: AtomicBool,
}

impl HandOff {
    pub(crate) fn new() -> Self {
        HandOff {
            job: AtomicPtr::new(ptr::null_mut()),
            turn: AtomicUsize::new(0),
            claimed: AtomicBool::new(false),
            open: AtomicBool::new(false),
        }
    }

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
    /// `fences`: whether the owner runs fences of its own.
    // Always: most puts find the slot empty, and are three instructions.
    #[inline(always)]
    pub(crate) fn put(
        &self,
        job: *const Header,
        fences: impl FnOnce() -> bool,
    ) -> Option<*const Header> {
        // Relaxed: the owner alone writes it.
        let mut turn = self.turn.load(Ordering::Relaxed);
        let mut before = None;
        if is_filled(turn) {
            before = self.take_filled(turn, fences());
            turn = turn.wrapping_add(1);
        }
        self.set_job(job.cast_mut());
        // Release: a thief that reads this turn finds the job that belongs to it, or a later one.
        self.turn.store(turn.wrapping_add(1), Ordering::Release);
        before
    }

    #[cfg(not(drumline_loom))]
    #[inline(always)]
    fn set_job(&self, job: *mut Header) {
        // Release publishes the job to the swap of a thief, which may have read an earlier turn.
        self.job.store(job, Ordering::Release);
    }

    /// The model checker lets a store that follows another thread's swap, unseen, be read as the
    /// older of the two, which no memory model does.
    #[cfg(drumline_loom)]
    fn set_job(&self, job: *mut Header) {
        self.job.swap(job, Ordering::Release);
    }

    /// Takes what is in it, as the owner.
    #[inline]
    pub(crate) fn take(&self, fences: bool) -> Option<*const Header> {
        // Relaxed: the owner alone writes it.
        let turn = self.turn.load(Ordering::Relaxed);
        is_filled(turn)
            .then(|| self.take_filled(turn, fences))
            .flatten()
    }

    #[inline]
    fn take_filled(&self, turn: usize, fences: bool) -> Option<*const Header> {
        // Relaxed: a thief that does not see it has been seen.
        self.turn.store(turn.wrapping_add(1), Ordering::Relaxed);
        if fences {
            return self.swap();
        }
        barrier::light();
        // Acquire pairs with the Release of a thief: its null is seen.
        if self.claimed.load(Ordering::Acquire) && !planted!(HandOffTakenTwice) {
            return self.swap();
        }
        // Relaxed: it was written by the owner, or by a thief that has released its claim.
        let job = self.job.load(Ordering::Relaxed);
        (!job.is_null()).then_some(job.cast_const())
    }

    #[cold]
    fn swap(&self) -> Option<*const Header> {
        // AcqRel: each taker has what the others have done with the slot.
        let job = self.job.swap(ptr::null_mut(), Ordering::AcqRel);
        (!job.is_null()).then_some(job.cast_const())
    }

    /// Whether there is something in it, as far as one can see.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.turn().is_some()
    }

    /// Whether a thief is at it.
    #[inline]
    pub(crate) fn is_claimed(&self) -> bool {
        // Relaxed: a hint.
        self.claimed.load(Ordering::Relaxed)
    }

    /// The turn of what is in it.
    #[inline]
    pub(crate) fn turn(&self) -> Option<usize> {
        // Acquire: the job that belongs to it, or a later one. Otherwise it is a hint; a thread
        // that must not miss a job uses a barrier.
        let turn = self.turn.load(Ordering::Acquire);
        // Relaxed: as above.
        (is_filled(turn) && !self.job.load(Ordering::Relaxed).is_null()).then_some(turn)
    }

    /// Takes what is in it, if the owner is not at it just now. `settles` runs the barrier, and
    /// says whether the owner's stores are visible.
    pub(crate) fn steal(&self, settles: impl FnOnce() -> bool) -> Option<*const Header> {
        // Hints; the swap decides. Acquire: the thief that was here before has done.
        if !self.is_full() || self.is_claimed() || self.claimed.swap(true, Ordering::Acquire) {
            return None;
        }
        let is_sure = settles();
        // Acquire pairs with the Release in `put`.
        let is_there = is_filled(self.turn.load(Ordering::Acquire));
        let job = (is_sure && (is_there || planted!(HandOffTurnUnseen)))
            .then(|| self.swap())
            .flatten();
        // Release: what was taken is seen to be gone.
        self.claimed.store(false, Ordering::Release);
        job
    }
}

fn is_filled(turn: usize) -> bool {
    turn % 2 == 1
}
