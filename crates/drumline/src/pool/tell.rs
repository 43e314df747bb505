//! How events and warnings reach those who listen.
//!
//! A handler is the program's code in the middle of the scheduler: it may run
//! on a thread that has no place in the pool at that moment, or that stands in
//! line. So while it runs, its thread is in no pool: what it calls comes from
//! outside, like a call of any other thread. And what happens to the thread
//! meanwhile is not told, so that a handler is never entered while it runs
//! on the same thread; it could hold a lock of its own.

use std::cell::Cell;

use super::event::Event;
use super::local::{self, Restore};
use super::registry::Registry;
use super::seat::Seat;
use super::trace;
use super::warning::Warning;
use crate::sync::thread_local;
use crate::unwind;
use crate::wait::Parker;

thread_local! {
    static TELLING: Cell<bool> = const { Cell::new(false) };
}

/// The thread runs a handler, until this is dropped.
struct Telling {
    _outside: Restore,
}

impl Telling {
    /// `None`: the thread runs a handler already.
    fn begin() -> Option<Self> {
        if TELLING.with(|telling| telling.replace(true)) {
            return None;
        }
        Some(Telling {
            _outside: local::outside(),
        })
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        TELLING.with(|telling| telling.set(false));
    }
}

impl Registry {
    /// Tells those who listen, if anybody does; only then is the event made.
    ///
    /// Not to be called with a lock held.
    #[inline]
    pub(crate) fn tell(&self, event: impl FnOnce() -> Event) {
        if self.is_heard() {
            self.tell_now(&event());
        }
    }

    #[inline]
    fn is_heard(&self) -> bool {
        self.hooks().event.is_some() || trace::is_on()
    }

    /// Returns whether anybody heard it.
    #[cold]
    fn tell_now(&self, event: &Event) -> bool {
        let Some(_telling) = Telling::begin() else {
            return false;
        };
        let hook = self.hooks().event.as_ref();
        if let Some(hook) = hook
            && let Err(payload) = unwind::catch(|| hook(event))
        {
            self.report_panic(payload);
        }
        let traced = unwind::catch(|| trace::tell(event)).unwrap_or_else(|payload| {
            self.report_panic(payload);
            false
        });
        hook.is_some() || traced
    }

    /// Warns: the warning handler, and as an event; on standard error where
    /// nobody hears either. Not to be called with the line's lock held.
    #[cold]
    pub(crate) fn warn(&self, warning: &Warning) {
        let mut heard = false;
        if let Some(hook) = &self.hooks().warning
            && let Some(_telling) = Telling::begin()
        {
            heard = true;
            if let Err(payload) = unwind::catch(|| hook(warning)) {
                unwind::discard(payload);
            }
        }
        if self.is_heard() {
            heard |= self.tell_now(&Event::from(warning));
        }
        if !heard && warning.is_printed() {
            eprintln!("drumline: {warning}");
        }
    }
}

/// What happens to the occupant of a seat; called by it.
impl Seat {
    /// Sleeps until somebody wakes this thread.
    pub(crate) fn sleep(&self) {
        self.sleep_in(Parker::park);
    }

    /// As [`sleep`](Self::sleep), in the way that `park` says.
    pub(crate) fn sleep_in<R>(&self, park: impl FnOnce(&Parker) -> R) -> R {
        let index = self.index();
        self.counters().count_park();
        self.registry().tell(|| Event::Slept { index });
        let outcome = park(self.parker());
        self.counters().count_wake();
        self.registry().tell(|| Event::Woke { index });
        outcome
    }

    /// A job of `victim` is about to run here.
    pub(crate) fn has_stolen(&self, victim: &Seat) {
        self.counters().count_steal();
        self.registry().tell(|| Event::Stole {
            thief: self.index(),
            victim: victim.index(),
        });
    }

    /// It blocks.
    pub(crate) fn has_blocked(&self) {
        let index = self.index();
        self.counters().count_block();
        self.registry().tell(|| Event::Blocked { index });
    }

    /// It goes on.
    pub(crate) fn has_unblocked(&self) {
        let index = self.index();
        self.registry().tell(|| Event::Unblocked { index });
    }
}
