//! The life of a spawned future, in one word: how far it is, and how many references there are.
//!
//! ```text
//!          start()             pause(): nothing came
//!   WOKEN ─────────► ACTIVE ────────────────────────────► idle: neither bit is set
//!    new()            ▲ │ ▲ ◄────────────────────────────   │
//!                     │ │ │       wake(), cancel()          │
//!            resume(),│ │ │                                 │
//!             pause() │ │ wake(), during the poll           │
//!                     │ ▼                                   │
//!                ACTIVE, WOKEN                              │
//!                       └── finish(), at any time while ACTIVE ──► DONE, for good
//! ```
//!
//! | bit | set by | means |
//! |---|---|---|
//! | `WOKEN` | `new`, a wake-up, a cancellation | a poll is to begin after this |
//! | `ACTIVE` | `start`, a wake-up of an idle future | its run is queued, or polls or drops it |
//! | `DONE` | `finish` | the future is gone; the outcome is in place |
//! | `CANCELLED` | `cancel`, the last reference | it is not polled again: its run drops it |
//! | `EVICTED` | `evict` | as `CANCELLED`, because the pool ends |
//! | `HANDLE` | `new` | a handle may ask for the outcome |
//! | `WATCHED` | `watch` | a [watcher](super::watcher) is named |
//!
//! **References** are counted in the bits above: one for each waker, one for the handle, and one
//! for the run, from the moment at which ACTIVE is set in an idle word until the run has ended.
//!
//! **Clones on account.** A future that waits clones the waker of its poll. The run counts such a
//! clone for itself, and adds it to the word when the poll has ended, in the step that it takes
//! anyway ([`pause`](FutureWord::pause)). Until then the word may be short of references, and even
//! of more than it has: the count wraps. So as long as ACTIVE is set no step goes by the count, but
//! for those of the run, which know what is missing. The memory stays: ACTIVE is the run's.
//!
//! **Which thread owns the future**: the one that has the run. Only a change from idle queues one.
//! It goes to the thread that takes it out of the queue, and that thread begins with `resume`: a
//! plain load of the word, as a rule. A wake-up meanwhile leaves its note in the word, which
//! `resume` takes before the poll, or `pause` after it. So there is one run at a time. A poll that
//! yields changes nothing in the word, and hands the run on through the queue. While there is a
//! handle, the first run begins with a read-modify-write (`start`), so that the handle can tell a
//! future that was never polled.
//!
//! **Alone.** A run that has the only reference to a future which no list keeps is the only thread
//! that will ever see the word. It begins with a plain store, and ends with none: it frees the
//! memory ([`is_alone`](FutureWord::is_alone)). So a future that nothing waits for, and that is
//! ready at its first poll, costs one read-modify-write, that of its handle.
//!
//! **Which thread owns the outcome**: the runner until `finish`. If HANDLE was set then, the
//! handle; else still the runner. `finish` and `detach` are read-modify-writes of one word, so one
//! of them is second, sees the other, and knows that the outcome is its own.
//!
//! **The last reference.** A future to which nothing refers can never be woken. It is dropped, but
//! not here: the thread that drops the last reference may hold locks. Its reference becomes that of
//! one more run, with CANCELLED set. So the count of a word that is not DONE never is 0. A run that
//! finds itself with the only reference keeps it, and drops the future at once.
//!
//! **The races feared.** *A wake-up comes while the poll that will miss it ends.* Each wake-up is a
//! read-modify-write, also where WOKEN is set already: it publishes what the waker has seen to the
//! poll that follows. `pause` leaves ACTIVE only in a step that sees whether WOKEN is set.
//! *Two threads queue a run.* Only one of them changes the word from idle.

use super::watcher::{WatchBits, WatchSlot, Watcher};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::planted;

const WOKEN: usize = 1;
const ACTIVE: usize = 2;
const DONE: usize = 4;
const CANCELLED: usize = 8;
const EVICTED: usize = 16;
const HANDLE: usize = 32;
const WATCHED: usize = 64;
/// One reference.
const REF: usize = 128;

const WATCH: WatchBits = WatchBits {
    watched: WATCHED,
    is_done: |word| word & DONE != 0,
};

/// What a run has to do.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// Poll the future.
    Poll,
    /// Drop it.
    Drop(DropReason),
}

/// Why a future is dropped before it is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DropReason {
    /// It was cancelled, or nothing refers to it.
    Cancelled,
    /// Its pool, or its scope, ends.
    Evicted,
}

/// What becomes of a future that is not ready.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// It waits. The run has no reference any more, and touches nothing.
    Idle,
    /// It was woken meanwhile: to be queued again, with the reference of this run.
    Again,
    /// It is still the runner's, to be dropped.
    Drop(DropReason),
}

/// What a wake-up has to do.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WakeStep {
    /// Nothing: it is queued already, or done.
    Nothing,
    /// Queue a run. Its reference has been counted, or was the caller's.
    Queue,
}

/// What a request to stop has met.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cancel {
    /// The future is done.
    Done,
    /// A poll, or the drop, is under way, or about to begin. A poll may still make it ready.
    Running,
    /// It is not polled again. What the caller has to do for that.
    Stopped(WakeStep),
}

/// What the runner does after its last step.
#[must_use]
#[derive(Debug)]
pub(crate) struct Finished {
    /// No handle will ask for the outcome: it is the runner's.
    pub(crate) is_detached: bool,
    pub(crate) watcher: Option<Watcher>,
}

/// What came of a handle that goes away.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detached {
    /// The future is done: the outcome is the handle's, which still has its reference.
    Outcome,
    /// The future goes on. The reference of the handle was dropped.
    Dropped(Dropped),
}

/// What a thread does that has dropped a reference.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dropped {
    /// Nothing: there are others.
    Kept,
    /// Free the memory.
    Free,
    /// Queue a run, which drops the future: nothing else refers to it.
    Queue,
}

/// The word of one future.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct FutureWord {
    /// First: the fields beside the word are used by each run (`future::cell`).
    watcher: WatchSlot,
    word: AtomicUsize,
}

// SAFETY: the word says which thread uses the slot; the rest is atomic.
unsafe impl Sync for FutureWord {}

impl FutureWord {
    /// Of a future with a handle, of which a run is to be queued.
    pub(crate) fn new() -> Self {
        FutureWord {
            word: AtomicUsize::new(WOKEN | HANDLE | (2 * REF)),
            watcher: WatchSlot::new(),
        }
    }

    /// Changes the word by `change`, and returns it as it was; or stops where `change` says so.
    ///
    /// AcqRel: each step publishes what its thread has done to the steps that come later.
    #[inline]
    fn step<S>(&self, mut change: impl FnMut(usize) -> Result<usize, S>) -> Result<usize, S> {
        // Acquire: a step that `change` stops has seen what is in the word.
        let mut now = self.word.load(Ordering::Acquire);
        loop {
            let next = change(now)?;
            match self
                .word
                .compare_exchange_weak(now, next, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return Ok(now),
                Err(other) => now = other,
            }
        }
    }

    /// A reference is made from another one.
    #[inline]
    pub(crate) fn add_ref(&self) {
        // Relaxed: the caller has a reference.
        let before = self.word.fetch_add(REF, Ordering::Relaxed);
        // The last quarter: clones on account that are gone.
        if (isize::MAX as usize..usize::MAX / 4 * 3).contains(&before) {
            // The memory would be freed under the eyes of others.
            std::process::abort();
        }
    }

    /// The run adds the clones on account.
    #[cold]
    pub(crate) fn add_clones(&self, clones: usize) {
        // Relaxed: the run has a reference.
        self.word.fetch_add(clones * REF, Ordering::Relaxed);
    }

    /// A reference is dropped.
    #[inline]
    pub(crate) fn drop_ref(&self) -> Dropped {
        let before = self.step(|now| {
            if is_abandoned(now) {
                // The reference is that of the run.
                Ok::<_, ()>(now | ACTIVE | CANCELLED)
            } else {
                Ok(now.wrapping_sub(REF))
            }
        });
        match before {
            Ok(before) if before & ACTIVE != 0 && !planted!(FutureFreedInPoll) => Dropped::Kept,
            Ok(before) if before >= 2 * REF => Dropped::Kept,
            Ok(before) if is_abandoned(before) => Dropped::Queue,
            _ => Dropped::Free,
        }
    }

    /// Wakes the future. The caller keeps its own reference.
    #[inline]
    pub(crate) fn wake(&self) -> WakeStep {
        self.queue(0, REF).map_or(WakeStep::Nothing, queues)
    }

    /// Wakes the future. The caller's reference goes to the run if one is to be queued, and is
    /// still the caller's if not.
    #[inline]
    pub(crate) fn wake_with_ref(&self) -> WakeStep {
        self.queue(0, 0).map_or(WakeStep::Nothing, queues)
    }

    /// Sets `bits`, and ACTIVE if a run is to be queued, with `references` added for it; else
    /// WOKEN. Returns the word as it was; `None`: it is done.
    #[inline]
    fn queue(&self, bits: usize, references: usize) -> Option<usize> {
        self.step(|now| {
            if now & DONE != 0 || planted!(FutureWakeLooksFirst) && now & WOKEN != 0 {
                return Err(());
            }
            let bits = if now & CANCELLED == 0 || planted!(FutureEvictsCancelled) {
                bits
            } else {
                bits & !EVICTED
            };
            if now & (WOKEN | ACTIVE) == 0 {
                Ok((now | ACTIVE | bits) + references)
            } else {
                // Also if it is set: the poll that follows sees what the caller has done.
                Ok(now | WOKEN | bits)
            }
        })
        .ok()
    }

    /// Asks that the future be dropped.
    pub(crate) fn cancel(&self) -> Cancel {
        match self.queue(CANCELLED, REF) {
            None => Cancel::Done,
            Some(before) if before & ACTIVE != 0 => Cancel::Running,
            Some(before) => Cancel::Stopped(queues(before)),
        }
    }

    /// As [`cancel`](Self::cancel), because the pool or the scope ends. (What was cancelled before
    /// stays so.) It needs no reference while another thread cannot free the memory.
    pub(crate) fn evict(&self) -> WakeStep {
        self.queue(CANCELLED | EVICTED, REF)
            .map_or(WakeStep::Nothing, queues)
    }

    /// Whether the outcome is in place.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        // Acquire pairs with the Release in `finish`.
        self.word.load(Ordering::Acquire) & DONE != 0
    }

    /// Begins the first run.
    #[inline]
    pub(crate) fn start(&self) -> Run {
        // Acquire pairs with the step of the handle that has gone away.
        if self.word.load(Ordering::Acquire) == WOKEN | REF {
            // Relaxed: no other thread refers to the future.
            self.word.store(ACTIVE | REF, Ordering::Relaxed);
            return Run::Poll;
        }
        // One addition clears WOKEN and sets ACTIVE. Acquire pairs with every wake-up.
        let before = self.word.fetch_add(ACTIVE - WOKEN, Ordering::AcqRel);
        debug_assert!(
            before & (WOKEN | ACTIVE | DONE) == WOKEN,
            "one run at a time"
        );
        match drop_reason(before) {
            Some(reason) => Run::Drop(reason),
            None => Run::Poll,
        }
    }

    /// The poll has ended, and the future is to be polled again. Whether the caller may queue the
    /// run, with its reference. If not, it is to [pause](Self::pause).
    #[inline]
    #[must_use]
    pub(crate) fn may_yield(&self) -> bool {
        // Relaxed: a cancellation that comes later is seen when the run goes on.
        self.word.load(Ordering::Relaxed) & CANCELLED == 0
    }

    /// Begins a later run.
    #[inline]
    pub(crate) fn resume(&self) -> Run {
        let (load, change) = if planted!(FutureResumeBlind) {
            (Ordering::Relaxed, Ordering::Relaxed)
        } else {
            // Acquire, twice: pairs with every wake-up.
            (Ordering::Acquire, Ordering::AcqRel)
        };
        let mut now = self.word.load(load);
        debug_assert!(now & (ACTIVE | DONE) == ACTIVE, "one run at a time");
        if now & WOKEN != 0 {
            // This poll is the one that was asked for.
            now = self.word.fetch_and(!WOKEN, change);
        }
        match drop_reason(now) {
            Some(reason) => Run::Drop(reason),
            None => Run::Poll,
        }
    }

    /// The poll has ended, and the future is not ready. `clones`: how many are on account. They are
    /// counted after this.
    #[inline]
    pub(crate) fn pause(&self, clones: usize) -> Pause {
        let missing = if planted!(FutureClonesForgotten) {
            0
        } else {
            clones * REF
        };
        let before = self.step(|now| {
            let now = now.wrapping_add(missing);
            if let Some(reason) = drop_reason(now) {
                Err(reason)
            } else if now & WOKEN != 0 && !planted!(FuturePauseForgetsWake) {
                Ok(now & !WOKEN)
            } else if now < 2 * REF {
                Err(DropReason::Cancelled)
            } else {
                Ok((now & !ACTIVE) - REF)
            }
        });
        match before {
            Err(reason) => {
                if clones > 0 {
                    self.add_clones(clones);
                }
                Pause::Drop(reason)
            }
            Ok(before) if before & WOKEN != 0 && !planted!(FuturePauseForgetsWake) => Pause::Again,
            Ok(_) => Pause::Idle,
        }
    }

    /// Whether nothing but the run refers to the future: the run may free the memory, and no other
    /// thread finds the outcome. No list has the future, and no clones are on account.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        let load = if planted!(FutureAloneUnsynchronised) {
            // The planted bug.
            Ordering::Relaxed
        } else {
            // Acquire pairs with the steps of the references that are gone.
            Ordering::Acquire
        };
        // A handle has a reference as long as its bit is set.
        self.word.load(load) < 2 * REF
    }

    /// The outcome is in place, and the future is gone. The run still has its reference.
    #[inline]
    pub(crate) fn finish(&self) -> Finished {
        let before = self.step(|now| Ok::<_, ()>((now & !(WOKEN | ACTIVE | WATCHED)) | DONE));
        let before = before.unwrap_or_default();
        Finished {
            is_detached: before & HANDLE == 0,
            // SAFETY: WATCHED was set at the end, so the slot is the runner's.
            watcher: (before & WATCHED != 0 && !planted!(FutureFinishForgetsWatcher))
                .then(|| unsafe { self.watcher.take() })
                .flatten(),
        }
    }

    /// Handle: names a watcher, in place of the one that was named before. `false`: the future is
    /// done, and will not tell it. By one thread at a time.
    #[must_use]
    pub(crate) fn watch(&self, watcher: Watcher) -> bool {
        let change = || self.word.fetch_or(WATCHED, Ordering::AcqRel);
        // SAFETY: one thread at a time acts for the handle.
        unsafe { self.watcher.set(&self.word, watcher, WATCH, change) }
    }

    /// Handle: takes the watcher back, if one is named and the future is not done.
    pub(crate) fn unwatch(&self) -> Option<Watcher> {
        self.watcher.unset(&self.word, WATCH)
    }

    /// Handle, which has named no watcher: it goes away, and will not ask for the outcome.
    #[inline]
    pub(crate) fn detach(&self) -> Detached {
        if planted!(FutureDetachTwoSteps) {
            let is_done = self.is_done();
            self.word.fetch_and(!HANDLE, Ordering::AcqRel);
            return if is_done {
                Detached::Outcome
            } else {
                Detached::Dropped(self.drop_ref())
            };
        }
        let before = self.step(|now| {
            if now & DONE != 0 {
                Err(())
            } else if is_abandoned(now) {
                // The reference is that of the run.
                Ok((now & !HANDLE) | ACTIVE | CANCELLED)
            } else {
                // In a run, the count may be short.
                Ok((now & !HANDLE).wrapping_sub(REF))
            }
        });
        match before {
            Err(()) => Detached::Outcome,
            Ok(before) if is_abandoned(before) => Detached::Dropped(Dropped::Queue),
            // That of the run is left, or one of a waker.
            Ok(_) => Detached::Dropped(Dropped::Kept),
        }
    }
}

/// What a wake-up has to do that found the word like this.
fn queues(before: usize) -> WakeStep {
    if before & (WOKEN | ACTIVE) == 0 {
        WakeStep::Queue
    } else {
        WakeStep::Nothing
    }
}

/// Whether the only reference is about to be dropped, and the future is neither done nor in a run.
fn is_abandoned(word: usize) -> bool {
    word < 2 * REF && word & (DONE | ACTIVE) == 0 && !planted!(FutureLastRefForgotten)
}

fn drop_reason(word: usize) -> Option<DropReason> {
    if word & CANCELLED == 0 {
        None
    } else if word & EVICTED == 0 {
        Some(DropReason::Cancelled)
    } else {
        Some(DropReason::Evicted)
    }
}
