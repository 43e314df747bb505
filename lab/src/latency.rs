//! How long things took that happen too often to keep every figure: a histogram with buckets that
//! grow with the value, and percentiles of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Buckets for each doubling of the value; so a figure is right to about two per cent.
const PER_DOUBLING: u32 = 32;

/// The longest of 1,000 is only told of this many or more: it then rests on 20 of them.
const TAIL_MIN: u64 = 20_000;

/// Times in nanoseconds, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latencies {
    buckets: BTreeMap<u32, u64>,
    largest: u64,
}

impl Latencies {
    /// Counts one.
    pub fn add(&mut self, ns: u64) {
        *self.buckets.entry(bucket(ns)).or_default() += 1;
        self.largest = self.largest.max(ns);
    }

    /// Counts all that `other` has counted.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, count) in &other.buckets {
            *self.buckets.entry(*bucket).or_default() += count;
        }
        self.largest = self.largest.max(other.largest);
    }

    /// The time that `percent` per cent do not exceed; `None` if nothing was counted.
    pub fn percentile(&self, percent: u64) -> Option<f64> {
        let all: u64 = self.buckets.values().sum();
        self.exceeded_by(all - (all * percent).div_ceil(100))
    }

    /// The time that 999 of 1,000 do not exceed; `None` if too few were counted to tell.
    pub fn tail(&self) -> Option<f64> {
        let all: u64 = self.buckets.values().sum();
        (all >= TAIL_MIN).then(|| self.exceeded_by(all / 1_000))?
    }

    /// The time that no more than this many exceed; `None` if nothing was counted.
    fn exceeded_by(&self, longer: u64) -> Option<f64> {
        let all: u64 = self.buckets.values().sum();
        let mut left = all.saturating_sub(longer).max(1);
        for (bucket, count) in &self.buckets {
            if *count >= left {
                return Some(middle(*bucket).min(self.largest as f64));
            }
            left -= count;
        }
        None
    }

    /// The longest; `None` if nothing was counted.
    pub fn max(&self) -> Option<u64> {
        (!self.buckets.is_empty()).then_some(self.largest)
    }
}

/// Small numbers have a bucket each; above, the upper bits of the number name it.
fn bucket(ns: u64) -> u32 {
    let wide = u64::from(PER_DOUBLING);
    if ns < 2 * wide {
        return u32::try_from(ns).expect("it is small");
    }
    let shift = ns.ilog2() - PER_DOUBLING.ilog2();
    let upper = u32::try_from(ns >> shift).expect("the upper bits are few");
    shift * PER_DOUBLING + upper
}

fn middle(bucket: u32) -> f64 {
    if bucket < 2 * PER_DOUBLING {
        return f64::from(bucket);
    }
    let shift = bucket / PER_DOUBLING - 1;
    let upper = bucket - shift * PER_DOUBLING;
    (f64::from(upper) + 0.5) * 2f64.powi(i32::try_from(shift).expect("at most 63"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_in_order_and_close_to_what_is_in_them() {
        let mut last = 0;
        let numbers = (0..5_000).chain((12..63).flat_map(|n| [(1 << n) - 1, 1 << n, 3 << (n - 1)]));
        let mut numbers: Vec<u64> = numbers.collect();
        numbers.sort_unstable();
        for ns in numbers {
            let bucket = bucket(ns);
            assert!(bucket >= last, "{ns}");
            last = bucket;
            let error = (middle(bucket) - ns as f64).abs();
            assert!(error <= ns as f64 / 60.0, "{ns}: {}", middle(bucket));
        }
        assert!(bucket(u64::MAX) > last);
    }

    #[test]
    fn percentiles() {
        let mut some = Latencies::default();
        assert_eq!((some.percentile(50), some.max()), (None, None));
        for ns in 1..=50 {
            some.add(ns);
        }
        assert_eq!(some.percentile(50), Some(25.0));
        assert_eq!(some.percentile(99), Some(50.0));
        assert_eq!(some.percentile(0), Some(1.0));
        let mut more = Latencies::default();
        more.add(1_000_000);
        some.merge(&more);
        assert_eq!(some.percentile(99), Some(1_000_000.0));
        assert_eq!(some.max(), Some(1_000_000));
    }

    #[test]
    fn a_tail_needs_many() {
        let mut some = Latencies::default();
        for ns in 1..TAIL_MIN {
            some.add(ns / 1_000);
        }
        assert_eq!(some.tail(), None);
        some.add(20);
        assert_eq!(some.tail(), Some(19.0));
        for _ in 0..30 {
            some.add(30);
        }
        assert_eq!(some.tail(), Some(30.0));
    }
}
