//! Places: threads that become active and threads that cease to be, workers apart.

use super::IdleSet;
use super::role::{Absence, Wake};
use crate::sync::atomic::Ordering;
use crate::sync::planted;

impl IdleSet {
    /// A thread from outside becomes active in seat `me`; there need not be a
    /// free place.
    ///
    /// `admit` is told, under the lock, whether the thread's deque must carry
    /// the mark.
    pub(crate) fn enter(&self, me: usize, admit: impl FnOnce(bool)) -> Wake {
        self.with(|state| {
            state.activate(me);
            admit(state.admit());
            // Relaxed, here and below: written under the lock. The monitor reads it as a hint.
            let entries = self.entries.load(Ordering::Relaxed);
            self.entries
                .store(entries.wrapping_add(1), Ordering::Relaxed);
            state.look_after(false)
        })
    }

    /// A thread from outside becomes active for good; it does not keep the
    /// pool from ending. `admit` as for [`enter`](Self::enter).
    pub(crate) fn add_member(&self, me: usize, admit: impl FnOnce(bool)) {
        self.with(|state| {
            state.permanent.insert(me);
            state.activate(me);
            state.members += 1;
            admit(state.admit());
        });
    }

    /// A thread from outside is no longer active, and its deque not in use. `has_jobs`: its queue
    /// is not empty.
    pub(crate) fn leave(&self, me: usize, has_jobs: bool, work: &dyn Fn() -> bool) -> Wake {
        self.with(|state| {
            state.retire(me, has_jobs);
            if state.end_if_done(work) {
                return Wake::All;
            }
            state.place_was_freed(work)
        })
    }

    /// An active thread waits or blocks: it gives up its place, and its deque
    /// stays in use.
    pub(crate) fn rest(&self, me: usize, why: Absence, work: &dyn Fn() -> bool) -> Wake {
        self.with(|state| {
            state.deactivate(me);
            if !planted!(RestForgotten) {
                state.away += 1;
            }
            match (why, state.searcher) {
                (Absence::Waits, _) => state.waiting += 1,
                (Absence::Steals, _) => {
                    state.waiting += 1;
                    state.stealers.insert(me);
                }
                (Absence::Blocks, Some(searcher)) if state.deferring => {
                    // This place it may have, and it naps.
                    return Wake::One(searcher);
                }
                (Absence::Blocks, Some(searcher)) if state.napping == Some(searcher) && work() => {
                    // The thread may wait for what it has queued.
                    state.end_nap(searcher);
                    return Wake::One(searcher);
                }
                (Absence::Blocks, _) => {}
            }
            if planted!(PlaceLost) && why == Absence::Blocks {
                return Wake::None;
            }
            state.place_was_freed(work)
        })
    }

    /// A thread that waited goes on; it does not have to find a free place.
    pub(crate) fn come_back(&self, me: usize, why: Absence) -> Wake {
        self.with(|state| {
            state.activate(me);
            if !planted!(RestForgotten) {
                state.away -= 1;
            }
            if why != Absence::Blocks {
                state.waiting -= 1;
                // Relaxed, twice: written under the lock. Others only compare it with an earlier
                // figure.
                let ended = self.waits_ended.load(Ordering::Relaxed);
                self.waits_ended
                    .store(ended.wrapping_add(1), Ordering::Relaxed);
            }
            state.stealers.remove(me);
            state.look_after(false)
        })
    }

    /// A deque enters use on a thread that is active already: tells `admit`,
    /// under the lock, whether it must carry the mark.
    pub(crate) fn add_deque(&self, admit: impl FnOnce(bool)) {
        self.with(|state| admit(state.searcher.is_none() && !planted!(AdmitUnmarked)));
    }

    /// Changes the number of places.
    pub(crate) fn set_places(&self, places: usize, work: &dyn Fn() -> bool) -> Wake {
        self.with(|state| {
            state.places = places;
            if state.worker_policy.max_workers > 0 {
                let workers = places.saturating_sub(state.members);
                state.worker_policy.max_workers = state.worker_policy.max_workers.max(workers);
            }
            if state.place_is_free() && !planted!(SetPlacesWakesNobody) {
                state.place_was_freed(work)
            } else {
                state.look_after(false)
            }
        })
    }

    /// Takes the place away from a thread that blocks. With `announced`, the
    /// thread will know, and [comes back](Self::come_back) itself: `claim` asks
    /// it, under the lock, whether it is still blocked. Without, it does not
    /// know, and may go on at any moment.
    ///
    /// There is a worker to take the place: the monitor, which calls this.
    pub(crate) fn displace(&self, me: usize, announced: bool, claim: &dyn Fn() -> bool) {
        self.with(|state| {
            if !state.active_set.contains(me) || !claim() {
                return;
            }
            state.active_set.remove(me);
            state.active -= 1;
            state.away += 1;
            if !announced {
                state.displaced.insert(me);
                state.displaced_len += 1;
            }
        });
    }

    /// A thread that was [displaced](Self::displace) and did not know is seen
    /// to run: it is active again.
    pub(crate) fn replace(&self, me: usize) {
        self.with(|state| {
            if state.recall(me) || planted!(ReplaceUnasked) {
                state.away -= 1;
                state.activate(me);
            }
        });
    }

    /// The seats that are active, and those that were displaced and do not
    /// know.
    pub(crate) fn active_and_displaced(&self) -> (Vec<usize>, Vec<usize>) {
        self.with(|state| {
            (
                state.active_set.iter().collect(),
                state.displaced.iter().collect(),
            )
        })
    }

    /// How many threads wait or block.
    pub(crate) fn away(&self) -> usize {
        self.with(|state| state.away)
    }

    /// Whether more threads are in the middle of something than there are places:
    /// some have given theirs up.
    pub(crate) fn is_stretched(&self) -> bool {
        self.with(|state| state.in_use() > state.places)
    }
}
