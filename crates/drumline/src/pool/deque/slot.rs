//! One place of a deque: a job, and the word that says which thread owns it.
//!
//! The word is written only once a thief has taken the entry; an entry that
//! its owner pushes and pops undisturbed never touches it, and whatever an
//! earlier theft left in it means nothing.
//!
//! ```text
//!            thief, under the thief-lock
//!  (stale) ────────────────────────────► TAKEN(thief)
//!                                          │      │
//!        thief wins: start()               │      │  owner wins: take_back()
//!                                          ▼      ▼
//!                              STARTED(thief)    BACK
//!                                 │       │
//!                  owner: watch() │       │ thief: finish()
//!                                 ▼       ▼
//!                 STARTED(thief)+WAITING ─► DONE(thief)
//! ```
//!
//! **The race feared** is a thief that falls asleep between taking and
//! starting, while the owner takes the job back, returns from the frame that
//! holds it and pushes another job into the same slot. The late thief must not
//! start the new job in the name of the old one. It cannot: the word names the
//! thief, a thief takes one entry at a time, so the word `TAKEN(thief)` can be
//! found by that thief's `start` only while its own theft is undecided. For
//! the same reason a thief touches the frame only after `start` succeeded.

use crate::job::Header;
use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::sync::planted;

const STATE: usize = 0b11;
const TAKEN: usize = 0;
const STARTED: usize = 1;
const DONE: usize = 2;
const BACK: usize = 3;
/// The owner sleeps, or is about to: set by `watch`, seen by `finish`.
const WAITING: usize = 0b100;
const THIEF_SHIFT: u32 = 3;

/// What the word of a taken entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StealState {
    /// A thief has the entry and has not begun to run it.
    Taken,
    /// The thief with this seat number runs it.
    Started(usize),
    /// It has been run; its result is in place.
    Done,
}

/// An entry of a deque. 16 bytes, so that none straddles a cache line.
#[derive(Debug)]
#[repr(align(16))]
pub(crate) struct Slot {
    job: AtomicPtr<Header>,
    word: AtomicUsize,
}

impl Slot {
    /// A slot without a job.
    #[cfg(any(drumline_loom, miri))]
    pub(crate) fn empty() -> Slot {
        Slot {
            job: AtomicPtr::new(std::ptr::null_mut()),
            word: AtomicUsize::new(0),
        }
    }

    /// Owner: writes a job. Relaxed, because the job is published by the
    /// Release store of `top` that follows.
    #[inline(always)]
    pub(crate) fn write(&self, job: *const Header) {
        self.job.store(job.cast_mut(), Ordering::Relaxed);
    }

    /// Thief, with the slot claimed: the job that is in it. Relaxed: the
    /// thief has loaded `top` with Acquire.
    pub(crate) fn read(&self) -> *const Header {
        self.job.load(Ordering::Relaxed).cast_const()
    }

    /// Thief, under the thief-lock: notes that `thief` takes the entry. Relaxed, because the owner
    /// looks only after it has had the lock, and because `start` is by the same thread.
    pub(crate) fn take(&self, thief: usize) {
        self.word
            .store(TAKEN | thief << THIEF_SHIFT, Ordering::Relaxed);
    }

    /// Thief: wins the right to run what it has taken, or learns that the
    /// owner has it back.
    #[must_use]
    pub(crate) fn start(&self, thief: usize) -> bool {
        if planted!(StartUnasked) {
            self.word
                .store(STARTED | thief << THIEF_SHIFT, Ordering::Release);
            return true;
        }
        if planted!(StartIgnoresName) && self.word.load(Ordering::Relaxed) & STATE == TAKEN {
            self.word
                .store(STARTED | thief << THIEF_SHIFT, Ordering::Release);
            return true;
        }
        // Release: the owner that sees STARTED also sees the thief's floor.
        // Acquire is not needed: the job was read under the lock.
        // Relaxed on failure: the owner has the job back, and the thief does not touch it.
        self.word
            .compare_exchange(
                TAKEN | thief << THIEF_SHIFT,
                STARTED | thief << THIEF_SHIFT,
                Ordering::Release,
                Ordering::Relaxed,
            )
            .is_ok()
    }

    /// Thief: the result is in the frame. After this call the frame may be
    /// gone. Returns whether the owner has to be woken.
    #[must_use]
    pub(crate) fn finish(&self, thief: usize) -> bool {
        // Release publishes the result to the Acquire in `progress`; Acquire
        // pairs with `watch`, so that the owner's parker is seen prepared.
        let order = if planted!(FinishRelaxed) {
            Ordering::Relaxed
        } else {
            Ordering::AcqRel
        };
        let before = self.word.swap(DONE | thief << THIEF_SHIFT, order);
        before & WAITING != 0 && !planted!(FinishWakesNobody)
    }

    /// Owner, after a theft: takes the job back if the thief has not begun.
    #[must_use]
    pub(crate) fn take_back(&self) -> bool {
        // Relaxed throughout: the owner has had the lock since the theft. A thief that loses has
        // not touched the job. If the owner loses, `progress` acquires.
        let word = self.word.load(Ordering::Relaxed);
        if planted!(TakeBackUnasked) {
            return word & STATE == TAKEN;
        }
        word & STATE == TAKEN
            && self
                .word
                .compare_exchange(word, BACK, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    /// Owner, after a theft that was not taken back: how far the thief is.
    pub(crate) fn progress(&self) -> StealState {
        // Acquire pairs with the Release in `start` and `finish`.
        let word = self.word.load(Ordering::Acquire);
        match word & STATE {
            DONE => StealState::Done,
            STARTED => StealState::Started(word >> THIEF_SHIFT),
            _ => StealState::Taken,
        }
    }

    /// Owner: asks to be woken. Returns `false` if the job is done already.
    #[must_use]
    pub(crate) fn watch(&self) -> bool {
        // Release pairs with the Acquire in `finish`.
        let note = if planted!(WatchUnnoticed) { 0 } else { WAITING };
        let before = self.word.fetch_or(note, Ordering::AcqRel);
        before & STATE != DONE
    }
}
