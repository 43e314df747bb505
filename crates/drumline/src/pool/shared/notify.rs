//! What happens on a seat, counted and reported.

use std::time::Duration;

use super::local;
use super::registry::Registry;
use super::seat::Seat;
use crate::pool::observe::counters::CounterWords;
use crate::pool::observe::event::Event;
use crate::sync::{Count, Instant};
use crate::wait::Parker;

/// A poll that takes this long is told.
const LONG_POLL: Duration = Duration::from_millis(10);

impl Registry {
    /// Notifies the event handler and `tracing`. The event is made only if either listens.
    ///
    /// Not to be called with a lock held.
    #[inline]
    pub(crate) fn notify(&self, event: impl FnOnce() -> Event) {
        if self.hooks().is_heard() {
            self.hooks().notify_now(&event());
        }
    }

    /// Counts something that the calling thread did for this pool, on its seat if it has one here.
    pub(crate) fn count(&self, what: impl FnOnce(&CounterWords) -> &Count) {
        match local::find(self) {
            Some(seat) => what(seat.counters()).up(),
            None => what(self.outsiders()).up_shared(),
        }
    }

    /// The calling thread is about to take the lock of a scope.
    pub(crate) fn count_scope_lock(&self) {
        self.count(|counters| &counters.scope_locks);
    }

    /// The calling thread is about to wake the worker with seat number `called`.
    pub(crate) fn count_call(&self, called: usize) {
        let spell = self.idle_set().spells();
        let (chain, counters) = match local::find(self) {
            Some(seat) => (seat.counters().chain_in(spell), seat.counters()),
            None => (0, self.outsiders()),
        };
        let chain = chain + 1;
        counters.deepest.raise(chain);
        self.seat(called).counters().is_called(chain, spell);
        self.count(|counters| &counters.calls);
    }
}

/// What happens to the occupant of a seat; called by it.
impl Seat {
    /// Sleeps until another thread wakes this one.
    pub(crate) fn sleep(&self) {
        self.sleep_in(Parker::park);
    }

    /// As [`sleep`](Self::sleep), in the way that `park` says.
    pub(crate) fn sleep_in<R>(&self, park: impl FnOnce(&Parker) -> R) -> R {
        let index = self.index();
        self.counters().parks.up();
        self.registry().notify(|| Event::Slept { index });
        let outcome = park(self.parker());
        self.counters().wakes.up();
        self.registry().notify(|| Event::Woke { index });
        outcome
    }

    /// A job of `victim` is about to run here.
    pub(crate) fn has_stolen(&self, victim: &Seat) {
        self.counters().steals.up();
        self.registry().notify(|| Event::Stole {
            thief: self.index(),
            victim: victim.index(),
        });
    }

    /// It blocks.
    pub(crate) fn has_blocked(&self) {
        let index = self.index();
        self.counters().blocks.up();
        self.registry().notify(|| Event::Blocked { index });
    }

    /// Polls a future.
    #[inline]
    pub(crate) fn poll<R>(&self, poll: impl FnOnce() -> R) -> R {
        self.counters().polls.up();
        if !self.registry().hooks().is_heard() {
            return poll();
        }
        let begun = Instant::now();
        let outcome = poll();
        let lasted = begun.elapsed();
        if lasted >= LONG_POLL {
            let index = self.index();
            self.registry().notify(|| Event::LongPoll { index, lasted });
        }
        outcome
    }

    /// It goes on.
    pub(crate) fn has_unblocked(&self) {
        let index = self.index();
        self.registry().notify(|| Event::Unblocked { index });
    }
}
