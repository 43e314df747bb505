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
use super::alert_need::is_modelled;
use super::role::Wake;
use super::state::IdleState;
use crate::sync::{barrier, planted};

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
}
