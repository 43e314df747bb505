//! Exact intervals of a median, by the order of what processes found.
//!
//! Samples of one process are not independent: they share a heap, a place in memory and the moment
//! at which they ran. So a process counts as one observation, the median of its samples.
//!
//! Each observation is as likely to lie above the true median as below it. So the number of those
//! below is that of heads among as many tosses of a coin, and nothing else has to be assumed: the
//! observations may be spread in any way, and each in its own way. The interval goes from the
//! `k`-th smallest to the `k`-th largest. It misses the true median with twice the chance of fewer
//! than `k` heads. If even the smallest and the largest miss it too often, there is no interval.
//!
//! Two configurations that were measured in the same rounds are compared round by round: what made
//! the machine slow in one round made it slow for both.

use serde::{Deserialize, Serialize};

use super::median;

/// The fewest processes from which an interval is made.
pub const PROCESSES_MIN: usize = 10;

/// A range that holds the true value, with the confidence that it was made with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// Whether it holds `value`.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Half of its width, relative to `middle`.
    pub fn half_width(&self, middle: f64) -> f64 {
        (self.high - self.low) / 2.0 / middle
    }
}

/// The interval of the median of some processes; `None` if they are too few for that confidence.
pub fn median_interval(processes: &[f64], confidence: f64) -> Option<Interval> {
    if processes.len() < PROCESSES_MIN {
        return None;
    }
    let outer = outermost(processes.len(), (1.0 - confidence) / 2.0)?;
    Some(between(processes.to_vec(), outer))
}

/// The ratio of two configurations that were measured in the same rounds, `(ours, theirs)` per
/// round; `None` if there are no rounds. The interval is missing if there are too few.
///
/// The ratio is the median of the rounds' ratios.
pub fn paired_ratio(rounds: &[(f64, f64)], confidence: f64) -> Option<(f64, Option<Interval>)> {
    let ratios: Vec<f64> = rounds.iter().map(|(ours, theirs)| ours / theirs).collect();
    let value = median(&ratios)?;
    Some((value, median_interval(&ratios, confidence)))
}

/// The fewest rounds that can give 95 % to this many claims together.
pub fn rounds_that_tell(claims: usize) -> usize {
    let tail = 0.05 / claims.max(1) as f64 / 2.0;
    let mut rounds = PROCESSES_MIN;
    while outermost(rounds, tail).is_none() {
        rounds += 1;
    }
    rounds
}

/// The ends of the range that leaves `outer - 1` numbers out on either side.
pub(super) fn between(mut numbers: Vec<f64>, outer: usize) -> Interval {
    let last = numbers.len() - 1;
    // Two places of their order are asked for, so they are not sorted.
    let mut at = |place| *numbers.select_nth_unstable_by(place, f64::total_cmp).1;
    Interval {
        low: at(outer - 1),
        high: at(last - (outer - 1)),
    }
}

/// The largest `k` for which fewer than `k` of `count` tosses are heads with a chance of `tail` at
/// most; `None` if that is zero.
fn outermost(count: usize, tail: f64) -> Option<usize> {
    // Chances of thousands of tosses are too small for a number, and their logarithms are not.
    let mut logarithm = -(count as f64) * std::f64::consts::LN_2;
    let mut chance = 0.0;
    for heads in 0..=count / 2 {
        chance += logarithm.exp();
        if chance > tail {
            return (heads > 0).then_some(heads);
        }
        logarithm += ((count - heads) as f64 / (heads + 1) as f64).ln();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::confidence;

    #[test]
    fn chances_are_those_of_a_coin() {
        // One outcome of 1,024 has no heads, and ten have one.
        assert_eq!(outermost(10, 0.99 / 1024.0), None);
        assert_eq!(outermost(10, 1.01 / 1024.0), Some(1));
        assert_eq!(outermost(10, 11.01 / 1024.0), Some(2));
        assert_eq!(outermost(10, 0.025), Some(2));
        assert_eq!(outermost(20, 0.025), Some(6));
        // As the normal distribution has it: half of them, less 1.96 times the deviation.
        let many = outermost(100_000, 0.025).unwrap();
        assert!((50_000 - 312..50_000 - 308).contains(&many), "{many}");
    }

    #[test]
    fn few_processes_have_no_interval() {
        let few = vec![1.0; PROCESSES_MIN - 1];
        let enough = vec![1.0; PROCESSES_MIN];
        assert_eq!(median_interval(&few, 0.95), None);
        let one = Interval {
            low: 1.0,
            high: 1.0,
        };
        assert_eq!(median_interval(&enough, 0.95), Some(one));
        assert_eq!(paired_ratio(&[(1.0, 2.0)], 0.95), Some((0.5, None)));
        assert_eq!(paired_ratio(&[], 0.95), None);
    }

    #[test]
    fn an_interval_is_between_two_of_the_processes() {
        let numbers: Vec<f64> = (1..=10).rev().map(f64::from).collect();
        let ends = |confidence| median_interval(&numbers, confidence).map(|i| (i.low, i.high));
        assert_eq!(ends(0.95), Some((2.0, 9.0)));
        assert_eq!(ends(0.99), Some((1.0, 10.0)));
        assert_eq!(ends(0.999), None, "two of 1,024 lie on one side");
    }

    /// Ten rounds lie all on one side with 2 / 1,024, which is more than the share of one of 26.
    #[test]
    fn more_claims_need_more_rounds() {
        assert_eq!(rounds_that_tell(0), PROCESSES_MIN);
        assert_eq!(rounds_that_tell(25), PROCESSES_MIN);
        assert_eq!(rounds_that_tell(26), 11);
        assert_eq!(rounds_that_tell(110), 13);
        for claims in [1, 25, 26, 34, 110, 5_000] {
            let rounds = vec![1.0; rounds_that_tell(claims)];
            let of = |rounds: &[f64]| median_interval(rounds, confidence(claims));
            assert!(of(&rounds).is_some(), "{claims}");
            assert!(of(&rounds[1..]).is_none(), "{claims}");
        }
    }

    /// A machine that slows down makes the rounds' times differ, and not their ratios.
    #[test]
    fn pairs_do_not_see_a_drift() {
        let rounds: Vec<_> = (0..12)
            .map(|round| {
                let speed = 1.0 + f64::from(round);
                (speed * 2.0, speed * 4.0)
            })
            .collect();
        let (value, interval) = paired_ratio(&rounds, 0.95).unwrap();
        assert_eq!(value, 0.5);
        assert_eq!(interval.unwrap().half_width(value), 0.0);
    }
}
