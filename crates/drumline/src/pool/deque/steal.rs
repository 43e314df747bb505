//! How thieves come to entries: **request**, **expose** and **take**.

use super::{Deque, Reasons};
use crate::job::Header;
use crate::pool::slot::Slot;
#[cfg(not(drumline_loom))]
use crate::sync::Instant;
use crate::sync::atomic::Ordering;
use crate::sync::{SpinGuard, barrier, planted, relax};

/// How long a thief waits at least for the owner's answer, in calls of `relax`: about a
/// microsecond.
#[cfg(not(any(drumline_loom, miri)))]
const ANSWER: u32 = 48;
#[cfg(any(drumline_loom, miri))]
const ANSWER: u32 = 1;

/// How an attempt to steal ended.
#[derive(Debug)]
pub(crate) enum Steal {
    /// An entry was taken; it must be started or found taken back.
    Taken(Stolen),
    /// There is nothing to take.
    Empty,
    /// The owner was interrupted by a barrier for nothing.
    Missed,
    /// Another thief is at work here.
    Busy,
}

/// An entry that a thief has taken and not started yet.
#[derive(Debug)]
pub(crate) struct Stolen {
    pub(crate) job: *const Header,
    pub(crate) slot: *const Slot,
    pub(crate) claim: Claim,
}

/// What an owner was made to do for a stolen entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Nothing: it was exposed already.
    None,
    /// It was asked, and exposed it in its next push.
    Asked,
    /// It was interrupted by a barrier.
    Forced,
}

impl Deque {
    /// Tries to take the oldest entry for `thief`. If none is exposed, exposes
    /// up to `batch`; with 0, the owner is not interrupted.
    ///
    /// With `related`, an entry is taken only if it is not older than the job
    /// that the owner runs, and `related` still holds after the entry was
    /// secured (leapfrogging).
    pub(crate) fn steal(
        &self,
        thief: usize,
        batch: usize,
        related: Option<&dyn Fn() -> bool>,
    ) -> Steal {
        // Look without touching.
        let mut claim = Claim::None;
        if self.exposed() == 0 {
            if batch == 0 || self.visible() == 0 {
                return Steal::Empty;
            }
            claim = self.request(batch);
        }
        let Some(locked) = self.shared.lock.try_lock() else {
            return Steal::Busy;
        };
        let counts = &self.shared.counts;
        counts.thief_locks.up();
        let taken = self.shared.taken.load(Ordering::Relaxed);
        if taken == self.shared.head.load(Ordering::Relaxed) {
            if !self.may_force() {
                counts.missed.up();
                return Steal::Empty;
            }
            if !self.expose(&locked, batch) {
                counts.missed.up();
                return Steal::Missed;
            }
            claim = Claim::Forced;
        }
        if let Some(related) = related {
            // The floor first (Acquire pairs with `restore_floor`), then "still
            // that job": a lowered floor comes with a finished job.
            if taken < self.owned.floor.load(Ordering::Acquire) || !related() {
                return Steal::Empty;
            }
        }
        // SAFETY: `taken < head <= top`, so the slot exists; while it is
        // exposed and the lock is held the owner does not reuse it.
        let slot = unsafe { &*taken };
        // `expose` has seen `top` beyond the slot with Acquire: it is written.
        let job = slot.read();
        slot.take(thief);
        self.shared
            .taken
            .store(taken.wrapping_add(1), Ordering::Relaxed);
        counts.has_taken(claim);
        drop(locked);
        Steal::Taken(Stolen { job, slot, claim })
    }

    /// Asks the owner in advance to expose the next entry that it pushes: nothing is visible now. The
    /// owner may do that itself.
    pub(crate) fn request_next(&self) {
        self.shared.wanted.store(1, Ordering::Relaxed);
        self.ask(Reasons::STEAL_REQUEST);
    }

    /// Asks the owner to expose up to `batch` entries, and gives it a moment to
    /// do so: an owner that forks all the time answers within nanoseconds, and
    /// is spared the interrupt of a barrier.
    fn request(&self, batch: usize) -> Claim {
        #[cfg(all(test, drumline_loom))]
        if !crate::sync::plant::requests() {
            return Claim::None;
        }
        self.shared.wanted.store(batch, Ordering::Relaxed);
        self.ask(Reasons::STEAL_REQUEST);
        #[cfg(not(drumline_loom))]
        let mut since = None;
        loop {
            if self.answered(ANSWER) {
                return Claim::Asked;
            }
            if self.visible() == 0 {
                return Claim::None;
            }
            #[cfg(not(drumline_loom))]
            {
                // Half of what the barrier would take. The owner of a loop looks after each chunk.
                let now = Instant::now();
                if now - *since.get_or_insert(now) < barrier::cost() / 2 {
                    continue;
                }
            }
            return Claim::None;
        }
    }

    /// Whether something is exposed, now or `turns` of a `relax` later.
    pub(crate) fn answered(&self, turns: u32) -> bool {
        (0..turns).any(|_| {
            let is_exposed = self.exposed() > 0;
            if !is_exposed {
                relax();
            }
            is_exposed
        })
    }

    /// Claims up to `batch` entries of the private part. Returns whether any
    /// was secured.
    fn expose(&self, _locked: &SpinGuard<'_>, batch: usize) -> bool {
        let head = self.shared.head.load(Ordering::Relaxed);
        let top = self.top_clamped(Ordering::Relaxed);
        if top <= head || batch == 0 {
            return false;
        }
        let visible = (top as usize - head as usize) / size_of::<Slot>();
        let mut claim = head.wrapping_add(visible.min(batch));
        // Release: an owner that goes by the stepped-back value below must see
        // this thread done with the slots.
        self.shared.head.store(claim, Ordering::Release);
        self.shared.counts.barriers.up();
        if !barrier::heavy(self.owned.barrier) && !planted!(RobUnacknowledged) {
            self.shared.head.store(head, Ordering::Release);
            return false;
        }
        // Acquire pairs with the Release in `push`: the slots are written.
        let top = self.top_clamped(Ordering::Acquire);
        if top < claim && !planted!(ClaimTooMuch) {
            claim = top.max(head);
            self.shared.head.store(claim, Ordering::Release);
        }
        claim > head
    }
}
