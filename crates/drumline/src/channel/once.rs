//! The place of one message.
//!
//! ```text
//!            put                      take
//!   OPEN ───────────────► SENT ──────────────► TAKEN
//!     │
//!     ├── end: no message will come ──► ENDED, with the code of the reason
//!     └── close: the receiver wants none ──► CLOSED
//! ```
//!
//! | bit | set by | means |
//! |---|---|---|
//! | `TASK` | receiver, while OPEN | the waker in the slot is to be called |
//! | `THREAD` | receiver, while OPEN | a thread sleeps |
//! | `SENDER_GONE` | sender | it does not touch this any more |
//! | `RECEIVER_GONE` | receiver | the same |
//!
//! **Which side has the message.** Each arrow out of OPEN is one compare-and-swap, so one of them
//! wins. If the sender comes second, it has its message back; if the receiver does, there is a
//! message. It belongs to the sender until `put` has won, and then to the receiver.
//!
//! **Which side has the slot of the waker.** The receiver, unless TASK is set. The step out of OPEN
//! that meets TASK gives it to the sender, for good. To call another waker, the receiver takes TASK
//! back first, or learns that the message is there.
//!
//! **Which side frees the memory.** The side that leaves second. A sender that wakes nothing leaves
//! in the step that sends: then it has done one read-modify-write in all, and the receiver none.
//!
//! **The race feared** is a receiver that looks, finds nothing, and sleeps, while the sender sends
//! and finds that nothing waits. It cannot happen: both change the one word, and only from OPEN.

use std::mem::MaybeUninit;
use std::panic::Location;
use std::ptr::NonNull;
use std::task::Waker;
#[cfg(not(drumline_loom))]
use std::time::Duration;

use super::CloseReason;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{CheckedCell, planted};
#[cfg(not(drumline_loom))]
use crate::wait::WaiterEntry;
use crate::wait::{self, Parker, WakeFlag, let_go};

const PHASE: usize = 0b111;
const OPEN: usize = 0;
const SENT: usize = 1;
const TAKEN: usize = 2;
const CLOSED: usize = 3;
const ENDED: usize = 4;

const TASK: usize = 0b1000;
const THREAD: usize = 0b1_0000;
const WAITS: usize = TASK | THREAD;
const SENDER_GONE: usize = 0b10_0000;
const RECEIVER_GONE: usize = 0b100_0000;
/// Where the code of a reason begins.
const REASON_SHIFT: u32 = 8;

/// What sender and receiver of a oneshot channel share. Each has one share of it.
#[derive(Debug)]
pub(super) struct Once<T> {
    word: AtomicUsize,
    message: CheckedCell<MaybeUninit<T>>,
    waker: CheckedCell<Option<Waker>>,
    parker: Parker,
    /// The sender waits for the end of the receiver.
    departure: WakeFlag,
    /// Where the receiver says that it waits.
    #[cfg(not(drumline_loom))]
    receiver_entry: CheckedCell<WaiterEntry>,
    /// Where the sender does, for the end of the receiver.
    #[cfg(not(drumline_loom))]
    sender_entry: CheckedCell<WaiterEntry>,
    /// The call that made the channel.
    made_at: &'static Location<'static>,
}

/// What the receiver sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// There is no message yet.
    Nothing,
    /// There is one, for the receiver to take.
    Message,
    /// It was taken before.
    Taken,
    /// There will be none.
    Never(CloseReason),
}

impl<T> Once<T> {
    /// A place without a message, with a share for each side.
    #[inline]
    #[track_caller]
    pub(super) fn allocate() -> NonNull<Self> {
        let mut place = Box::<Self>::new_uninit();
        let once = place.as_mut_ptr();
        // Field by field where it lies. Made elsewhere and copied, it would be read in larger
        // pieces than it was written in, which stalls. SAFETY: each write is to a field of the
        // place that was allocated, and all are written.
        unsafe {
            (&raw mut (*once).word).write(AtomicUsize::new(OPEN));
            (&raw mut (*once).message).write(CheckedCell::new(MaybeUninit::uninit()));
            (&raw mut (*once).waker).write(CheckedCell::new(None));
            (&raw mut (*once).parker).write(Parker::new());
            (&raw mut (*once).departure).write(WakeFlag::new());
            #[cfg(not(drumline_loom))]
            (&raw mut (*once).receiver_entry).write(CheckedCell::new(WaiterEntry::new()));
            #[cfg(not(drumline_loom))]
            (&raw mut (*once).sender_entry).write(CheckedCell::new(WaiterEntry::new()));
            (&raw mut (*once).made_at).write(Location::caller());
            NonNull::new_unchecked(Box::into_raw(place.assume_init()))
        }
    }

    /// # Safety
    ///
    /// Nothing refers to it. A message that lies there is not dropped.
    unsafe fn free(this: NonNull<Self>) {
        // SAFETY: leaked in `allocate`, and freed once.
        drop(unsafe { Box::from_raw(this.as_ptr()) });
    }

    /// The call that made the channel.
    pub(super) fn made_at(&self) -> &'static Location<'static> {
        self.made_at
    }

    pub(super) fn departure(&self) -> &WakeFlag {
        &self.departure
    }

    /// # Safety
    ///
    /// The caller is the sender, and in no other call of this.
    #[cfg(not(drumline_loom))]
    #[inline]
    pub(super) unsafe fn with_sender_entry<R>(&self, f: impl FnOnce(&mut WaiterEntry) -> R) -> R {
        // SAFETY: the caller's obligation.
        self.sender_entry
            .with_mut(|entry| f(unsafe { &mut *entry }))
    }

    /// Whether the receiver wants no message any more.
    pub(super) fn is_closed(&self) -> bool {
        // Acquire: the sender may go on with what the receiver did before.
        self.word.load(Ordering::Acquire) & PHASE == CLOSED
    }

    /// Sends the message, or has it back.
    ///
    /// # Safety
    ///
    /// The caller has the share of the sender, and gives it up.
    #[inline]
    pub(super) unsafe fn put(this: NonNull<Self>, message: T) -> Result<(), T> {
        // SAFETY: the caller has a share.
        let once = unsafe { this.as_ref() };
        // SAFETY: the phase is OPEN or CLOSED, so the place is the sender's.
        once.message
            .with_mut(|place| unsafe { (*place).write(message) });
        // Relaxed on failure: `put_late` looks at the word anew, and acquires before it is done.
        if once
            .word
            .compare_exchange(OPEN, SENT | SENDER_GONE, Self::order(), Ordering::Relaxed)
            .is_ok()
        {
            // The receiver may have freed it by now.
            return Ok(());
        }
        // SAFETY: the caller's obligation.
        unsafe { Self::put_late(this) }
    }

    /// The message is in its place, and the receiver waits or has closed.
    ///
    /// # Safety
    ///
    /// As for [`put`](Self::put).
    #[cold]
    unsafe fn put_late(this: NonNull<Self>) -> Result<(), T> {
        // SAFETY: the caller has a share.
        let once = unsafe { this.as_ref() };
        // SAFETY: the caller's obligation.
        if unsafe { Self::go(this, SENT) } {
            return Ok(());
        }
        // SAFETY: the receiver has closed, and does not come back to the message.
        let message = once
            .message
            .with_mut(|place| unsafe { (*place).assume_init_read() });
        // SAFETY: the caller's obligation.
        unsafe { Self::sender_leaves(this) };
        Err(message)
    }

    /// Says that no message will come.
    ///
    /// # Safety
    ///
    /// As for [`put`](Self::put).
    pub(super) unsafe fn end(this: NonNull<Self>, reason: CloseReason) {
        // SAFETY: the caller's obligation.
        let is_told = unsafe { Self::go(this, ENDED | reason.code() << REASON_SHIFT) };
        if !is_told {
            // SAFETY: the caller still has its share.
            unsafe { Self::sender_leaves(this) };
        }
    }

    /// The order of a step out of OPEN.
    #[inline(always)]
    fn order() -> Ordering {
        if planted!(OnceUnpublished) {
            Ordering::Relaxed
        } else {
            // Release publishes the message to the Acquire in `look`. Acquire pairs with the
            // Release that published the waker.
            Ordering::AcqRel
        }
    }

    /// Goes to the phase `to`, wakes the receiver, and gives the share up. `false`: the receiver
    /// has closed, and the caller still has its share.
    ///
    /// # Safety
    ///
    /// As for [`put`](Self::put).
    unsafe fn go(this: NonNull<Self>, to: usize) -> bool {
        // SAFETY: the caller has a share.
        let once = unsafe { this.as_ref() };
        // Relaxed: the step below acquires. Without one, the caller acquires in `sender_leaves`.
        let mut word = once.word.load(Ordering::Relaxed);
        let waits = loop {
            if word & PHASE == CLOSED {
                return false;
            }
            let waits = word & WAITS;
            let gone = if waits == 0 { SENDER_GONE } else { 0 };
            // Relaxed on failure: as above.
            match once
                .word
                .compare_exchange_weak(word, to | gone, Self::order(), Ordering::Relaxed)
            {
                Ok(_) => break waits,
                Err(now) => word = now,
            }
        };
        if waits == 0 {
            // The receiver may have freed it by now.
            return true;
        }
        if waits == THREAD {
            once.parker.unpark();
            // SAFETY: the caller's obligation.
            unsafe { Self::sender_leaves(this) };
        } else {
            // SAFETY: the step met TASK, so the slot is the sender's.
            let waker = once.waker.with_mut(|slot| unsafe { (*slot).take() });
            // SAFETY: the caller's obligation.
            unsafe { Self::sender_leaves(this) };
            if let Some(waker) = waker {
                wait::call(waker);
            }
        }
        true
    }

    /// # Safety
    ///
    /// As for [`put`](Self::put).
    unsafe fn sender_leaves(this: NonNull<Self>) {
        // SAFETY: the caller has a share. AcqRel: the side that frees comes after the other one.
        let before = unsafe { this.as_ref() }
            .word
            .fetch_or(SENDER_GONE, Ordering::AcqRel);
        if before & RECEIVER_GONE != 0 {
            // SAFETY: the receiver has left before.
            unsafe { Self::free(this) };
        }
    }

    /// # Safety
    ///
    /// The caller is the receiver, and in no other call of this.
    #[cfg(not(drumline_loom))]
    #[inline]
    pub(super) unsafe fn with_receiver_entry<R>(&self, f: impl FnOnce(&mut WaiterEntry) -> R) -> R {
        // SAFETY: the caller's obligation.
        self.receiver_entry
            .with_mut(|entry| f(unsafe { &mut *entry }))
    }

    /// What there is.
    #[inline]
    pub(super) fn look(&self) -> Seen {
        // Acquire pairs with the Release of the sender's last step.
        let word = self.word.load(Ordering::Acquire);
        match word & PHASE {
            OPEN => Seen::Nothing,
            SENT => Seen::Message,
            TAKEN => Seen::Taken,
            CLOSED => Seen::Never(CloseReason::ClosedByReceiver),
            _ => Seen::Never(CloseReason::from_code(word >> REASON_SHIFT).expect("a code")),
        }
    }

    /// Takes the message.
    ///
    /// # Safety
    ///
    /// This is the receiver, and [`look`](Self::look) has seen it.
    #[inline]
    pub(super) unsafe fn take(&self) -> T {
        // Acquire: the sender may have left since `look`, and the store below hides its Release
        // from
        // `receiver_leaves`, which frees.
        if self.word.load(Ordering::Acquire) & SENDER_GONE != 0 {
            // Relaxed: no other thread changes the word any more.
            self.word.store(TAKEN | SENDER_GONE, Ordering::Relaxed);
        } else {
            // Relaxed: the message is the receiver's, and the phase, too.
            self.word.fetch_xor(SENT ^ TAKEN, Ordering::Relaxed);
        }
        // SAFETY: it was seen, and is taken once.
        self.message
            .with_mut(|place| unsafe { (*place).assume_init_read() })
    }

    /// Takes the message, if it is there and the sender gone, and frees the memory.
    ///
    /// # Safety
    ///
    /// The caller has the share of the receiver. It gives it up if there is a message.
    #[inline]
    pub(super) unsafe fn take_last(this: NonNull<Self>) -> Option<T> {
        // SAFETY: the caller has a share.
        let once = unsafe { this.as_ref() };
        // Acquire pairs with the Release of the sender's last step.
        if once.word.load(Ordering::Acquire) != SENT | SENDER_GONE {
            return None;
        }
        // SAFETY: it was seen, and is taken once.
        let message = once
            .message
            .with_mut(|place| unsafe { (*place).assume_init_read() });
        // SAFETY: the sender has left, and the caller gives its share up.
        unsafe { Self::free(this) };
        Some(message)
    }

    /// Changes what the word says while it is OPEN. `false`: it is not, any more.
    fn change(&self, from: usize, to: usize) -> bool {
        // Release publishes the slot, and Acquire shows the message.
        self.word
            .compare_exchange(OPEN | from, OPEN | to, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// Has `waker` called when there is something to see. `false`: there is by now.
    pub(super) fn list(&self, waker: &Waker, is_listed: &mut bool) -> bool {
        if std::mem::take(is_listed) && !self.change(TASK, 0) && !planted!(OnceSlotUnasked) {
            return false;
        }
        // SAFETY: the slot is the receiver's.
        self.waker.with_mut(|slot| unsafe {
            match &mut *slot {
                Some(old) => old.clone_from(waker),
                empty => *empty = Some(waker.clone()),
            }
        });
        *is_listed = self.change(0, TASK);
        if !*is_listed {
            // There is nothing to wait for, and a waker may hold its task.
            // SAFETY: the slot is the receiver's, as it was not given away.
            let waker = self.waker.with_mut(|slot| unsafe { (*slot).take() });
            waker.into_iter().for_each(let_go);
        }
        *is_listed
    }

    /// The receiver waits no more.
    pub(super) fn unlist(&self, is_listed: &mut bool) {
        if std::mem::take(is_listed) && self.change(TASK, 0) {
            // SAFETY: the slot is the receiver's again.
            let waker = self.waker.with_mut(|slot| unsafe { (*slot).take() });
            waker.into_iter().for_each(let_go);
        }
    }

    /// Sleeps until there is something to see. Nothing is listed.
    pub(super) fn sleep(&self) {
        if self.change(0, THREAD) {
            while self.look() == Seen::Nothing {
                self.parker.park();
            }
        }
    }

    /// As [`sleep`](Self::sleep), for `time` at most, and perhaps less.
    #[cfg(not(drumline_loom))]
    pub(super) fn sleep_for(&self, time: Duration) {
        if self.change(0, THREAD) {
            self.parker.park_timeout(time);
            self.change(THREAD, 0);
        }
    }

    /// Wants no message. One that is there stays. Nothing is listed.
    pub(super) fn close(&self) {
        if self.change(0, CLOSED) {
            let told = self.departure.tell_loudly();
            debug_assert_eq!(told, wait::Told::Done, "a sender waits here only");
        }
    }

    /// # Safety
    ///
    /// The caller has the share of the receiver, has taken the message if there is one, and gives
    /// the share up.
    pub(super) unsafe fn receiver_leaves(this: NonNull<Self>) {
        // SAFETY: the caller has a share.
        let word = &unsafe { this.as_ref() }.word;
        // Acquire and AcqRel: the side that frees comes after the other one.
        let is_last = word.load(Ordering::Acquire) & SENDER_GONE != 0
            || word.fetch_or(RECEIVER_GONE, Ordering::AcqRel) & SENDER_GONE != 0;
        if is_last {
            // SAFETY: the sender has left before.
            unsafe { Self::free(this) };
        }
    }
}
