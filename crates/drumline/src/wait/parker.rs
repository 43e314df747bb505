//! One thread's place to sleep.
//!
//! ```text
//!            unpark                      park
//!   EMPTY ───────────► NOTIFIED ───────────────────► EMPTY (returns at once)
//!     │ park                ▲
//!     ▼                     │ unpark (wakes the sleeper)
//!   PARKED ─────────────────┘
//! ```
//!
//! The token is a bit, not a count: any number of `unpark`s before a `park` make that `park` return
//! once. Callers re-check their condition after every return. `unpark` may come late, when the
//! sleeper has long gone on. That costs the sleeper's next `park` one turn and nothing else. So the
//! thread that wakes needs the parker to be alive, not the reason for the wake-up.

use std::time::Duration;

#[cfg(not(any(drumline_loom, drumline_shuttle)))]
pub(crate) use futex::Parker;
#[cfg(any(drumline_loom, drumline_shuttle))]
pub(crate) use model::Parker;

#[cfg(not(any(drumline_loom, drumline_shuttle)))]
mod futex {
    use super::Duration;
    use crate::platform::futex;
    use crate::sync::atomic::{AtomicU32, Ordering};

    const EMPTY: u32 = 0;
    const NOTIFIED: u32 = 1;
    const PARKED: u32 = 2;

    /// Where one thread at a time sleeps.
    #[derive(Debug)]
    pub(crate) struct Parker {
        state: AtomicU32,
    }

    impl Parker {
        pub(crate) fn new() -> Self {
            Parker {
                state: AtomicU32::new(EMPTY),
            }
        }

        /// Takes the token that is there.
        ///
        /// A swap and not a store: a second `unpark` may have come since the
        /// token was seen. A store could overtake the caller's look at its
        /// condition (it waits in the store buffer meanwhile), wipe out that
        /// second token, and leave the thread asleep for good. The swap either
        /// comes after the second `unpark` and, by Acquire, sees what it
        /// announces, or before it, and the token stays.
        fn take_token(&self) {
            self.state.swap(EMPTY, Ordering::Acquire);
        }

        /// Whether the next [`park`](Self::park) would return at once. By the thread that parks.
        pub(crate) fn has_token(&self) -> bool {
            // Relaxed: `park` acquires it.
            self.state.load(Ordering::Relaxed) == NOTIFIED
        }

        /// Sleeps until [`unpark`](Self::unpark), or takes an earlier one.
        pub(crate) fn park(&self) {
            // Acquire, here and below, pairs with the Release in `unpark`.
            if self
                .state
                .compare_exchange(EMPTY, PARKED, Ordering::Acquire, Ordering::Acquire)
                .is_err()
            {
                self.take_token();
                return;
            }
            loop {
                futex::wait(&self.state, PARKED, None);
                // Relaxed on failure: no token has come, and the thread sleeps on.
                if self
                    .state
                    .compare_exchange(NOTIFIED, EMPTY, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok()
                {
                    return;
                }
            }
        }

        /// As [`park`](Self::park), for `time` at most. Returns whether it was
        /// unparked.
        pub(crate) fn park_timeout(&self, time: Duration) -> bool {
            if self
                .state
                .compare_exchange(EMPTY, PARKED, Ordering::Acquire, Ordering::Acquire)
                .is_err()
            {
                self.take_token();
                return true;
            }
            futex::wait(&self.state, PARKED, Some(time));
            // A spurious return ends the nap early, which is harmless.
            self.state.swap(EMPTY, Ordering::Acquire) == NOTIFIED
        }

        /// Wakes the sleeper, now or at its next attempt to sleep.
        pub(crate) fn unpark(&self) {
            self.call();
        }

        /// As [`unpark`](Self::unpark). Returns whether it slept.
        pub(crate) fn call(&self) -> bool {
            let slept = self.state.swap(NOTIFIED, Ordering::Release) == PARKED;
            if slept {
                futex::wake_one(&self.state);
            }
            slept
        }
    }
}

#[cfg(any(drumline_loom, drumline_shuttle))]
mod model {
    use super::Duration;
    use crate::sync::{Condvar, Mutex, lock, relax};

    /// The same contract from the model checker's own parts.
    #[derive(Debug)]
    pub(crate) struct Parker {
        token: Mutex<bool>,
        changed: Condvar,
    }

    impl Parker {
        pub(crate) fn new() -> Self {
            Parker {
                token: Mutex::new(false),
                changed: Condvar::new(),
            }
        }

        pub(crate) fn has_token(&self) -> bool {
            *lock(&self.token)
        }

        pub(crate) fn park(&self) {
            let mut token = lock(&self.token);
            while !*token {
                token = match self.changed.wait(token) {
                    Ok(token) => token,
                    // Shuttle's threads share one flag that says "panicking".
                    Err(poisoned) => poisoned.into_inner(),
                };
            }
            *token = false;
        }

        /// A nap in a model is a chance for the others to run.
        pub(crate) fn park_timeout(&self, _time: Duration) -> bool {
            relax();
            let mut token = lock(&self.token);
            std::mem::take(&mut *token)
        }

        pub(crate) fn unpark(&self) {
            *lock(&self.token) = true;
            self.changed.notify_one();
        }

        /// Whether it slept makes no difference in a model.
        #[cfg(not(drumline_loom))]
        pub(crate) fn call(&self) -> bool {
            self.unpark();
            false
        }
    }
}
