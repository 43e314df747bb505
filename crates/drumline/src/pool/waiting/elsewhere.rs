//! Waiting in one pool for something that happens in another, or in none.
//!
//! With [`WaitPolicy::Steal`](crate::pool::WaitPolicy::Steal) a thread that waits runs
//! jobs of its own pool, also while it waits for another pool: those jobs may
//! be calls that come back from there, and where no spare is made no other
//! thread may be left to run them.
//!
//! The thread that finishes the awaited thing knows nothing of this pool, and
//! does not keep its seats alive. So it rings a [`Bell`] in the waiting frame:
//! it wakes the parker first and opens the gate last, and the frame stays until
//! the gate is open.

use std::cell::Cell;

use super::awaited::Awaited;
use crate::latch::{Bell, Sleeper};
use crate::pool::shared::seat::Seat;

/// What happens elsewhere: no thread of this pool works on it.
pub(super) struct Elsewhere<'a> {
    awaited: &'a dyn Awaited,
    bell: Bell,
    /// Whether the bell will be rung.
    rings: Cell<bool>,
}

impl<'a> Elsewhere<'a> {
    /// For a thread that waits on `seat`.
    pub(super) fn new(seat: &Seat, awaited: &'a dyn Awaited) -> Self {
        Elsewhere {
            awaited,
            bell: Bell::new(seat.parker()),
            rings: Cell::new(false),
        }
    }

    /// The waiting is over: this frame must not go before the bell has rung, if it will.
    pub(super) fn leave(&self) {
        if self.rings.get() {
            self.bell.wait();
        }
    }
}

impl Awaited for Elsewhere<'_> {
    fn is_done(&self) -> bool {
        self.awaited.is_done()
    }

    fn any_runner(&self, _visit: &mut dyn FnMut(usize) -> bool) -> bool {
        false
    }

    fn is_runner(&self, _seat: usize) -> bool {
        false
    }

    fn watch(&self, _sleeper: Sleeper) -> bool {
        let rings = self.awaited.watch(Sleeper::Elsewhere(&raw const self.bell));
        self.rings.set(rings);
        rings
    }
}
