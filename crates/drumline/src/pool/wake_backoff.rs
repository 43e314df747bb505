//! How long a searcher that was woken for nothing stays away before it is woken again.
//!
//! A push that wakes a worker pays microseconds for that. Where the job is over before the worker
//! comes, or is shorter than the way, each such push would be made dearer for nothing: a join of a
//! microsecond every 100 µs took 10 µs instead of 2.5. So the worker does not leave its mark at
//! once. It stays the searcher, and naps first: 25 µs, and twice as long after each further wake-up
//! that was not worth it, up to a millisecond. One that was ends all that.
//!
//! That nap is deaf, as one beside a victim that is left alone (`pool::thief`): it comes only where
//! wake-ups in a row have brought nothing. It does not come while nothing runs in the pool. A
//! thread outside that spawns ends it (`idle::alert`).

use std::time::Duration;

/// A job that took less was not worth a wake-up.
const SHORT: Duration = Duration::from_micros(4);
const FIRST_PAUSE: Duration = Duration::from_micros(25);
/// Doublings of the pause: up to 0.8 ms.
const MAX_FAILURES: u32 = 6;

/// What a worker remembers of its wake-ups.
#[derive(Debug, Default)]
pub(crate) struct WakeBackoff {
    /// It was woken, and has not begun with anything yet.
    is_woken: bool,
    /// Wake-ups in a row that were not worth it.
    failures: u32,
}

impl WakeBackoff {
    /// The worker was woken.
    pub(crate) fn has_woken(&mut self) {
        self.is_woken = true;
    }

    /// Whether it was woken, and has not [learned](Self::learn) yet what for.
    pub(crate) fn is_woken(&self) -> bool {
        self.is_woken
    }

    /// The worker has found nothing, or its first job took so long.
    pub(crate) fn learn(&mut self, took: Duration) {
        if std::mem::take(&mut self.is_woken) {
            self.failures = if took < SHORT {
                (self.failures + 1).min(MAX_FAILURES)
            } else {
                0
            };
        }
    }

    /// How long the worker stays away before it lets itself be woken again.
    pub(crate) fn pause(&self) -> Option<Duration> {
        let doublings = self.failures.checked_sub(1)?;
        Some(FIRST_PAUSE * (1 << doublings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_a_job_is_worth_it() {
        let mut backoff = WakeBackoff::default();
        assert_eq!(backoff.pause(), None);
        let mut last = Duration::ZERO;
        for _ in 0..20 {
            backoff.has_woken();
            backoff.learn(Duration::ZERO);
            let pause = backoff.pause().expect("woken for nothing");
            assert!(pause >= last && pause <= Duration::from_millis(1));
            last = pause;
        }
        backoff.learn(SHORT);
        assert_eq!(backoff.pause(), Some(last), "no wake-up, nothing learned");
        backoff.has_woken();
        backoff.learn(SHORT);
        assert_eq!(backoff.pause(), None);
    }
}
