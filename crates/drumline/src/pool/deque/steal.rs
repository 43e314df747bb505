//! How thieves come to entries: **request**, **expose** and **take**.

use super::counts::DequeCounts;
use super::slot::Slot;
use super::{Deque, EXPOSED_AT_ONCE, Reasons};
use crate::job::Header;
use crate::sync::atomic::Ordering;
#[cfg(not(drumline_loom))]
use crate::sync::{Instant, thread};
use crate::sync::{SpinGuard, barrier, planted, relax};

/// How long a thief waits at least for the owner's answer, in calls of `relax`: about a
/// microsecond.
#[cfg(not(any(drumline_loom, miri)))]
const ANSWER: u32 = 48;
#[cfg(any(drumline_loom, miri))]
const ANSWER: u32 = 1;

/// How far a thief goes to get an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// It takes what is exposed already.
    Look,
    /// It asks the owner too, and gives it a moment to answer.
    Ask,
    /// It asks, waits for as long as the barrier would take, and then claims this many entries by
    /// force, or a few more.
    Force(usize),
}

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

impl Claim {
    /// Thief, with the lock held: it has taken an entry.
    fn count(self, counts: &DequeCounts) {
        match self {
            Claim::None => counts.exposed.up(),
            Claim::Asked => counts.asked.up(),
            Claim::Forced => {
                counts.forced.up();
                counts.unanswered.start();
            }
        }
    }
}

impl Deque {
    /// Tries to take the oldest entry for `thief`. If none is exposed, `effort` says what the thief
    /// does about it.
    ///
    /// With `related`, an entry is taken only if it is not older than the job
    /// that the owner runs, and `related` still holds after the entry was
    /// secured (leapfrogging).
    pub(crate) fn steal(
        &self,
        thief: usize,
        effort: Effort,
        related: Option<&dyn Fn() -> bool>,
    ) -> Steal {
        // Look without touching.
        let mut claim = Claim::None;
        if self.exposed() == 0 {
            if effort == Effort::Look || self.visible() == 0 {
                return Steal::Empty;
            }
            claim = self.request(effort);
        }
        let Some(mut locked) = self.shared.lock.try_lock() else {
            return Steal::Busy;
        };
        let counts = &self.shared.counts;
        counts.thief_locks.up();
        if self.is_claimed() && !planted!(TakeClaimed) {
            return Steal::Busy;
        }
        if self.all_taken() {
            let Effort::Force(batch) = effort else {
                return Steal::Empty;
            };
            if !self.may_force() {
                counts.missed.up();
                return Steal::Empty;
            }
            let Some(number) = self.claim(&locked, batch) else {
                counts.missed.up();
                return Steal::Missed;
            };
            // Not under the lock: the owner may pop meanwhile, and others may wait for a barrier.
            drop(locked);
            let done = barrier::heavy(self.owned.barrier);
            locked = self.shared.lock.lock();
            self.confirm(&locked, number, done);
            if self.is_claimed() {
                return Steal::Busy;
            }
            if self.all_taken() {
                counts.missed.up();
                return if done { Steal::Missed } else { Steal::Empty };
            }
            claim = Claim::Forced;
        }
        // Relaxed: the lock orders it.
        let taken = self.shared.taken.load(Ordering::Relaxed);
        if let Some(related) = related {
            // The floor first (Acquire pairs with `restore_floor`), then "still
            // that job": a lowered floor comes with a finished job.
            if taken < self.owned.floor.load(Ordering::Acquire) || !related() {
                return Steal::Empty;
            }
        }
        // SAFETY: `taken < head <= top`, and no claim is pending, so the slot exists; while it is
        // exposed and the lock is held the owner does not reuse it.
        let slot = unsafe { &*taken };
        // `confirm` has seen `top` beyond the slot with Acquire, or the owner has exposed it under
        // the lock: it is written.
        let job = slot.read();
        slot.take(thief);
        // Relaxed: the lock orders it. Without the lock it is a hint.
        self.shared
            .taken
            .store(taken.wrapping_add(1), Ordering::Relaxed);
        claim.count(counts);
        drop(locked);
        Steal::Taken(Stolen { job, slot, claim })
    }

    /// Asks the owner in advance to expose the next entry that it pushes: nothing is visible now.
    /// The owner may do that itself.
    pub(crate) fn request_next(&self) {
        // Relaxed: how many is a hint.
        self.shared.wanted.store(1, Ordering::Relaxed);
        self.ask(Reasons::STEAL_REQUEST);
    }

    /// Asks the owner to expose entries, and gives it time to do so: an owner that forks all the
    /// time answers within nanoseconds, and is spared the interrupt of a barrier.
    fn request(&self, effort: Effort) -> Claim {
        #[cfg(all(test, drumline_loom))]
        if !crate::sync::plant::requests() {
            return Claim::None;
        }
        let wanted = match effort {
            Effort::Look | Effort::Ask => 1,
            Effort::Force(batch) => batch,
        };
        // Relaxed: a hint. A thread that waits asks again and again, and must not pull the line of
        // `limit` away from an owner that has not come to its next push.
        let reasons = Reasons(self.shared.reasons.load(Ordering::Relaxed));
        if effort != Effort::Ask || !reasons.contains(Reasons::STEAL_REQUEST) {
            // Relaxed: how many is a hint.
            self.shared.wanted.store(wanted, Ordering::Relaxed);
            self.ask(Reasons::STEAL_REQUEST);
        }
        #[cfg(not(drumline_loom))]
        let mut since = None;
        loop {
            if self.answered(ANSWER) {
                return Claim::Asked;
            }
            if self.visible() == 0 || effort == Effort::Ask {
                return Claim::None;
            }
            #[cfg(not(drumline_loom))]
            {
                // Wait for as long as the barrier costs the thief, and as long again for the
                // threads that it interrupts. The owner of a loop looks after each chunk, the owner
                // of a tree after each leaf.
                let now = Instant::now();
                if now - *since.get_or_insert(now) < barrier::cost() * 2 {
                    // The owner, or a thief that is about to expose something, may need this very
                    // processor.
                    thread::yield_now();
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

    /// Whether nothing is exposed that was not taken. With the lock, and while no claim is pending.
    fn all_taken(&self) -> bool {
        // Relaxed: the lock orders both.
        let taken = self.shared.taken.load(Ordering::Relaxed);
        taken == self.shared.head.load(Ordering::Relaxed)
    }

    /// Claims entries of the private part. Returns the number of the claim, which is pending until
    /// the thief [confirms](Self::confirm) it or the owner settles it.
    fn claim(&self, _locked: &SpinGuard<'_>, batch: usize) -> Option<usize> {
        // Relaxed: the lock orders what is written to `head`. `top` is a guess, which is read again
        // with Acquire before a slot counts as written.
        let head = self.shared.head.load(Ordering::Relaxed);
        let top = self.top_clamped(Ordering::Relaxed);
        if top <= head || batch == 0 {
            return None;
        }
        let visible = (top as usize - head as usize) / size_of::<Slot>();
        let claim = head.wrapping_add(visible.min(batch.max(EXPOSED_AT_ONCE)));
        // Relaxed, twice: the lock orders it.
        let number = self.shared.claims.load(Ordering::Relaxed).wrapping_add(1);
        self.shared.claims.store(number, Ordering::Relaxed);
        // Release: an owner that goes by this value must see earlier thieves done with the slots.
        self.shared.head.store(claim, Ordering::Release);
        self.shared.counts.barriers.up();
        Some(number)
    }

    /// Ends the claim of this number, if it is still pending: steps back to what the owner has not
    /// popped. The caller's barrier has come in between; not if it is not `done`.
    fn confirm(&self, _locked: &SpinGuard<'_>, number: usize, done: bool) {
        // Relaxed: the lock orders both.
        let is_pending = if planted!(ConfirmAny) {
            self.is_claimed()
        } else {
            self.shared.claims.load(Ordering::Relaxed) == number
        };
        if !is_pending {
            // The owner has settled it. A later claim belongs to another thief, which confirms it
            // after a barrier that began later than the claim.
            return;
        }
        self.settle();
        // Relaxed: the lock orders both.
        let taken = self.shared.taken.load(Ordering::Relaxed);
        let claim = self.shared.head.load(Ordering::Relaxed);
        let top = if done || planted!(RobUnacknowledged) {
            // Acquire pairs with the Release in `push`: the slots are written.
            self.top_clamped(Ordering::Acquire)
        } else {
            taken
        };
        if top < claim && !planted!(ClaimTooMuch) {
            // Release: an owner that goes by this value must see this thread done with the slots.
            self.shared.head.store(top.max(taken), Ordering::Release);
        }
    }
}
