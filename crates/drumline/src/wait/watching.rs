//! How a thread watches for something before it sleeps.

use super::{Patience, WaitKind, WaitStep, YieldRecord};
use crate::sync::{Instant, Ticks, relax};

/// How often a side that waits looks before it asks for the time: two microseconds, about.
const GLANCES: u32 = 50;

/// A first look that takes longer than this, in nanoseconds, is the only one before that: a look at
/// a set of thousands of ports goes through those that it holds.
const LONG_LOOK: u64 = 1_000;

/// What came of watching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watched {
    Ready,
    /// The deadline has passed.
    TooLate,
    /// It has lasted for long enough: sleep.
    Nothing,
}

/// Watches for something that may come at any moment.
pub(crate) fn watch(deadline: Option<Instant>, is_ready: impl FnMut() -> bool) -> Watched {
    watch_and_offer(deadline, is_ready, Patience::offer)
}

/// As [`watch`], at a place where threads pass something on. `moved` says how much was passed on so
/// far.
pub(crate) fn watch_moving(
    deadline: Option<Instant>,
    is_ready: impl FnMut() -> bool,
    record: &YieldRecord,
    moved: impl Fn() -> u64,
) -> Watched {
    watch_and_offer(deadline, is_ready, |patience| {
        record.offer(patience, moved);
    })
}

fn watch_and_offer(
    deadline: Option<Instant>,
    mut is_ready: impl FnMut() -> bool,
    offer: impl FnOnce(&Patience),
) -> Watched {
    // The other side may be about to tell.
    let begun = Ticks::now();
    for count in 0..GLANCES {
        if is_ready() {
            return Watched::Ready;
        }
        if count == 0 && Ticks::now().nanos_since(begun) > LONG_LOOK {
            break;
        }
        relax();
    }
    let mut patience = Patience::new();
    // Or it needs this very processor. Then to spin first would be in vain, each time.
    offer(&patience);
    loop {
        if is_ready() {
            return Watched::Ready;
        }
        if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            return Watched::TooLate;
        }
        if patience.wait(WaitKind::Eager) == WaitStep::GiveUp {
            return Watched::Nothing;
        }
    }
}
