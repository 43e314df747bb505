//! Whether senders sleep for want of room: what receivers look at after each message.
//!
//! ```text
//!            many loud looks in a row
//!   LOUD ────────────────────────────► LAZY
//!     ▲ │                                │
//!     │ │ list                           │ list: the caller settles
//!     │ ▼                                │
//!   SENDERS ◄────────────────────────────┘
//!       unlist: LOUD
//! ```
//!
//! # The race feared
//!
//! A sender sleeps beside room. It has said that it sleeps, and has not seen the count of
//! what was taken; the receiver has counted, and has not seen that the sender sleeps.
//!
//! A look is *loud* at first: a read-modify-write of this word. So is [`list`](RoomFlag::list). Of
//! two such steps one is first. If it is that of the receiver, the sender sees the count; else the
//! receiver sees the sender.
//!
//! # Lazy looks
//!
//! A read-modify-write for each message is a third of what a message costs. So after [`LOUDS`] loud
//! looks that have found nothing, looks are *lazy*: a load, after a barrier that costs nothing
//! there. The sender pays: if its `list` has met LAZY, it [settles](crate::wait::settle), and looks
//! for room again after that. Each receiver has read LAZY before the barrier, and then its count is
//! visible after it; or it reads the word after the barrier, and sees that it is not LAZY.
//!
//! The one sender that has met LAZY settles, and looks for room on behalf of all that are on the
//! list then. It does so in every case, also if it has not to wait any more. A sender that comes in
//! between does not meet LAZY. It may see an old count, and sleep; it is on the list in time for
//! that look.
//!
//! So there is one barrier for [`LOUDS`] messages at most. It costs about as much as those loud
//! looks, so this is never more than twice as dear as the better one of the two.
//!
//! Looks are made by one receiver at a time: the only one, or the one that holds the lock of the
//! head. Whether the system has the barrier is asked without that lock, because the first question
//! of a process may take milliseconds.

use crate::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use crate::sync::{barrier, planted};
use crate::wait::is_barrier_there;

/// Senders sleep.
const SENDERS: u64 = 1;
/// Looks are lazy.
const LAZY: u64 = 2;
/// One loud look, in the rest of the word.
const LOOK: u64 = 4;

/// After how many loud looks in a row the others are lazy.
#[cfg(not(drumline_loom))]
const LOUDS: u64 = 256;
/// No more than a model has in it that is not about this.
#[cfg(drumline_loom)]
pub(in crate::channel::shared) const LOUDS: u64 = 3;

/// See the module.
#[derive(Debug)]
pub(super) struct RoomFlag {
    word: AtomicU64,
    /// The word was LAZY when a receiver saw it last. Without this, a loud look would need the
    /// barrier as well, which is a fence on some systems.
    was_lazy: AtomicBool,
    /// One of the values below.
    has_barrier: AtomicU8,
}

/// Whether there is a barrier has not been asked.
const UNKNOWN: u8 = 0;
const YES: u8 = 1;
const NO: u8 = 2;

/// What a look has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoomLook {
    Nothing,
    /// Senders sleep.
    Senders,
    /// None does, and the caller has to [ask](RoomFlag::ask_for_barrier) whether looks may be lazy.
    Asks,
}

impl RoomFlag {
    pub(super) fn new() -> Self {
        RoomFlag {
            word: AtomicU64::new(0),
            was_lazy: AtomicBool::new(false),
            // A question less in each model.
            has_barrier: AtomicU8::new(if cfg!(drumline_loom) { YES } else { UNKNOWN }),
        }
    }

    /// A receiver has counted what it took. Do senders sleep?
    #[inline]
    pub(super) fn look(&self) -> RoomLook {
        // Relaxed: only receivers use it, one after the other.
        if self.was_lazy.load(Ordering::Relaxed) {
            barrier::light();
            // Relaxed: if it is LAZY, the barrier orders it, on this side or on that of the sender.
            if self.word.load(Ordering::Relaxed) == LAZY {
                return RoomLook::Nothing;
            }
            // Relaxed: as above.
            self.was_lazy.store(false, Ordering::Relaxed);
        }
        self.look_loudly()
    }

    fn look_loudly(&self) -> RoomLook {
        // Release: senders see the count. Acquire: what those that sleep have put down.
        let before = if planted!(TakenBlindly) {
            self.word.load(Ordering::Acquire)
        } else {
            self.word.fetch_add(LOOK, Ordering::AcqRel)
        };
        if before & SENDERS != 0 {
            return RoomLook::Senders;
        }
        let now = before.wrapping_add(LOOK);
        if now < LOUDS * LOOK {
            return RoomLook::Nothing;
        }
        self.become_lazy(now)
    }

    #[cold]
    fn become_lazy(&self, now: u64) -> RoomLook {
        // Relaxed: a value that was asked for once.
        let next = match self.has_barrier.load(Ordering::Relaxed) {
            UNKNOWN => return RoomLook::Asks,
            YES if !barrier::is_lost() => LAZY,
            _ => 0,
        };
        // Relaxed: it publishes nothing. If a sender has come, the word stays as it is.
        let exchange = self
            .word
            .compare_exchange(now, next, Ordering::Relaxed, Ordering::Relaxed);
        let is_lazy = exchange.is_ok() && next == LAZY;
        // Relaxed: as in `look`.
        self.was_lazy.store(is_lazy, Ordering::Relaxed);
        RoomLook::Nothing
    }

    /// Asks the system whether looks may be lazy.
    #[cold]
    pub(super) fn ask_for_barrier(&self) {
        let has_barrier = match is_barrier_there() {
            Some(true) => YES,
            Some(false) => NO,
            None => UNKNOWN,
        };
        // Relaxed: as in `become_lazy`.
        self.has_barrier.store(has_barrier, Ordering::Relaxed);
    }

    /// Says that senders sleep. Returns whether the caller has to settle, and then to look for
    /// room. Under the lock of the sleepers, as [`unlist`](Self::unlist).
    pub(super) fn list(&self) -> bool {
        // Release and Acquire as in `look_loudly`.
        self.word.swap(SENDERS, Ordering::AcqRel) == LAZY
    }

    /// No sender sleeps any more.
    pub(super) fn unlist(&self) {
        // Relaxed, here and below: ordered by the lock; it publishes nothing. A look that this
        // overwrites has seen the senders, and its receiver asks for the lock.
        if self.word.load(Ordering::Relaxed) & SENDERS != 0 {
            self.word.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;
    use crate::wait::wait_for_barrier;

    #[test]
    fn looks_are_lazy_after_many_in_vain() {
        let is_there = wait_for_barrier();
        let flag = RoomFlag::new();
        let is_lazy = || flag.word.load(Ordering::SeqCst) == LAZY;
        for _ in 1..LOUDS {
            assert_eq!(flag.look(), RoomLook::Nothing);
        }
        assert_eq!(flag.look(), RoomLook::Asks);
        assert!(!is_lazy());
        flag.ask_for_barrier();
        assert_eq!(flag.look(), RoomLook::Nothing);
        assert_eq!(is_lazy(), is_there);
        assert_eq!(flag.look(), RoomLook::Nothing);
        assert_eq!(flag.list(), is_there);
        for _ in 0..2 * LOUDS {
            assert_eq!(flag.look(), RoomLook::Senders);
        }
        assert!(!flag.list(), "the first one settles");
        flag.unlist();
        assert_eq!(flag.look(), RoomLook::Nothing);
        assert!(!is_lazy(), "it begins anew");
    }
}
