//! When the system refuses threads: how often it is asked again, and how often the program hears.
//!
//! An attempt that fails costs tens of microseconds. A pool that is short of threads has a reason
//! to try with each job that comes. The first [`BURST`] refusals are followed by further
//! attempts at once. After those, a refusal puts off the next attempt, for [`WAIT_FACTOR`] times
//! what the failed one took: attempts in vain cost a thread a tenth of its time at most. A thread
//! that ends, one that could be created, or a second without a refusal, forgives that.
//!
//! A request that is put off is not made again by itself. If it was the last one, the pool gets its
//! thread with the next request, or when a thread ends.
//!
//! The program is warned once for each *spell* of work: the time between two moments at which the
//! pool was at rest. The warning has the number of refusals since the one before.

use std::time::Duration;

use crate::sync::Instant;

/// How many refusals put nothing off.
const BURST: u32 = 64;
/// As if none had been refused: the last refusal is this long ago.
const FORGOTTEN: Duration = Duration::from_secs(1);
/// How many times the cost of a failed attempt passes before the next one.
const WAIT_FACTOR: u32 = 10;
/// For how long a refusal puts off the next attempt at most: what made the system refuse may end
/// at any moment.
const LONGEST: Duration = Duration::from_millis(16);

/// The refusals of one pool.
#[derive(Debug)]
pub(crate) struct Refusals {
    total: u64,
    /// How many the program has heard of.
    told: u64,
    /// The spell of work in which it was last warned.
    spell: Option<usize>,
    /// Refusals in a row.
    burst: u32,
    last: Option<Instant>,
    /// Until when no attempt is made.
    until: Option<Instant>,
}

impl Refusals {
    pub(crate) const fn new() -> Self {
        Refusals {
            total: 0,
            told: 0,
            spell: None,
            burst: 0,
            last: None,
            until: None,
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Whether an attempt would come too soon after one that was refused.
    pub(crate) fn is_put_off(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }

    /// The system refused a thread, which `took` this long. Returns how many times it did since
    /// the program last heard of it, if the program has to hear of it now.
    #[must_use]
    pub(crate) fn note(&mut self, took: Duration, spell: usize) -> Option<u64> {
        self.note_at(Instant::now(), took, spell)
    }

    fn note_at(&mut self, now: Instant, took: Duration, spell: usize) -> Option<u64> {
        self.total += 1;
        if self
            .last
            .replace(now)
            .is_some_and(|last| now.saturating_duration_since(last) > FORGOTTEN)
        {
            self.burst = 0;
        }
        self.burst = self.burst.saturating_add(1);
        if self.burst > BURST {
            self.until = Some(now + took.saturating_mul(WAIT_FACTOR).min(LONGEST));
        }
        if self.spell.replace(spell) == Some(spell) {
            return None;
        }
        let since = self.total - self.told;
        self.told = self.total;
        Some(since)
    }

    /// The next attempt is made at once.
    pub(crate) fn forgive(&mut self) {
        self.until = None;
        self.burst = 0;
    }
}

#[cfg(all(test, not(drumline_shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_puts_off_the_next_attempt_until_it_is_forgiven() {
        const AGES: Duration = Duration::MAX;
        let now = Instant::now();
        let mut refusals = Refusals::new();
        assert!(!refusals.is_put_off());
        assert_eq!(refusals.note_at(now, AGES, 7), Some(1));
        for _ in 1..BURST {
            assert!(!refusals.is_put_off(), "the first ones put nothing off");
            assert_eq!(
                refusals.note_at(now, AGES, 7),
                None,
                "one warning for each spell"
            );
        }
        assert!(refusals.until.is_none());
        assert_eq!(refusals.note_at(now, AGES, 7), None);
        assert!(refusals.until.unwrap() <= now + LONGEST);
        refusals.forgive();
        assert!(!refusals.is_put_off());
        let untold = u64::from(BURST) + 1;
        assert_eq!(
            refusals.note_at(now, AGES, 8),
            Some(untold),
            "with what was not said"
        );
        assert_eq!(refusals.total(), untold + 1);
    }
}
