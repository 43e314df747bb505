//! What threads of the miniature pool see, and how they mark: `pool::shared::scan`.

use super::pool::Pool;
use crate::pool::deque::Reasons;
use crate::sync::atomic::Ordering;
use crate::sync::barrier::{self, Barrier};
use crate::sync::planted;

impl Pool {
    pub(super) fn has_work(&self) -> bool {
        self.queued.load(Ordering::Relaxed) > 0
            || self
                .seats
                .iter()
                .any(|seat| seat.deque.visible() > 0 || seat.inbox.load(Ordering::Relaxed) > 0)
    }

    /// Whether anything can be taken from a deque in use, or from the queue.
    pub(super) fn has_visible_work(&self) -> bool {
        let mut in_use = self.idle_set.in_use().iter();
        self.queued.load(Ordering::Relaxed) > 0
            || in_use.any(|seat| self.seats[seat].deque.visible() > 0)
    }

    pub(super) fn mark_and_scan(&self) -> bool {
        if planted!(ScanBeforeMark) {
            let found = self.has_visible_work();
            self.mark();
            return found || !barrier::heavy(Barrier::Asymmetric);
        }
        self.mark();
        !barrier::heavy(Barrier::Asymmetric) || self.has_visible_work()
    }

    fn mark(&self) {
        for seat in self.idle_set.in_use().iter() {
            self.seats[seat].deque.ask(Reasons::WAKE_REQUESTED);
        }
    }
}
