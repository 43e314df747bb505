//! What the words of a queue say of the sleeping senders and receivers, and of the end.

use super::{CLOSED, PLACE, QUEUED, RECEIVERS, Segments};
use crate::sync::atomic::Ordering;

impl<T> Segments<T> {
    /// Says that receivers sleep. `false`: there is something to receive, or the channel is closed.
    /// Under the lock of the sleepers, as the other three.
    pub(in crate::channel::shared) fn list_receivers(&self) -> bool {
        // Release and Acquire as in `claim`.
        let word = self.tail.word.fetch_or(RECEIVERS, Ordering::AcqRel);
        // Relaxed: if it is an old one, the caller looks once more.
        word & CLOSED == 0 && word / PLACE == self.head.index.load(Ordering::Relaxed)
    }

    /// No receiver sleeps any more.
    pub(in crate::channel::shared) fn unlist_receivers(&self) {
        // Relaxed: it publishes nothing.
        self.tail.word.fetch_and(!RECEIVERS, Ordering::Relaxed);
    }

    /// Says that senders sleep, so that receivers let them know of room. Returns whether the caller
    /// has to settle without the lock, and to look for room once more: see
    /// [`room_flag`](super::room_flag).
    #[must_use]
    pub(in crate::channel::shared) fn list_senders(&self) -> bool {
        self.head.room.list()
    }

    /// Asks the system whether receivers may look for senders lazily. Without any lock.
    #[cold]
    pub(in crate::channel::shared) fn ask_for_barrier(&self) {
        self.head.room.ask_for_barrier();
    }

    /// No sender sleeps any more.
    pub(in crate::channel::shared) fn unlist_senders(&self) {
        self.head.room.unlist();
    }

    /// Sends newcomers to the lock. `false`: the channel is closed.
    pub(in crate::channel::shared) fn stop_newcomers(&self) -> bool {
        // Release and Acquire as in `claim`: no claim of a newcomer comes after this.
        self.tail.word.fetch_or(QUEUED, Ordering::AcqRel) & CLOSED == 0
    }

    /// Newcomers may claim slots again.
    pub(in crate::channel::shared) fn admit_newcomers(&self) {
        if self.stops_newcomers() {
            // Release: they go on with what was done under the lock.
            self.tail.word.fetch_and(!QUEUED, Ordering::Release);
        }
    }

    /// Whether newcomers are sent to the lock.
    pub(in crate::channel::shared) fn stops_newcomers(&self) -> bool {
        // Relaxed: a hint, or ordered by the lock.
        self.tail.word.load(Ordering::Relaxed) & QUEUED != 0
    }

    /// Whether there is something to take, or will never be again.
    pub(in crate::channel::shared) fn may_take(&self) -> bool {
        // Relaxed: a hint.
        let word = self.tail.word.load(Ordering::Relaxed);
        word & CLOSED != 0 || word / PLACE != self.head.index.load(Ordering::Relaxed)
    }

    /// Lets no message in any more. `false`: it was closed before.
    pub(in crate::channel::shared) fn close(&self) -> bool {
        // Release: a thread that sees the close sees what the closing thread has done.
        self.tail.word.fetch_or(CLOSED, Ordering::AcqRel) & CLOSED == 0
    }

    pub(in crate::channel::shared) fn is_closed(&self) -> bool {
        // Acquire pairs with the Release in `close`.
        self.tail.word.load(Ordering::Acquire) & CLOSED != 0
    }
}
