//! The mailbox of one actor: a queue that is also the lock of the actor.
//!
//! ```text
//!              push: found null                 next_or_idle: last is still the
//!              (the sender queues a run)         message at hand
//!   IDLE ──────────────────────────► BUSY ──────────────────────────► IDLE
//!   last = null                      last = the newest message
//!
//!   first ──► message ──next──► message ──next──► message ◄── last
//! ```
//!
//! It is the queue lock of Mellor-Crummey and Scott (1991), with the messages as its nodes. Each
//! message that is pushed asks for the lock. The *run*, which handles messages, is the owner. To be
//! done with one message hands the lock to the next one. So the word `last` says all there is to
//! say: whether a run is under way or queued, and where the next message goes. A message costs its
//! sender one swap, and there is no second word for scheduling.
//!
//! | event | by | what it does |
//! |---|---|---|
//! | `push` | a sender | swaps `last`; if that was null, writes `first`, queues a run; else links |
//! | `next_or_idle` | the run | takes the next message; if there is none, sets `last` to null |
//! | `requeue` | the run | leaves the next message in `first` for a run that it queues |
//! | `take_all` | the thread that ends it | takes all messages, and sets `last` to null |
//!
//! **The owner of `first` and of the state of the actor**: first the sender that found null, until
//! it has queued the run. Then the run, from its begin to `next_or_idle` or to the moment at which
//! it queues the next run. Queues of the pool publish what was written before. The step to null is
//! a Release, and the swap of the next sender an Acquire. So each run sees what the one before it
//! has left.
//!
//! **The owner of a message**: the run, as soon as the message is pushed. Its memory stays until
//! the message behind it is known, or until it is known that there is none: another sender may be
//! about to write its `next`.
//!
//! **The races feared.** *A message comes while the run finds the mailbox empty.* The run leaves by
//! a compare-and-swap from the message at hand to null, and a sender comes by a swap of the same
//! word. If the sender is first, the step fails, and the run waits for the link: the sender is
//! between its two steps. If the run is first, the sender finds null, and queues a run. *The step
//! succeeds although messages came and went* (ABA). The message at hand is not freed before the
//! step, so no other has its address. *A sender writes to a message that is gone.* The run frees a
//! message only when its `next` is written, or when the step to null has shown that no sender has
//! seen it in `last`.
//!
//! **What is put in front.** A run can have messages of its own handled before the next one: each
//! is linked to the one behind it, and the last to the message at hand, which has been opened and
//! becomes a nudge. To senders nothing has changed: `last` is the message at hand, or one behind
//! it, and the run keeps that as long as before.
//!
//! **The end.** A dead actor takes all messages at once, and is idle before they are discarded. If
//! it took them one by one, senders that are faster than it would keep it busy for ever, and not
//! learn that it is dead.
//!
//! **What it costs.** A sender that loses its processor between its two steps holds up the run, and
//! with it this one actor. The run spins, and then yields its processor.

use std::ptr;

use crate::sync::atomic::{AtomicPtr, Ordering};
use crate::sync::{CheckedCell, planted, relax};

/// What each message begins with: the link to the one behind it.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct MailLink {
    next: AtomicPtr<MailLink>,
}

/// What a sender has to do that has pushed a message.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// Nothing: a run is under way or queued.
    Behind,
    /// To act for the actor: to queue a run. Until then the sender owns it.
    FoundIdle,
}

/// The messages of one actor.
#[derive(Debug)]
pub(crate) struct Mailbox {
    /// The newest message; null if there is no run.
    last: AtomicPtr<MailLink>,
    /// The message that the queued run begins with.
    first: CheckedCell<*const MailLink>,
}

/// Turns for which the run spins before it yields its processor to the sender.
#[cfg(not(drumline_loom))]
const SPINS: u32 = 100;

impl MailLink {
    pub(crate) fn new() -> Self {
        MailLink {
            next: AtomicPtr::new(ptr::null_mut()),
        }
    }
}

impl Mailbox {
    /// A mailbox of an actor with a first run that is to be queued, with this message.
    pub(crate) fn new(first: *const MailLink) -> Self {
        Mailbox {
            last: AtomicPtr::new(first.cast_mut()),
            first: CheckedCell::new(first),
        }
    }

    /// Pushes a message.
    ///
    /// The mailbox may be gone before this returns, if the caller has no reference to the actor.
    ///
    /// # Safety
    ///
    /// The message is not in a mailbox, and stays where it is until the run is done with it. The
    /// actor is alive when this is called.
    #[inline]
    pub(crate) unsafe fn push(&self, message: *const MailLink) -> Pushed {
        // Release publishes the message to the run, by way of the next sender if that finds it
        // here. Acquire pairs with the step to null, and with the sender before.
        let before = self.last.swap(message.cast_mut(), Ordering::AcqRel);
        if before.is_null() {
            // SAFETY: this thread has brought the actor out of IDLE, so it owns `first`.
            self.first.with_mut(|first| unsafe { *first = message });
            return Pushed::FoundIdle;
        }
        // Release pairs with the Acquire in `next`.
        //
        // SAFETY: the run keeps the message before until it has seen this.
        unsafe { &*before }
            .next
            .store(message.cast_mut(), Ordering::Release);
        Pushed::Behind
    }

    /// Whether there was no message, and no run. It may have changed meanwhile.
    #[cfg(not(drumline_loom))]
    pub(crate) fn is_idle(&self) -> bool {
        // Relaxed: it publishes nothing.
        self.last.load(Ordering::Relaxed).is_null()
    }

    /// The message that the run begins with.
    ///
    /// # Safety
    ///
    /// The caller is the run, or the sender that found the actor idle.
    #[inline]
    pub(crate) unsafe fn first(&self) -> *const MailLink {
        // SAFETY: the caller owns the actor.
        self.first.with_mut(|first| unsafe { *first })
    }

    /// The run queues another one, which begins with `message`.
    ///
    /// # Safety
    ///
    /// The caller is the run; `message` is the one behind the one at hand.
    pub(crate) unsafe fn requeue(&self, message: *const MailLink) {
        // SAFETY: the caller owns the actor.
        self.first.with_mut(|first| unsafe { *first = message });
    }

    /// Puts `message` in front of `before`.
    ///
    /// # Safety
    ///
    /// The caller is the run, which is to come to `before`. The message is in no mailbox, or the
    /// run is to come to it, and drops what was between the two.
    pub(crate) unsafe fn put_before(message: *const MailLink, before: *const MailLink) {
        if planted!(MailboxFrontForgets) {
            // SAFETY: the caller's obligation.
            let behind = unsafe { &*before }.next.load(Ordering::Acquire);
            // SAFETY: the message is the caller's.
            unsafe { &*message }.next.store(behind, Ordering::Release);
            return;
        }
        // Relaxed: read by this run, or by one that sees what this one has done.
        //
        // SAFETY: the message is the caller's.
        unsafe { &*message }
            .next
            .store(before.cast_mut(), Ordering::Relaxed);
    }

    /// The message behind `message`, if its sender has linked it.
    ///
    /// # Safety
    ///
    /// The caller is the run, and `message` the one at hand or one behind that.
    #[inline]
    pub(crate) unsafe fn next(message: *const MailLink) -> Option<*const MailLink> {
        // Acquire pairs with the Release in `push`.
        //
        // SAFETY: the run has not freed it.
        let next = unsafe { &*message }.next.load(Ordering::Acquire);
        (!next.is_null()).then_some(next.cast_const())
    }

    /// The message behind `message`. `None`: there is none, and the actor is idle. The caller owns
    /// nothing any more, and the actor may be gone.
    ///
    /// # Safety
    ///
    /// As for [`next`](Self::next).
    #[inline]
    pub(crate) unsafe fn next_or_idle(&self, message: *const MailLink) -> Option<*const MailLink> {
        // SAFETY: the caller's obligation.
        if let Some(next) = unsafe { Self::next(message) } {
            return Some(next);
        }
        if planted!(MailboxIdleBlindly) {
            self.last.store(ptr::null_mut(), Ordering::Release);
            return None;
        }
        let success = if planted!(MailboxIdleRelaxed) {
            Ordering::Relaxed
        } else {
            // Release: the next owner sees the state as this run leaves it.
            Ordering::Release
        };
        let idle = self.last.compare_exchange(
            message.cast_mut(),
            ptr::null_mut(),
            success,
            // Relaxed: the link that this run waits for then is acquired.
            Ordering::Relaxed,
        );
        if idle.is_ok() {
            return None;
        }
        if planted!(MailboxLinkUnawaited) {
            return None;
        }
        // SAFETY: the caller's obligation.
        Some(unsafe { Self::await_next(message) })
    }

    /// Takes all messages, and leaves the mailbox idle. Returns the last one: the chain goes from
    /// the message at hand to it.
    ///
    /// # Safety
    ///
    /// The caller acts for the actor. It owns the messages, but no longer the actor.
    pub(crate) unsafe fn take_all(&self) -> *const MailLink {
        // AcqRel: as the swap in `push` and the step to null.
        self.last.swap(ptr::null_mut(), Ordering::AcqRel)
    }

    /// Waits for a sender that is between its two steps.
    ///
    /// # Safety
    ///
    /// As for [`next`](Self::next); `message` is not the last one.
    #[cold]
    pub(crate) unsafe fn await_next(message: *const MailLink) -> *const MailLink {
        #[cfg(not(drumline_loom))]
        let mut turns = 0_u32;
        loop {
            // SAFETY: the caller's obligation.
            if let Some(next) = unsafe { Self::next(message) } {
                return next;
            }
            #[cfg(not(drumline_loom))]
            {
                turns += 1;
                if turns > SPINS {
                    // The sender has lost its processor.
                    crate::sync::thread::yield_now();
                    continue;
                }
            }
            relax();
        }
    }
}
