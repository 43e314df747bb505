//! Whether there is anything to do; and the marks and the scan of a thread that wants to sleep.

use super::local;
use super::registry::Registry;
use super::seat::Seat;
use crate::job::JobRef;
use crate::pool::deque::Reasons;
use crate::pool::deque::handshake::Naps;
use crate::pool::queues::job_queue::JobQueue;
use crate::sync::barrier;

/// What a scan made after the marks has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    /// Nothing; what comes later meets a mark.
    Nothing,
    /// Work.
    Work,
    /// Nothing; but the barrier is not there yet, or it is lost and an owner has
    /// not acknowledged that: it may have pushed without having met the mark.
    Unsure,
}

impl Registry {
    /// Marks every deque in use, so that the next push anywhere summons the searcher;
    /// then says whether there is something that came before the marks.
    pub(crate) fn mark_and_scan(&self) -> Scan {
        self.count(|counters| &counters.marks);
        for seat in self.seats_in_use(0) {
            seat.ask(Reasons::WAKE_REQUESTED);
        }
        // The owners are asked before the scan: what those that have acknowledged
        // pushed without a fence is visible then.
        let sure =
            self.heavy() || barrier::is_lost() && self.all_settled() || self.is_alone_in_use();
        if self.has_visible_work() {
            Scan::Work
        } else if sure {
            Scan::Nothing
        } else {
            Scan::Unsure
        }
    }

    /// The barrier is lost: whether no owner can be pushing unseen. Asks all of
    /// them: those that sleep have something to expose.
    fn all_settled(&self) -> bool {
        self.seats().filter(|seat| !seat.settle()).count() == 0
    }

    /// Whether the calling thread's deque is the only one in use. A thread sees what it has pushed
    /// itself, and its next push meets a mark that it has set itself: neither takes a barrier.
    /// Without this, each pool of one job would start a spare while the barrier is being
    /// registered, in the first 20 ms of a process.
    fn is_alone_in_use(&self) -> bool {
        let mine = local::find(self).map(Seat::index);
        self.seats_in_use(0).all(|seat| Some(seat.index()) == mine)
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

    /// Whether anything is queued or visible anywhere.
    ///
    /// The inbox of a member for good does not count. No worker can take from it, and its thread
    /// may never wait in this pool again: the workers neither stay awake nor live for that.
    pub(crate) fn has_work(&self) -> bool {
        self.injector().has(1)
            || self.long_lived().len() > 0
            || self.seats().any(|seat| {
                seat.has_work()
                    || seat.inbox().len() > 0 && !self.members().is_broadcast_to(seat.index())
            })
            || self.suspended().is_draining()
    }

    /// Whether a thread without a job could take something. The inboxes do not count: what is in
    /// one is for its owner.
    pub(crate) fn has_visible_work(&self) -> bool {
        self.injector().has(1)
            || self.long_lived().len() > 0
            || self.seats_in_use(0).any(Seat::has_work)
    }

    /// Whether anything is queued that came from outside.
    pub(crate) fn has_shared_work(&self) -> bool {
        self.injector().has(1) || self.long_lived().len() > 0
    }

    /// How many jobs are queued, counted up to `most`.
    pub(crate) fn queued(&self, most: usize) -> usize {
        let mut queued = self.injector().len() + self.long_lived().len();
        for seat in self.seats_in_use(0) {
            if queued >= most {
                break;
            }
            queued += seat.queue().len();
        }
        queued.min(most)
    }

    /// Whether a job is queued that a thread would have to take: halves of joins are the business
    /// of their owners, and jobs in an inbox are for its owner.
    pub(crate) fn has_queued(&self) -> bool {
        self.injector().has(1)
            || self.long_lived().len() > 0
            || self.seats().any(|seat| seat.queue().len() > 0)
    }

    /// Takes such a job.
    pub(crate) fn take_queued(&self) -> Option<JobRef> {
        let from_seats = || self.seats().map(Seat::queue).find_map(JobQueue::take);
        let shared = self.long_lived().take().or_else(|| self.injector().take());
        shared.or_else(from_seats)
    }
}
