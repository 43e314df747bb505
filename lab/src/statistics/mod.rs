//! The few statistics that a record holds, and what may be claimed of them.

mod claim;
mod interval;
mod rank;

pub use claim::{Claim, LEVEL, Ratio, confidence};
pub use interval::{Interval, PROCESSES_MIN, median_interval, paired_ratio, rounds_that_tell};
pub use rank::ratio;

use serde::{Deserialize, Serialize};

/// Mean, minimum, median and maximum of some positive numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Arithmetic mean.
    pub mean: f64,
    /// Smallest.
    pub min: f64,
    /// Middle, or the mean of the two in the middle.
    pub median: f64,
    /// Largest.
    pub max: f64,
}

impl Summary {
    /// Sums up some numbers; `None` if there are none.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        let median = median(numbers)?;
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let min = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let max = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(Self {
            mean,
            min,
            median,
            max,
        })
    }
}

/// The middle of some numbers, or the mean of the two in the middle; `None` if there are none.
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        length if length % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The geometric mean; `None` if there are no numbers, or one is not positive.
pub fn geometric_mean(numbers: &[f64]) -> Option<f64> {
    if numbers.is_empty() || numbers.iter().any(|number| *number <= 0.0) {
        return None;
    }
    let logarithms: f64 = numbers.iter().map(|number| number.ln()).sum();
    Some((logarithms / numbers.len() as f64).exp())
}

/// Whether an operation can take this many nanoseconds: less than thirty years, and enough to be
/// divided by.
pub fn is_time(ns: f64) -> bool {
    (SHORTEST_NS..LONGEST_NS).contains(&ns)
}

/// Light goes less than a nanometre.
const SHORTEST_NS: f64 = 1e-9;

/// Thirty years.
const LONGEST_NS: f64 = 1e18;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 100.0]), Some(3.0));
    }

    #[test]
    fn geometric_means() {
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
        let mean = geometric_mean(&[1.0, 10.0, 100.0]).unwrap();
        assert!((mean - 10.0).abs() < 1e-9);
    }

    #[test]
    fn summaries() {
        assert_eq!(Summary::of(&[]), None);
        let summary = Summary::of(&[2.0, 4.0, 12.0]).unwrap();
        assert_eq!(summary.mean, 6.0);
        assert_eq!((summary.min, summary.median, summary.max), (2.0, 4.0, 12.0));
    }
}
