//! A signal that a thread of a pool waits for while it serves its pool.
//!
//! What gives the signal is in no pool, or in another one. A thread of a pool without spares that
//! only blocked meanwhile would be missed: the signal may depend on a call that comes back to its
//! pool, and there may be no other thread to run that call.

use std::time::Duration;

use super::Awaited;
use crate::latch::Sleeper;
use crate::pool::WaitPolicy;
use crate::pool::shared::local;
use crate::pool::waiting;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Mutex, lock};

/// Whether the calling thread runs other jobs of its pool while it waits, and no other thread would
/// come and run them.
pub(crate) fn serves_while_waiting() -> bool {
    local::seat().is_some_and(|seat| {
        let registry = seat.registry();
        registry.wait_policy() == WaitPolicy::Steal && !registry.limit().has_spares()
    })
}

/// Whether there is a job that only the calling thread can run: its share of a broadcast.
pub(crate) fn is_sent_for() -> bool {
    local::seat().is_some_and(|seat| seat.inbox().len() > 0)
}

/// Runs the jobs that only the calling thread can run: the awaited may wait for them.
pub(crate) fn run_what_is_sent() {
    let Some(seat) = local::seat() else { return };
    while let Some(job) = seat.inbox().take() {
        let _apart = seat.stand_apart();
        // SAFETY: taken from its queue, so it is run here and only here.
        unsafe { seat.run(job) };
    }
}

/// Given by any thread; one thread at a time waits for it.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    /// Written with the lock of `sleeper` held.
    given: AtomicBool,
    sleeper: Mutex<Option<Sleeper>>,
}

impl Signal {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Gives the signal. It stays given until it is [taken back](Self::take_back).
    pub(crate) fn give(&self) {
        let mut sleeper = lock(&self.sleeper);
        // Release: the waiter sees what happened before.
        self.given.store(true, Ordering::Release);
        if let Some(sleeper) = sleeper.take() {
            // SAFETY: the waiter's frame stays until this has been done, once: the sleeper was
            // taken out. One that naps takes the lock before it goes. Its seat stays with the
            // frame.
            unsafe { sleeper.wake() };
        }
    }

    /// The waiter has seen the signal, and looks anew for what it stands for.
    pub(crate) fn take_back(&self) {
        let _sleeper = lock(&self.sleeper);
        self.given.store(false, Ordering::Release);
    }

    /// Waits until the signal has been given, or the calling thread is [sent](is_sent_for) for, and
    /// no longer than this time, if one is given. `None`: the thread is in no pool, and has not
    /// waited. `Some(false)`: the time is over.
    pub(crate) fn nap(&self, time: Option<Duration>) -> Option<bool> {
        let seat = local::seat()?;
        let mut woken = is_sent_for();
        if !woken && self.watch(Sleeper::Member(seat.parker())) {
            // A job that is sent from now on leaves a token. So does one that was sent before, and
            // the token may have been used up.
            woken = is_sent_for()
                || match time {
                    Some(time) => seat.parker().park_timeout(time),
                    None => {
                        seat.parker().park();
                        true
                    }
                };
            // With the lock: no thread is about to wake this one any more.
            *lock(&self.sleeper) = None;
        }
        Some(woken | self.is_done())
    }

    /// Waits until the signal has been given, and serves the pool of the calling thread meanwhile.
    pub(crate) fn wait(&self) {
        waiting::block_on(self);
    }
}

impl Awaited for Signal {
    fn is_done(&self) -> bool {
        self.given.load(Ordering::Acquire)
    }

    /// None: the signal comes from outside the pool.
    fn any_runner(&self, _visit: &mut dyn FnMut(usize) -> bool) -> bool {
        false
    }

    fn is_runner(&self, _seat: usize) -> bool {
        false
    }

    fn watch(&self, waiter: Sleeper) -> bool {
        let mut sleeper = lock(&self.sleeper);
        if self.is_done() {
            return false;
        }
        *sleeper = Some(waiter);
        true
    }
}
