//! The place of one message.
//!
//! ```text
//!            put                      take
//!   OPEN ───────────────► SENT ──────────────► TAKEN
//!     │
//!     ├── end: no message will come ──► the code of the reason
//!     └── close: the receiver wants none ──► CLOSED
//! ```
//!
//! Each arrow out of OPEN is one compare-and-swap, so one of them wins. If the sender comes
//! second, it has its message back; if the receiver does, there is a message. The message belongs to
//! the sender until `put` has won, and then to the receiver.

use std::mem::MaybeUninit;

use super::CloseReason;
use crate::sync::CheckedCell;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::planted;
use crate::wait::WakeFlag;

const OPEN: usize = 0;
const SENT: usize = 1;
const TAKEN: usize = 2;
const CLOSED: usize = 3;
/// Added to the code of a reason.
const ENDED: usize = 8;

/// What sender and receiver of a oneshot channel share.
#[derive(Debug)]
pub(super) struct Once<T> {
    word: AtomicUsize,
    message: CheckedCell<MaybeUninit<T>>,
    /// The receiver waits for the message.
    arrival: WakeFlag,
    /// The sender waits for the end of the receiver.
    departure: WakeFlag,
}

// SAFETY: the word says which side uses the message, and it may go to another thread.
unsafe impl<T: Send> Send for Once<T> {}
// SAFETY: as for `Send`. A shared reference gives out no reference to the message.
unsafe impl<T: Send> Sync for Once<T> {}

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
    pub(super) fn new() -> Self {
        Once {
            word: AtomicUsize::new(OPEN),
            message: CheckedCell::new(MaybeUninit::uninit()),
            arrival: WakeFlag::new(),
            departure: WakeFlag::new(),
        }
    }

    pub(super) fn arrival(&self) -> &WakeFlag {
        &self.arrival
    }

    pub(super) fn departure(&self) -> &WakeFlag {
        &self.departure
    }

    /// Sender: sends the message, or has it back.
    ///
    /// # Safety
    ///
    /// Called once, and [`end`](Self::end) is not called.
    pub(super) unsafe fn put(&self, message: T) -> Result<(), T> {
        // SAFETY: the word is OPEN or CLOSED, so the place is the sender's.
        self.message
            .with_mut(|place| unsafe { (*place).write(message) });
        let order = if planted!(OnceUnpublished) {
            Ordering::Relaxed
        } else {
            // Release publishes the message to the Acquire in `look`.
            Ordering::Release
        };
        // Relaxed: the receiver that has closed leaves nothing to be read.
        let sent = self
            .word
            .compare_exchange(OPEN, SENT, order, Ordering::Relaxed);
        if sent.is_err() {
            // SAFETY: the receiver has closed, and does not come back.
            return Err(self
                .message
                .with_mut(|place| unsafe { (*place).assume_init_read() }));
        }
        let _report = self.arrival.tell_loudly();
        Ok(())
    }

    /// Sender: no message will come.
    pub(super) fn end(&self, reason: CloseReason) {
        // Release: the receiver goes on with what the sender did before.
        let ended = ENDED + reason.code();
        let changed = self
            .word
            .compare_exchange(OPEN, ended, Ordering::Release, Ordering::Relaxed);
        if changed.is_ok() {
            let _report = self.arrival.tell_loudly();
        }
    }

    /// Sender: whether the receiver wants no message any more.
    pub(super) fn is_closed(&self) -> bool {
        self.word.load(Ordering::Acquire) == CLOSED
    }

    /// Receiver: what there is.
    pub(super) fn look(&self) -> Seen {
        // Acquire pairs with the Release in `put` and `end`.
        match self.word.load(Ordering::Acquire) {
            OPEN => Seen::Nothing,
            SENT => Seen::Message,
            TAKEN => Seen::Taken,
            CLOSED => Seen::Never(CloseReason::ClosedByReceiver),
            ended => Seen::Never(CloseReason::from_code(ended - ENDED).expect("a code")),
        }
    }

    /// Receiver: takes the message.
    ///
    /// # Safety
    ///
    /// [`look`](Self::look) has seen it.
    pub(super) unsafe fn take(&self) -> T {
        // Relaxed: only the receiver reads the word from now on.
        self.word.store(TAKEN, Ordering::Relaxed);
        // SAFETY: it was seen, and is taken once.
        self.message
            .with_mut(|place| unsafe { (*place).assume_init_read() })
    }

    /// Receiver: wants no message. One that is there stays.
    pub(super) fn close(&self) {
        // Acquire: a message that came first is visible. Release: the sender goes on with what the
        // receiver did before.
        let changed = self
            .word
            .compare_exchange(OPEN, CLOSED, Ordering::AcqRel, Ordering::Acquire);
        if changed.is_ok() {
            let _report = self.departure.tell_loudly();
        }
    }
}
