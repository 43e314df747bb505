//! The thread or future that waits for the end of a task, and where its name lies meanwhile.
//!
//! A task has one handle, so at most one watcher. The name of the watcher lies in a slot beside the
//! word of the task. A bit of that word says which side owns the slot:
//!
//! ```text
//!                    set()                        the task ends
//!   the handle's ──────────────► the task's ──────────────────────► the runner's
//!        ▲                            │
//!        └────────────────────────────┘
//!                   unset()
//! ```
//!
//! **The race feared** is a handle that looks, finds the task at work, and sleeps after the runner
//! has looked for a watcher. It cannot happen: `set` publishes the name and learns the state in one
//! read-modify-write, and so does the end of the task. `unset` changes the bit only while the task
//! has not ended. So after the end the slot is the runner's if the bit was set, and else the
//! handle's.
//!
//! *A handle names another watcher while the task ends*, as a handle does that is polled twice. The
//! slot may be the runner's by then, for good. So `set` begins with `unset`, and touches the slot
//! only if that has got it back.

use std::task::Waker;

use super::Sleeper;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{CheckedCell, planted};

/// How to tell a handle that its task has ended.
#[derive(Debug)]
pub(crate) enum Watcher {
    /// A thread sleeps until then.
    Thread(Sleeper),
    /// A future is polled again.
    Task(Waker),
}

/// What the word of a task says about its slot.
#[derive(Clone, Copy)]
pub(super) struct WatchBits {
    /// Set while the slot is the task's.
    pub(super) watched: usize,
    /// Whether the task has ended, by its word.
    pub(super) is_done: fn(usize) -> bool,
}

/// The slot for a watcher.
#[derive(Debug)]
pub(super) struct WatchSlot(CheckedCell<Option<Watcher>>);

impl WatchSlot {
    pub(super) fn new() -> Self {
        WatchSlot(CheckedCell::new(None))
    }

    /// Handle: names the watcher, in place of the one that was named before. `change` sets the bit
    /// in the word and returns the word as it was. `false`: the task has ended, and will not tell
    /// this watcher.
    ///
    /// # Safety
    ///
    /// The caller is the one thread that acts for the handle.
    #[must_use]
    pub(super) unsafe fn set(
        &self,
        word: &AtomicUsize,
        watcher: Watcher,
        bits: WatchBits,
        change: impl FnOnce() -> usize,
    ) -> bool {
        // Acquire: with the end comes the outcome.
        let now = word.load(Ordering::Acquire);
        let has_ended =
            (bits.is_done)(now) || now & bits.watched != 0 && self.unset(word, bits).is_none();
        if has_ended && !planted!(WatchAgainBlind) {
            return false;
        }
        // SAFETY: no watcher is named now, so the slot is the handle's until `change` publishes it.
        self.0.with_mut(|slot| unsafe { *slot = Some(watcher) });
        if (bits.is_done)(change()) {
            // SAFETY: the end came before the bit, so the slot is still the handle's.
            drop(unsafe { self.take() });
            return false;
        }
        true
    }

    /// Handle: takes the watcher back. `None`: there is none, or the task has ended.
    pub(super) fn unset(&self, word: &AtomicUsize, bits: WatchBits) -> Option<Watcher> {
        // Acquire, here and below: with the end comes the outcome. The slot was written by this
        // very handle.
        let mut now = word.load(Ordering::Acquire);
        if planted!(UnwatchUnasked) {
            word.fetch_and(!bits.watched, Ordering::Relaxed);
            // SAFETY: none; the runner may be there.
            return unsafe { self.take() };
        }
        while now & bits.watched != 0 && !(bits.is_done)(now) {
            let unwatched = now & !bits.watched;
            match word.compare_exchange_weak(now, unwatched, Ordering::Acquire, Ordering::Acquire) {
                // SAFETY: the bit was cleared before the end, so the slot is the handle's again.
                Ok(_) => return unsafe { self.take() },
                Err(other) => now = other,
            }
        }
        None
    }

    /// Takes the watcher out.
    ///
    /// # Safety
    ///
    /// The slot is the caller's: the handle's, or the runner's if the bit was set when the task
    /// ended. What the other side did to it is visible.
    pub(super) unsafe fn take(&self) -> Option<Watcher> {
        // SAFETY: the caller's obligation.
        self.0.with_mut(|slot| unsafe { (*slot).take() })
    }
}
