//! How long a thread watches for something before it sleeps.
//!
//! It spins for about as long as a sleep and a wake-up would cost, offering its processor to others
//! all the while. Then it gives up: its caller leaves a mark and sleeps until it is woken. It does
//! not nap in between: a thread that naps without a mark is deaf to what comes meanwhile. The only
//! nap is a [`rest`](Patience::rest), where what it waits for is not to be had earlier.
//!
//! Where threads compete for processors it spins only for a moment: each offer of the processor
//! would cost it a whole time slice, and a wake-up costs less.

use std::time::Duration;

use super::{Oversubscription, Parker};
use crate::sync::{Instant, relax, thread};

/// Spin this long while what one waits for may come at any moment: about the
/// time of a sleep and a wake-up on a virtual machine.
const LONG_SPIN: Duration = Duration::from_micros(60);
/// Spin this long where nothing is going on.
const SHORT_SPIN: Duration = Duration::from_micros(4);
/// `relax` calls between two looks: looking pulls the owner's cache line over.
const PAUSES: u32 = 24;

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitStep {
    /// Look again now.
    Look,
    /// Nothing came: leave a mark and sleep for good.
    GiveUp,
}

/// What there is to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitKind {
    /// Something that may come at any moment.
    Eager,
    /// Nothing that one could see.
    Idle,
}

/// The state of one spell of watching.
#[derive(Debug)]
pub(crate) struct Patience {
    since: Instant,
    /// Whether it has rested.
    has_rested: bool,
    /// The spinning is over: in the next turn it gives up.
    is_about_to_end: bool,
    oversubscription: &'static Oversubscription,
}

impl Patience {
    pub(crate) fn new() -> Self {
        Patience {
            since: Instant::now(),
            has_rested: false,
            is_about_to_end: false,
            oversubscription: Oversubscription::here(),
        }
    }

    /// Something was there: start over.
    pub(crate) fn reset(&mut self) {
        *self = Self::new();
    }

    /// Whether this spell has lasted for `time` already.
    pub(crate) fn has_lasted(&self, time: Duration) -> bool {
        self.has_rested || self.since.elapsed() >= time
    }

    /// Whether the next [turn](Self::wait) is the last one. There is always a turn before in which
    /// this is so: what is not asked to call by then would come to a thread that sleeps.
    pub(crate) fn is_about_to_end(&self) -> bool {
        self.is_about_to_end
    }

    /// Naps for `time` at once: what is waited for cannot come earlier. Returns whether the nap
    /// lasted to its end, because no thread called.
    pub(crate) fn rest(&mut self, parker: &Parker, time: Duration) -> bool {
        self.has_rested = true;
        !parker.park_timeout(time)
    }

    /// Passes a little time, or says that there was enough of it.
    pub(crate) fn wait(&mut self, kind: WaitKind) -> WaitStep {
        if self.is_about_to_end {
            return WaitStep::GiveUp;
        }
        let spin = match kind {
            WaitKind::Eager => LONG_SPIN,
            WaitKind::Idle => SHORT_SPIN,
        };
        if self.has_lasted(spin) {
            self.is_about_to_end = true;
            return WaitStep::Look;
        }
        for _ in 0..PAUSES {
            relax();
        }
        let now = Instant::now();
        if now - self.since >= SHORT_SPIN && !self.offer_at(now) {
            self.is_about_to_end = true;
        }
        WaitStep::Look
    }

    /// Offers the processor, which the thread that is waited for may need, unless threads compete
    /// for processors: it would come back after a time slice.
    pub(crate) fn offer(&self) {
        self.offer_at(self.since);
    }

    /// Whether threads competed for processors when this spell began.
    pub(super) fn is_oversubscribed(&self) -> bool {
        self.oversubscription.is_oversubscribed(self.since)
    }

    fn offer_at(&self, now: Instant) -> bool {
        if self.oversubscription.is_oversubscribed(now) {
            return false;
        }
        thread::yield_now();
        self.oversubscription.came_back(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a machine with more threads than processors, or not.
    fn patience(is_oversubscribed: bool) -> Patience {
        let oversubscription = Box::leak(Box::new(Oversubscription::new()));
        if is_oversubscribed {
            oversubscription.note(Duration::from_secs(1), Instant::now());
        }
        Patience {
            oversubscription,
            ..Patience::new()
        }
    }

    /// A caller that asks before each turn whether it is the last one is told so before that.
    #[test]
    fn the_end_is_announced() {
        for is_oversubscribed in [false, true] {
            for kind in [WaitKind::Eager, WaitKind::Idle] {
                let mut patience = patience(is_oversubscribed);
                loop {
                    let is_announced = patience.is_about_to_end();
                    if patience.wait(kind) == WaitStep::GiveUp {
                        assert!(is_announced, "{kind:?}, {is_oversubscribed}");
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn a_rest_ends_the_spinning() {
        let mut patience = patience(false);
        assert!(patience.rest(&Parker::new(), Duration::ZERO));
        assert_eq!(patience.wait(WaitKind::Eager), WaitStep::Look);
        assert_eq!(patience.wait(WaitKind::Eager), WaitStep::GiveUp);
    }
}
