//! Whether a consumer that has found its source empty looks for a moment before it sleeps.
//!
//! To sleep and to be woken costs some microseconds, and the sender pays for a part of it. Where
//! the next item comes sooner than that, a consumer that looks meanwhile saves both of them that:
//! three senders through a `sync_channel` of 8 take a fifth of the time. Where threads compete for
//! the processors, the sender may not even run meanwhile. So the consumer looks only after a wait
//! that was short, and not at all where the pool is known to be oversubscribed. Each look in a row
//! that brings nothing doubles the number of short waits that pass before the next look.
//!
//! # Rejected
//!
//! * To offer the processor before the sleep: beside programs that compute, each offer costs a time
//!   slice, and the kernel makes the thread wait longer when it is woken (10 µs, not 4).
//! * To offer it again and again: three consumers switch between themselves all the time.
//! * To offer it and then nap for 8 ms: half of the context switches of `triple-pool`, at twice the
//!   median latency. Beside two busy loops, a stream over a bounded channel had a hundredth of a
//!   plain loop's rate.
//! * To offer it while that pays, or to spin for 20 or 50 µs first: no difference in `triple-pool`.

use std::time::Duration;

/// For how long a consumer looks: about as long as it takes to wake a thread.
pub(super) const LOOKS_FOR: Duration = Duration::from_micros(10);

/// A wait that took less than this was short.
const SHORT: Duration = Duration::from_micros(50);

/// Doublings of the number of waits without a look.
const MAX_FAILURES: u32 = 6;

/// What a consumer remembers of its waits.
#[derive(Debug, Default)]
pub(super) struct SpinBackoff {
    /// The last wait was short.
    was_short: bool,
    /// Looks in a row that brought nothing.
    failures: u32,
    /// How many waits are to come without a look.
    skips: u32,
}

impl SpinBackoff {
    /// The source is empty: whether to look for a moment before the thread sleeps.
    pub(super) fn looks(&mut self) -> bool {
        if !self.was_short {
            return false;
        }
        let looks = self.skips == 0;
        self.skips = self.skips.saturating_sub(1);
        looks
    }

    /// A look has ended, with something or not.
    pub(super) fn looked(&mut self, found: bool) {
        self.failures = if found {
            0
        } else {
            (self.failures + 1).min(MAX_FAILURES)
        };
        self.skips = (1 << self.failures) - 1;
    }

    /// A sleep that took `time` has ended.
    pub(super) fn slept(&mut self, time: Duration) {
        self.was_short = time < SHORT;
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_FAILURES, SHORT, SpinBackoff};

    /// How many waits pass without a look.
    fn skipped(backoff: &mut SpinBackoff) -> u32 {
        (0..).find(|_| backoff.looks()).expect("it looks at last")
    }

    #[test]
    fn looks_that_bring_nothing_become_rare() {
        let mut backoff = SpinBackoff {
            was_short: true,
            ..SpinBackoff::default()
        };
        assert_eq!(skipped(&mut backoff), 0);
        for failures in 1..=MAX_FAILURES + 2 {
            backoff.looked(false);
            let expected = (1 << failures.min(MAX_FAILURES)) - 1;
            assert_eq!(skipped(&mut backoff), expected);
        }
        backoff.looked(true);
        assert_eq!(skipped(&mut backoff), 0);
    }

    #[test]
    fn there_is_no_look_at_first_nor_after_a_long_wait() {
        let mut backoff = SpinBackoff::default();
        assert!(!backoff.looks());
        backoff.was_short = true;
        assert!(backoff.looks());
        backoff.slept(SHORT);
        assert!(!backoff.looks());
    }
}
