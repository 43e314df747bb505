//! What an owner does once the barrier is lost: it exposes whatever it pushes.

use super::{Deque, Reasons};
use crate::sync::atomic::Ordering;
use crate::sync::barrier::{self, Barrier};
use crate::sync::planted;

impl Deque {
    /// Owner: from now on each push is followed by a fence, and exposes what it
    /// pushed. What is pending already is exposed here.
    ///
    /// Nothing changes for a deque if its owner fences anyway.
    pub(crate) fn start_exposing(&self) {
        if self.owned.barrier == Barrier::Refused || self.is_exposing() {
            return;
        }
        // Relaxed: for the owner it is program order, for others a hint.
        self.owned.exposing.store(true, Ordering::Relaxed);
        // For good: `take_reasons` leaves it alone from now on.
        self.owned
            .limit
            .swap(std::ptr::null_mut(), Ordering::AcqRel);
        self.expose_all();
    }

    /// Whether the owner exposes what it pushes. For other threads, a hint.
    #[inline]
    pub(crate) fn is_exposing(&self) -> bool {
        // Relaxed: the owner wrote it; nothing is published by it.
        self.owned.exposing.load(Ordering::Relaxed)
    }

    /// Owner: whether it must run a fence after it has published something.
    #[inline]
    pub(crate) fn is_fenced(&self) -> bool {
        self.owned.barrier == Barrier::Refused || self.is_exposing()
    }

    /// Owner: exposes all that is pending. No barrier is needed for that,
    /// because its own pops come later in its own program. The fence is for the
    /// reasons: `head`, which scans go by, comes before it, and they are read next.
    pub(super) fn expose_all(&self) {
        // Waits for a thief: what it leaves alone must be exposed here, because
        // no thief will do it.
        let locked = self.shared.lock.lock();
        self.shared.counts.owner_locks.up();
        self.settle();
        // Relaxed: the owner alone writes `top`.
        let top = self.top_clamped(Ordering::Relaxed);
        // Relaxed: the lock publishes it, and the slots below it.
        self.shared.head.store(top, Ordering::Relaxed);
        drop(locked);
        if !planted!(ExposeUnfenced) {
            barrier::fence();
        }
    }

    /// Owner of an exposing deque: takes the pending reasons. The limit stays
    /// null, and there is nothing to share.
    pub(super) fn take_reasons_only(&self) -> Reasons {
        // Relaxed: after a push a fence stands before this. What comes later is
        // met by the next push.
        if self.shared.reasons.load(Ordering::Relaxed) == 0 {
            return Reasons(0);
        }
        Reasons(self.shared.reasons.swap(0, Ordering::AcqRel))
    }

    /// Thief: whether it may take what the owner has not exposed. Once the
    /// barrier is lost, and before it is there, it may only where the owner has
    /// always fenced.
    pub(crate) fn may_force(&self) -> bool {
        self.owned.barrier == Barrier::Refused
            || !barrier::is_lost() && !barrier::is_awaited()
            || planted!(RobUnacknowledged)
    }

    /// Thief that may not force a steal: exposes what an owner has pushed that the kernel
    /// does not run, because to be switched out is a full barrier.
    ///
    /// `occupant` names the owner; another one may follow at any time. `sleeps`
    /// says whether that owner was off its processor at some point during the call.
    pub(crate) fn expose_sleeper<T: PartialEq>(
        &self,
        occupant: impl Fn() -> T,
        sleeps: impl FnOnce(&T) -> bool,
    ) {
        if self.may_force() || self.visible() == self.exposed() {
            return;
        }
        let Some(_locked) = self.shared.lock.try_lock() else {
            return;
        };
        self.shared.counts.thief_locks.up();
        if self.is_claimed() {
            return;
        }
        // Relaxed: the lock orders what is written to `head`. `top` is a guess, which is read again
        // with Acquire before a slot counts as written.
        let head = self.shared.head.load(Ordering::Relaxed);
        let claim = self.top_clamped(Ordering::Relaxed);
        if claim <= head {
            return;
        }
        // As in `expose`, with the owner's sleep for a barrier.
        self.shared.head.store(claim, Ordering::Release);
        barrier::fence();
        // An owner that came before this one has left, and what it did is visible.
        let owner = occupant();
        let slept = sleeps(&owner) || planted!(ExposeAwake);
        // Acquire pairs with the Release in `push`. If the push is of an owner that
        // came later, so is the name below.
        let top = self.top_clamped(Ordering::Acquire);
        let claim = if slept && occupant() == owner {
            claim.min(top).max(head)
        } else {
            head
        };
        self.shared.head.store(claim, Ordering::Release);
    }

    /// About how many entries a thief could take now: a look without touching.
    pub(crate) fn takeable(&self) -> usize {
        if self.may_force() {
            self.visible()
        } else {
            self.exposed()
        }
    }
}
