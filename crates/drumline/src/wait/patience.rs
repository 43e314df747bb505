//! How a thread watches for something without burning its processor.
//!
//! First it spins for about as long as a sleep and a wake-up would cost,
//! offering its processor to others all the while; then it naps, each nap twice
//! as long as the one before; and when the naps have grown to their limit it
//! gives up: its caller leaves a mark and sleeps for good.
//!
//! Where threads compete for processors it takes the last nap first: each end of a nap takes the
//! processor from a thread that is busy.

use std::time::Duration;

use super::{Oversubscription, Parker};
use crate::sync::{Instant, relax, thread};

/// Spin this long while what one waits for may come at any moment: about the
/// time of a sleep and a wake-up on a virtual machine.
const LONG_SPIN: Duration = Duration::from_micros(60);
/// Spin this long where nothing is going on.
const SHORT_SPIN: Duration = Duration::from_micros(4);
/// The first nap.
const FIRST_NAP: Duration = Duration::from_micros(25);
/// After a nap of this length the watcher gives up.
const LAST_NAP: Duration = Duration::from_micros(1600);
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
    /// Nothing, and there is no point in a nap: give up after the spinning.
    Leaving,
}

/// The state of one spell of watching.
#[derive(Debug)]
pub(crate) struct Patience {
    since: Instant,
    nap: Option<Duration>,
    /// The spinning is over: the next turn may be a nap.
    is_about_to_nap: bool,
    /// Whether the last nap lasted to its end, until the caller has asked.
    ended: Option<bool>,
    oversubscription: &'static Oversubscription,
}

impl Patience {
    pub(crate) fn new() -> Self {
        Patience {
            since: Instant::now(),
            nap: None,
            is_about_to_nap: false,
            ended: None,
            oversubscription: Oversubscription::here(),
        }
    }

    /// Something was there: start over.
    pub(crate) fn reset(&mut self) {
        *self = Self::new();
    }

    /// Whether this spell has napped.
    pub(crate) fn has_napped(&self) -> bool {
        self.nap.is_some()
    }

    /// For statistics: if there was a nap since the last call of this, whether it lasted to its
    /// end, because no thread called.
    pub(crate) fn take_nap(&mut self) -> Option<bool> {
        self.ended.take()
    }

    /// Whether this spell has lasted for `time` already.
    pub(crate) fn has_lasted(&self, time: Duration) -> bool {
        self.nap.is_some() || self.since.elapsed() >= time
    }

    /// Whether the next [turn](Self::wait) may be a nap. Before the first nap there is a turn in
    /// which this is so, and the caller has looked: what is not asked to call would come to a
    /// thread that is deaf.
    pub(crate) fn is_about_to_nap(&self) -> bool {
        self.is_about_to_nap
    }

    /// Naps for `time` at once: what is waited for cannot come earlier.
    pub(crate) fn rest(&mut self, parker: &Parker, time: Duration) {
        self.ended = Some(!parker.park_timeout(time));
        self.nap = Some(self.nap.unwrap_or(FIRST_NAP));
    }

    /// Passes a little time, or says that there was enough of it.
    pub(crate) fn wait(&mut self, parker: &Parker, kind: WaitKind) -> WaitStep {
        let spin = match kind {
            WaitKind::Eager => LONG_SPIN,
            WaitKind::Idle | WaitKind::Leaving => SHORT_SPIN,
        };
        match self.nap {
            None if self.since.elapsed() < spin => {
                for _ in 0..PAUSES {
                    relax();
                }
                let now = Instant::now();
                if now - self.since < SHORT_SPIN {
                    return WaitStep::Look;
                }
                // The thread that is waited for may need this very processor.
                if self.oversubscription.is_oversubscribed(now) {
                    self.first_nap(parker);
                } else {
                    thread::yield_now();
                    self.oversubscription.came_back(now);
                }
            }
            _ if kind == WaitKind::Leaving => return WaitStep::GiveUp,
            None => self.first_nap(parker),
            Some(nap) if nap >= LAST_NAP => return WaitStep::GiveUp,
            Some(nap) => self.nap(parker, nap * 2),
        }
        WaitStep::Look
    }

    /// Naps for the first time, in the second turn from here.
    fn first_nap(&mut self, parker: &Parker) {
        if std::mem::replace(&mut self.is_about_to_nap, true) {
            self.nap(parker, FIRST_NAP);
        }
    }

    fn nap(&mut self, parker: &Parker, nap: Duration) {
        let now = Instant::now();
        let nap = if self.oversubscription.is_oversubscribed(now) {
            LAST_NAP
        } else {
            nap
        };
        self.nap = Some(nap);
        self.ended = Some(!parker.park_timeout(nap));
        self.oversubscription.came_back(now + nap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a machine whose threads compete for processors, or not.
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

    /// A caller that asks before each turn whether a nap may come is told so before the first one.
    #[test]
    fn the_first_nap_is_announced() {
        for is_oversubscribed in [false, true] {
            for kind in [WaitKind::Eager, WaitKind::Idle] {
                let mut patience = patience(is_oversubscribed);
                let parker = Parker::new();
                loop {
                    let is_announced = patience.is_about_to_nap();
                    assert_eq!(patience.wait(&parker, kind), WaitStep::Look);
                    if patience.has_napped() {
                        assert!(is_announced, "{kind:?}, {is_oversubscribed}");
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn oversubscribed_there_is_one_nap() {
        let mut patience = patience(true);
        let parker = Parker::new();
        while !patience.has_napped() {
            assert_eq!(patience.wait(&parker, WaitKind::Eager), WaitStep::Look);
        }
        assert_eq!(patience.wait(&parker, WaitKind::Eager), WaitStep::GiveUp);
    }
}
