//! What may be claimed of a ratio.
//!
//! A ratio below one says that ours took less. It is claimed only if the whole interval lies on
//! that side. If one is inside, the two are *level* where the interval is narrow, and otherwise the
//! run was *too noisy to tell*. Where many claims are made at once, each interval is made with the
//! confidence that makes all of them hold together (Bonferroni): of a hundred claims at 95 % five
//! would be wrong by chance. A second look at the same cell, after further rounds, is a claim of
//! its own.

use serde::{Deserialize, Serialize};

use super::interval::{Interval, paired_ratio};
use super::rank::ratio;

/// How far from one both ends of an interval may be where two configurations are called level.
pub const LEVEL: f64 = 0.05;

/// The confidence for each of this many claims, that gives 95 % for all together.
pub fn confidence(claims: usize) -> f64 {
    1.0 - 0.05 / claims.max(1) as f64
}

/// What can be said of two configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// Ours took less.
    Faster,
    /// Ours took more.
    Slower,
    /// The difference is smaller than what matters.
    Level,
    /// It may be either.
    TooNoisy,
    /// Other programs had so much of the machine that the figures are theirs, too.
    Disturbed,
    /// One of the two took no longer than what was taken off its times.
    TooShort,
    /// Too few processes for an interval.
    TooFew,
    /// A peer that may be the best one failed in some rounds.
    PeerFailed,
}

impl Claim {
    /// As tables have it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Level => "level",
            Self::TooNoisy => "too noisy to tell",
            Self::Disturbed => "not told, other programs ran",
            Self::TooShort => "not told, no longer than a shell's start",
            Self::TooFew => "too few rounds",
            Self::PeerFailed => "not told, another peer failed in some rounds",
        }
    }

    /// A sign for what is claimed, which needs no colour to be seen; empty if nothing is.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Faster => "✓",
            Self::Slower => "✗",
            Self::Level => "=",
            Self::TooNoisy | Self::Disturbed | Self::TooShort | Self::TooFew | Self::PeerFailed => {
                ""
            }
        }
    }
}

/// Ours divided by another, smaller is better, and how sure that is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// The ratio.
    pub value: f64,
    /// Where the true one lies; `null` if there were too few processes.
    pub interval: Option<Interval>,
}

impl Ratio {
    /// Of two configurations that were measured in the same rounds.
    pub fn of_pairs(rounds: &[(f64, f64)], confidence: f64) -> Option<Self> {
        let (value, interval) = paired_ratio(rounds, confidence)?;
        Some(Self { value, interval })
    }

    /// Of two configurations that were measured at different times.
    pub fn of_two(ours: &[f64], theirs: &[f64], confidence: f64) -> Option<Self> {
        let (value, interval) = ratio(ours, theirs, confidence)?;
        Some(Self { value, interval })
    }

    /// What may be claimed.
    pub fn claim(&self) -> Claim {
        self.claim_beyond(0.0)
    }

    /// What may be claimed of a difference of more than `margin`: 0.02 is two per cent.
    pub fn claim_beyond(&self, margin: f64) -> Claim {
        let Some(interval) = self.interval else {
            return Claim::TooFew;
        };
        let level = LEVEL.max(margin);
        if interval.high < 1.0 / (1.0 + margin) {
            Claim::Faster
        } else if interval.low > 1.0 + margin {
            Claim::Slower
        } else if interval.low > 1.0 / (1.0 + level) && interval.high < 1.0 + level {
            Claim::Level
        } else {
            Claim::TooNoisy
        }
    }

    /// The ratio with its interval, in words of a table: `0.82 (0.80–0.85)`.
    pub fn text(&self) -> String {
        match self.interval {
            Some(Interval { low, high }) => format!("{:.2} ({low:.2}–{high:.2})", self.value),
            None => format!("{:.2}", self.value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(low: f64, high: f64) -> Ratio {
        Ratio {
            value: f64::midpoint(low, high),
            interval: Some(Interval { low, high }),
        }
    }

    #[test]
    fn claims_need_the_whole_interval() {
        assert_eq!(ratio(0.90, 0.99).claim(), Claim::Faster);
        assert_eq!(ratio(1.01, 1.50).claim(), Claim::Slower);
        assert_eq!(ratio(0.98, 1.03).claim(), Claim::Level);
        assert_eq!(ratio(0.70, 1.03).claim(), Claim::TooNoisy);
        assert_eq!(ratio(0.98, 1.30).claim(), Claim::TooNoisy);
        let few = Ratio {
            value: 0.1,
            interval: None,
        };
        assert_eq!(few.claim(), Claim::TooFew);
    }

    #[test]
    fn a_margin_asks_for_more() {
        assert_eq!(ratio(1.01, 1.04).claim_beyond(0.02), Claim::Level);
        assert_eq!(ratio(1.021, 1.04).claim_beyond(0.02), Claim::Slower);
        assert_eq!(ratio(0.95, 0.979).claim_beyond(0.02), Claim::Faster);
        assert_eq!(ratio(0.95, 0.99).claim_beyond(0.02), Claim::TooNoisy);
    }

    #[test]
    fn more_cells_ask_for_more() {
        assert_eq!(confidence(1), 0.95);
        assert!((confidence(100) - 0.9995).abs() < 1e-12);
        assert_eq!(confidence(0), 0.95);
    }

    #[test]
    fn texts() {
        assert_eq!(ratio(0.80, 0.86).text(), "0.83 (0.80–0.86)");
        let few = Ratio {
            value: 0.8,
            interval: None,
        };
        assert_eq!(few.text(), "0.80");
    }
}
