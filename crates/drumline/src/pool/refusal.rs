//! When the system refuses threads: how often it is asked again, and how often the program hears.
//!
//! An attempt that fails costs tens of microseconds, and a pool that is short of threads has a
//! reason to try with each job that comes. So a refusal puts off the next attempt, for [`SHARE`]
//! times what the failed one took: attempts in vain cost a thread a tenth of its time at most. A
//! thread that ends, or one that could be created, forgives that.
//!
//! The program is warned once for each spell of work (the time between two moments at which the
//! pool was at rest), with the number of refusals since the warning before.

use std::time::Duration;

use crate::sync::Instant;

/// How many times the cost of a failed attempt passes before the next one.
const SHARE: u32 = 10;
/// For how long a refusal puts off the next attempt at most: what made the system refuse may end
/// at any moment.
const LONGEST: Duration = Duration::from_millis(16);

/// The refusals of one pool.
#[derive(Debug)]
pub(super) struct Refusals {
    total: u64,
    /// How many the program has heard of.
    told: u64,
    /// The spell of work in which it was last warned.
    spell: Option<usize>,
    /// Until when no attempt is made.
    until: Option<Instant>,
}

impl Refusals {
    pub(super) const fn new() -> Self {
        Refusals {
            total: 0,
            told: 0,
            spell: None,
            until: None,
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Whether an attempt would come too soon after one that was refused.
    pub(super) fn is_put_off(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }

    /// The system refused a thread, which `took` this long. Returns how many times it did since
    /// the program last heard of it, if the program has to hear of it now.
    #[must_use]
    pub(super) fn note(&mut self, took: Duration, spell: usize) -> Option<u64> {
        self.total += 1;
        self.until = Some(Instant::now() + took.saturating_mul(SHARE).min(LONGEST));
        if self.spell.replace(spell) == Some(spell) {
            return None;
        }
        let since = self.total - self.told;
        self.told = self.total;
        Some(since)
    }

    /// The next attempt is made at once.
    pub(super) fn forgive(&mut self) {
        self.until = None;
    }
}

#[cfg(all(test, not(drumline_shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_puts_off_the_next_attempt_until_it_is_forgiven() {
        const AGES: Duration = Duration::MAX;
        let mut refusals = Refusals::new();
        assert!(!refusals.is_put_off());
        assert_eq!(refusals.note(AGES, 7), Some(1));
        assert!(refusals.until.unwrap() <= Instant::now() + LONGEST);
        for _ in 0..20 {
            assert_eq!(refusals.note(AGES, 7), None, "one warning for each spell");
        }
        refusals.forgive();
        assert!(!refusals.is_put_off());
        assert_eq!(refusals.note(AGES, 8), Some(21), "with what was not said");
        assert_eq!(refusals.note(Duration::ZERO, 8), None);
        assert!(!refusals.is_put_off(), "an attempt that cost nothing");
        assert_eq!(refusals.total(), 23);
    }
}
