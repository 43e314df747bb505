//! Whether a thread outside that has queued work takes the lock of the idle set: the word and its
//! fences. [`alert`](super::alert) tells how it is used.

use super::role::Wake;
use super::state::IdleState;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{barrier, planted};

/// `alert` takes the lock.
const LOCK: usize = 0;
/// The searcher is awake, and looks before it naps.
const NONE: usize = 1;
/// The lock would change nothing.
const SETTLED: usize = 2;

/// Whether a thread outside that has queued work takes the lock.
#[derive(Debug)]
pub(super) struct AlertNeed {
    word: AtomicUsize,
}

impl AlertNeed {
    pub(super) fn new() -> Self {
        AlertNeed {
            word: AtomicUsize::new(LOCK),
        }
    }

    /// The lock was just taken.
    pub(super) fn begin_change(&self) {
        if !is_modelled() {
            return;
        }
        // Relaxed, here and below: the fences order it, and it publishes nothing else.
        if self.word.load(Ordering::Relaxed) == SETTLED && !planted!(SettledTooLong) {
            self.word.store(LOCK, Ordering::Relaxed);
            barrier::fence();
        }
    }

    /// The lock is about to be released.
    pub(super) fn end_change(&self, state: &IdleState) {
        if is_modelled() {
            // Relaxed: as in `begin_change`.
            self.word.store(state.alert_need(), Ordering::Relaxed);
        }
    }

    /// After a push and a fence.
    pub(super) fn is_there(&self) -> bool {
        // Relaxed: the fence of the caller comes before it.
        self.word.load(Ordering::Relaxed) == LOCK
    }
}

/// Whether the need is written at all. Without it, each `alert` takes the lock.
pub(super) fn is_modelled() -> bool {
    #[cfg(all(test, drumline_loom))]
    return crate::sync::plant::alerts();
    #[cfg(not(all(test, drumline_loom)))]
    true
}

impl IdleState {
    fn alert_need(&self) -> usize {
        match self.searcher {
            Some(searcher) if self.napping == Some(searcher) && self.place_is_free() => LOCK,
            Some(_) => NONE,
            None if self.is_settled() => SETTLED,
            None => LOCK,
        }
    }

    /// There is no searcher: whether [`summon`](Self::summon) would change nothing.
    fn is_settled(&self) -> bool {
        if self.wake_requested || self.over {
            return false;
        }
        if self.place_is_free() {
            self.idle.is_empty() && !self.may_start_worker() && self.at_the_limit() == Wake::None
        } else {
            !self.worker_policy.monitored
                || self.monitor.is_some()
                || self.idle.is_empty()
                    && (self.is_coming()
                        || self.workers >= self.worker_policy.max_workers
                            && self.displaced_len == 0)
        }
    }
}
