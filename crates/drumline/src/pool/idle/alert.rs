//! What a thread outside does when it has queued work.
//!
//! A push to a deque goes by the mark that the deque carries. A thread outside of the pool has no
//! deque. It goes by one word, the *need*, which says whether [`alert`](IdleSet::alert) takes the
//! lock of the idle set:
//!
//! | need | when | what `alert` does |
//! |---|---|---|
//! | `Lock` | the searcher naps, or a worker could be called or started | locks, and calls it |
//! | `None` | the searcher is awake, or on its way: it looks before it naps | nothing |
//! | `Settled` | no searcher, and under the lock nothing would change | nothing |
//!
//! The need is written under the lock. The searcher announces its naps (`prepare_nap`), and a
//! thread that calls it counts it as awake from then on: a searcher is woken once.
//!
//! # The races feared
//!
//! In all of them, a push comes too late for the last look, and its thread sees an old need. The
//! thread pushes, fences, and reads the need. The other side writes the need, fences, and looks at
//! the queues. One of the two fences is first: the push is seen, or the new need is.
//!
//! * *The searcher naps* (`None` to `Lock`). It looks after it has announced the nap.
//! * *The searcher gives up its role* (`None` to anything). To sleep beside a free place, and to
//!   take the last work that it sees, it marks, runs the barrier, which is a fence, and scans. Or
//!   it has named a successor, which looks. Or no place is free, or no worker is left: see below.
//! * *A place becomes free, or a worker* (`Settled` to anything). The event asks whether there is
//!   work, or makes a searcher, which looks. So the need goes to `Lock`, with a fence, as soon as
//!   the lock is taken (`begin_change`), before the event looks.
//!
//! A searcher that finds no free place may nap beside work that it cannot take. Then no call would
//! help: the need is `None` until a place is free, and the searcher looks when the nap ends.

use super::IdleSet;
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
    fn is_there(&self) -> bool {
        // Relaxed: the fence of the caller comes before it.
        self.word.load(Ordering::Relaxed) == LOCK
    }
}

/// Whether the need is written at all. Without it, each `alert` takes the lock.
fn is_modelled() -> bool {
    #[cfg(all(test, drumline_loom))]
    return crate::sync::plant::alerts();
    #[cfg(not(all(test, drumline_loom)))]
    true
}

impl IdleSet {
    /// Work was queued from outside: as [`summon`](Self::summon), and a searcher that naps is
    /// called, too.
    ///
    /// The fence in it comes after the push of the caller.
    pub(crate) fn alert(&self) -> Wake {
        // Its partners: `begin_change`, `prepare_nap`, and the barrier of a scan.
        if is_modelled() && !planted!(AlertUnfenced) {
            barrier::fence();
        }
        if is_modelled() && !self.need.is_there() {
            return Wake::None;
        }
        self.with(|state| {
            let Some(searcher) = state.searcher else {
                return state.summon();
            };
            if state.end_nap(searcher) {
                Wake::One(searcher)
            } else {
                Wake::None
            }
        })
    }

    /// The searcher is about to nap, and looks once more after this for work from outside. `false`:
    /// it is the searcher no longer.
    #[must_use]
    pub(crate) fn prepare_nap(&self, me: usize) -> bool {
        let is_searcher = self.with(|state| {
            let is_searcher = state.searcher == Some(me);
            if is_searcher && !planted!(NapUnannounced) {
                state.napping = Some(me);
            }
            is_searcher
        });
        // Its partner is the fence in `alert`.
        barrier::fence();
        is_searcher
    }

    /// The nap is over, or was none.
    pub(crate) fn end_nap(&self, me: usize) {
        self.with(|state| state.end_nap(me));
    }
}

impl IdleState {
    /// `me` naps no longer, or is called and counts as awake. Whether it napped.
    pub(super) fn end_nap(&mut self, me: usize) -> bool {
        let napped = self.napping == Some(me);
        if napped {
            self.napping = None;
        }
        napped
    }

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
