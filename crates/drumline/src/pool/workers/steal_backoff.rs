//! For how long a thief leaves a victim alone, and what it learns that from.
//!
//! Each steal that was not worth it doubles the time. What makes a steal worth it is said in the
//! header of [`thief`](super::thief).

use std::time::Duration;

use crate::pool::deque::Claim;
use crate::sync::{Instant, barrier};

/// A stolen job shorter than this was not worth it, however cheap it was to get:
/// a thief that naps and comes back costs its neighbours a context switch, too.
/// It is also the first back-off.
pub(crate) const SHORT: Duration = Duration::from_micros(4);
/// The same for a job from a queue, which costs a lock and no nap: but both threads pull at the
/// cache lines of that queue.
const SHORT_QUEUED: Duration = Duration::from_micros(1);
/// A run of an actor that took less for each of its messages was not worth it either. To get a
/// message from another processor takes half of that, and its sender pays as much.
const SHORT_MESSAGE: Duration = Duration::from_nanos(250);
/// The longest back-off.
const LAST_BACKOFF: Duration = Duration::from_millis(1);
/// Doublings of the back-off.
const MAX_FAILURES: u32 = 8;

/// For how long a thief leaves one victim alone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StealBackoff {
    pub(crate) until: Option<Instant>,
    /// Failures in a row.
    failures: u32,
    /// The victim's actors are told more while they are elsewhere: it is left alone also if its
    /// queue is long.
    pub(crate) is_strict: bool,
}

impl StealBackoff {
    /// Whether the victim may be interrupted by a barrier.
    pub(crate) fn may_interrupt(&self, now: Instant) -> bool {
        self.until.is_none_or(|until| until <= now)
    }

    /// How many entries to claim with one barrier.
    pub(crate) fn batch(&self) -> usize {
        1 << (3 * self.failures)
    }

    /// The victim was interrupted, and nothing came of it.
    pub(crate) fn regret(&mut self) {
        self.learn(Claim::Forced, Duration::ZERO);
    }

    /// Learns from a job that was taken from the victim's queue, and has handled this many messages
    /// besides the first.
    pub(crate) fn learn_queued(&mut self, took: Duration, messages: u32) {
        let is_cheap = messages > 0 && took < SHORT_MESSAGE * (messages + 1);
        if took >= SHORT_QUEUED && !is_cheap {
            *self = Self::default();
        } else {
            self.is_strict = is_cheap;
            self.back_off(SHORT);
        }
    }

    /// Leaves the victim alone, longer each time.
    pub(crate) fn back_off(&mut self, cost: Duration) {
        let pause = cost * (1 << self.failures);
        self.until = Some(Instant::now() + pause.min(LAST_BACKOFF));
        self.failures = (self.failures + 1).min(MAX_FAILURES);
    }

    /// Learns from stolen jobs that took this long each.
    pub(crate) fn learn(&mut self, claim: Claim, took: Duration) {
        let cost = match claim {
            Claim::None | Claim::Asked => SHORT,
            Claim::Forced => SHORT.max(barrier::cost() * 2),
        };
        if took >= cost {
            *self = Self::default();
        } else if claim != Claim::None {
            self.back_off(cost);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_jobs_are_left_to_their_owner() {
        let mut backoff = StealBackoff::default();
        let now = Instant::now();
        backoff.learn_queued(Duration::from_nanos(500), 0);
        assert!(!backoff.may_interrupt(now) && !backoff.is_strict);
        backoff.learn_queued(Duration::from_micros(2), 0);
        assert!(backoff.may_interrupt(now));
    }

    #[test]
    fn runs_of_cheap_messages_are_left_to_their_owner() {
        let mut backoff = StealBackoff::default();
        let now = Instant::now();
        // Sixty messages of 100 ns each, long as they are together.
        backoff.learn_queued(Duration::from_micros(6), 59);
        assert!(!backoff.may_interrupt(now) && backoff.is_strict);
        // Of a microsecond each.
        backoff.learn_queued(Duration::from_micros(60), 59);
        assert!(backoff.may_interrupt(now) && !backoff.is_strict);
    }

    #[test]
    fn the_time_doubles_up_to_a_millisecond() {
        let mut backoff = StealBackoff::default();
        for failures in 0..20 {
            let now = Instant::now();
            backoff.learn_queued(Duration::from_micros(6), 59);
            let until = backoff.until.expect("it is left alone");
            // From a moment after `now` on.
            assert!(until - now >= (SHORT * (1 << failures.min(8))).min(LAST_BACKOFF));
        }
    }
}
