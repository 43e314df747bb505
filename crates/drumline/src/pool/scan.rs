//! The marks and the scan of a thread that wants to sleep.

use super::deque::Reasons;
use super::handshake::Naps;
use super::local;
use super::registry::Registry;
use super::seat::Seat;
use crate::sync::barrier;

/// What a scan made after the marks has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    /// Nothing; what comes later meets a mark.
    Nothing,
    /// Work.
    Work,
    /// Nothing; but the barrier is lost, and an owner has not acknowledged
    /// that: it may have pushed without having met the mark.
    Unsure,
}

impl Registry {
    /// Marks every deque, so that the next push anywhere summons the searcher;
    /// then says whether there is something that came before the marks.
    pub(crate) fn mark_and_scan(&self) -> Scan {
        self.count(|counters| &counters.marks);
        for seat in self.seats() {
            seat.ask(Reasons::WAKE_REQUESTED);
        }
        // The owners are asked before the scan: what those that have acknowledged
        // pushed without a fence is visible then.
        let sure = self.heavy() || self.all_settled();
        if self.has_work() {
            Scan::Work
        } else if sure {
            Scan::Nothing
        } else {
            Scan::Unsure
        }
    }

    /// Without the barrier: whether no owner can be pushing unseen. Asks all of
    /// them: those that sleep have something to expose.
    fn all_settled(&self) -> bool {
        self.seats().filter(|seat| !seat.settle()).count() == 0
    }

    /// The heavy barrier. Where it is lost, the calling thread acknowledges that
    /// for itself.
    pub(crate) fn heavy(&self) -> bool {
        self.count(|counters| &counters.barriers);
        let done = barrier::heavy(self.barrier());
        if !done && let Some(seat) = local::find(self) {
            seat.acknowledge();
        }
        done
    }

    /// [`mark_and_scan`](Self::mark_and_scan) for the occupant of `seat`, an idle
    /// worker that has given up its role: repeated until it is certain, with
    /// naps in between. `true`: there is something, or the worker was called.
    pub(crate) fn mark_and_scan_patiently(&self, seat: &Seat) -> bool {
        let mut naps = Naps::new();
        loop {
            match self.mark_and_scan() {
                Scan::Nothing => return false,
                Scan::Work => return true,
                Scan::Unsure if seat.parker().park_timeout(naps.next()) => {
                    // The wake-up is for whatever comes next.
                    seat.parker().unpark();
                    return true;
                }
                Scan::Unsure => {}
            }
        }
    }
}
