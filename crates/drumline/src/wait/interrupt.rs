//! Waiting for a future on a thread, until another thread says that it is of no use any more.
//!
//! # The race feared
//!
//! *The other thread stops the wait between the last look and the sleep.* It sets the note first,
//! and then leaves a token in the parker. The sleep takes the token and ends at once, and the look
//! that follows sees the note. *The future is woken there.* Its waker leaves a token as well.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use super::Parker;
#[cfg(not(drumline_loom))]
use super::budget::{Budget, Poller};
#[cfg(not(drumline_loom))]
use crate::sync::Instant;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::planted;

/// Where one thread at a time waits for futures, and what ends that wait from outside.
///
/// It belongs to no message type and to no lifetime, so that a thread may keep it for longer than
/// that which is waited for.
#[derive(Debug)]
pub(crate) struct Interrupt {
    parker: Parker,
    is_stopped: AtomicBool,
}

/// What came of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitOutcome<T> {
    Ready(T),
    /// The deadline has passed.
    TooLate,
    /// Another thread has [stopped](Interrupt::stop) it.
    Stopped,
}

impl Wake for Interrupt {
    fn wake(self: std::sync::Arc<Self>) {
        self.parker.unpark();
    }

    fn wake_by_ref(self: &std::sync::Arc<Self>) {
        self.parker.unpark();
    }
}

impl Interrupt {
    pub(crate) fn new() -> std::sync::Arc<Self> {
        std::sync::Arc::new(Interrupt {
            parker: Parker::new(),
            is_stopped: AtomicBool::new(false),
        })
    }

    /// Ends the wait, and each later one until [`reset`](Self::reset).
    pub(crate) fn stop(&self) {
        if planted!(StopTokenFirst) {
            self.parker.unpark();
            self.is_stopped.store(true, Ordering::Relaxed);
            return;
        }
        // Relaxed: it publishes nothing, and the token orders it before the look after the sleep.
        self.is_stopped.store(true, Ordering::Relaxed);
        self.parker.unpark();
    }

    /// Lets threads wait again.
    pub(crate) fn reset(&self) {
        // Relaxed: as in `stop`. A token that is left costs the next wait one turn.
        self.is_stopped.store(false, Ordering::Relaxed);
    }

    /// Waits until `future` is ready. What is ready counts, even if the wait has been stopped.
    ///
    /// The caller tells the pool that it [blocks](super::blocking()).
    #[cfg(not(drumline_loom))]
    pub(crate) fn wait<F: Future>(
        self: &std::sync::Arc<Self>,
        until: Option<Instant>,
        future: F,
    ) -> WaitOutcome<F::Output> {
        self.wait_with(future, |parker| {
            match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => parker.park(),
                Some(Duration::ZERO) => return false,
                Some(time) => {
                    parker.park_timeout(time);
                }
            }
            true
        })
    }

    /// As [`wait`](Self::wait). `sleep` sleeps until a token comes, or for some time. It returns
    /// `false` when the deadline has passed.
    pub(super) fn wait_with<F: Future>(
        self: &std::sync::Arc<Self>,
        future: F,
        mut sleep: impl FnMut(&Parker) -> bool,
    ) -> WaitOutcome<F::Output> {
        let mut future = pin!(future);
        let waker = Waker::from(std::sync::Arc::clone(self));
        loop {
            let polled = {
                // The budget of the task that the thread may be in says nothing about this wait. If
                // it were used up, each poll would be put off, and the thread would spin.
                #[cfg(not(drumline_loom))]
                let _budget = Budget::begin(Poller::Thread);
                future.as_mut().poll(&mut Context::from_waker(&waker))
            };
            if let Poll::Ready(output) = polled {
                return WaitOutcome::Ready(output);
            }
            // Relaxed: as in `stop`.
            if self.is_stopped.load(Ordering::Relaxed) {
                return WaitOutcome::Stopped;
            }
            if planted!(SleepDropsToken) {
                self.parker.park_timeout(Duration::ZERO);
            }
            if !sleep(&self.parker) {
                return WaitOutcome::TooLate;
            }
        }
    }
}
