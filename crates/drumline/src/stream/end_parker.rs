//! Where the serial end of a stage sleeps, and a consumer that is aside.

use std::time::Duration;

#[cfg(not(drumline_loom))]
use crate::pool::Signal;
use crate::wait::Parker;

/// The parker of one thread. A thread of a pool that must go on with the jobs of its pool, or must
/// hear of those that it is sent, waits for the signal instead; see [`Signal`].
#[derive(Debug)]
pub(super) struct EndParker {
    parker: Parker,
    #[cfg(not(drumline_loom))]
    signal: Signal,
}

impl EndParker {
    pub(super) fn new() -> Self {
        EndParker {
            parker: Parker::new(),
            #[cfg(not(drumline_loom))]
            signal: Signal::new(),
        }
    }

    /// Sleeps until [`unpark`](Self::unpark), or takes an earlier one. A thread of a pool also ends
    /// its sleep when it is sent a job that no other can run.
    pub(super) fn park(&self) {
        #[cfg(not(drumline_loom))]
        if self.signal.nap(None).is_some() {
            // As in `nap`.
            return self.signal.take_back();
        }
        self.parker.park();
    }

    /// The same, for no longer than this time. `true`: it was woken. A thread of a pool hears of
    /// jobs only if it `serves` its pool.
    #[cfg_attr(
        drumline_loom,
        expect(unused_variables, reason = "these models have no pool")
    )]
    pub(super) fn nap(&self, time: Duration, serves: bool) -> bool {
        #[cfg(not(drumline_loom))]
        if serves && let Some(woken) = self.signal.nap(Some(time)) {
            // The caller looks at the stage state before it waits again, so nothing is missed.
            self.signal.take_back();
            return woken;
        }
        self.parker.park_timeout(time)
    }

    /// Waits for [`unpark`](Self::unpark), and runs jobs of the thread's pool meanwhile.
    #[cfg(not(drumline_loom))]
    pub(super) fn serve(&self) {
        self.signal.wait();
        // The caller looks at the stage state before it waits again, so nothing is missed.
        self.signal.take_back();
    }

    /// Wakes the sleeper, now or at its next attempt to wait.
    pub(super) fn unpark(&self) {
        #[cfg(not(drumline_loom))]
        self.signal.give();
        self.parker.unpark();
    }
}
