//! A clock that counts looks at it. So a run under shuttle depends on the schedule alone, and a
//! thread that waits for time to pass does not wait for ever.

use std::cell::Cell;
use std::ops::{Add, Sub};
use std::time::Duration;

/// What one look costs.
const STEP: Duration = Duration::from_micros(10);

std::thread_local! {
    // shuttle runs all threads of a program as coroutines of one.
    static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// As [`std::time::Instant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(Duration);

impl Instant {
    pub(crate) fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    pub(crate) fn now() -> Self {
        NOW.with(|now| {
            now.set(now.get() + STEP);
            Instant(now.get())
        })
    }

    pub(crate) fn checked_add(self, time: Duration) -> Option<Self> {
        self.0.checked_add(time).map(Instant)
    }

    pub(crate) fn checked_sub(self, time: Duration) -> Option<Self> {
        self.0.checked_sub(time).map(Instant)
    }

    /// How long after the begin of all time this is.
    pub(crate) fn since_ever(self) -> Duration {
        self.0
    }

    pub(crate) fn elapsed(self) -> Duration {
        Self::now() - self
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.0 - earlier.0
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Instant(self.0 + time)
    }
}
