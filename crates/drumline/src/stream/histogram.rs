//! How times are spread.

use std::fmt;
use std::time::Duration;

/// Parts that the times between a power of two and the next are divided in.
const PARTS: usize = 4;

/// Bits that tell the part.
const BITS: u32 = 2;

/// Times, counted in classes. The ends of a class are a quarter of a power of two apart, so what
/// the histogram says is right to about a tenth.
///
/// ```
/// use drumline::stream::{self, StreamStats};
///
/// let stats = StreamStats::new();
/// stream::iter(0..100).stats(&stats).for_each(|_| ());
/// let service = stats.snapshot().service;
/// for percent in [50.0, 90.0, 99.0] {
///     println!("{percent} % took at most {:?}", service.percentile(percent));
/// }
/// assert_eq!(service.len(), 100);
/// ```
#[derive(Clone)]
pub struct Histogram {
    counts: Box<[u64; PARTS * 64]>,
    total: u64,
}

impl Histogram {
    pub(super) fn new() -> Self {
        Histogram {
            counts: Box::new([0; PARTS * 64]),
            total: 0,
        }
    }

    /// Counts `time` as often as `times` says.
    pub(super) fn add(&mut self, time: Duration, times: u64) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.counts[class(nanoseconds)] += times;
        self.total += times;
    }

    /// How many times there are.
    ///
    /// ```
    /// use drumline::stream::{self, StreamStats};
    ///
    /// let stats = StreamStats::new();
    /// stream::iter(0..100).stats(&stats).for_each(|_| ());
    /// assert_eq!(stats.snapshot().service.len(), 100);
    /// ```
    #[must_use]
    pub fn len(&self) -> u64 {
        self.total
    }

    /// Whether there are none.
    ///
    /// ```
    /// use drumline::stream::{self, StreamStats};
    ///
    /// let stats = StreamStats::new();
    /// stream::iter(0..100).stats(&stats).for_each(|_| ());
    /// assert!(stats.snapshot().wait.is_empty()); // an iterator does not measure that
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The time that this share of all times does not exceed, to about a tenth: `percentile(50.0)`
    /// is the median. `None` if there are no times.
    ///
    /// ```
    /// use drumline::stream::{self, StreamStats};
    ///
    /// let stats = StreamStats::new();
    /// assert_eq!(stats.snapshot().service.percentile(50.0), None);
    /// stream::iter(0..100).stats(&stats).for_each(|_| ());
    /// let service = stats.snapshot().service;
    /// assert!(service.percentile(50.0) <= service.percentile(100.0));
    /// ```
    ///
    /// # Panics
    ///
    /// If `percent` is not between 0 and 100.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Option<Duration> {
        assert!(
            (0.0..=100.0).contains(&percent),
            "{percent} percent of all times; ask for 0 to 100"
        );
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a count, rounded"
        )]
        let rank =
            ((self.total as f64 * percent / 100.0).ceil() as u64).clamp(1, self.total.max(1));
        let mut sum = 0;
        let class = self.counts.iter().position(|count| {
            sum += count;
            sum >= rank
        })?;
        Some(Duration::from_nanos(middle(class)))
    }
}

/// The class of a time.
fn class(nanoseconds: u64) -> usize {
    let Some(power) = nanoseconds.checked_ilog2() else {
        return 0;
    };
    let part = if power >= BITS {
        (nanoseconds >> (power - BITS)) & (PARTS as u64 - 1)
    } else {
        (nanoseconds << (BITS - power)) & (PARTS as u64 - 1)
    };
    power as usize * PARTS + part as usize
}

/// A time in the middle of a class.
fn middle(class: usize) -> u64 {
    let (power, part) = (class / PARTS, (class % PARTS) as u64);
    let quarters = (2 * (PARTS as u64 + part) + 1) as u128;
    let middle = (quarters << power) / (2 * PARTS as u128);
    u64::try_from(middle).unwrap_or(u64::MAX)
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Histogram")
            .field("len", &self.total)
            .field("p50", &self.percentile(50.0))
            .field("p99", &self.percentile(99.0))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_says_is_right_to_about_a_tenth() {
        for nanoseconds in (0..63)
            .map(|power| 1_u64 << power)
            .flat_map(|n| [n, n + n / 3, n + n / 2])
        {
            let mut histogram = Histogram::new();
            histogram.add(Duration::from_nanos(nanoseconds), 3);
            let said = histogram.percentile(50.0).unwrap().as_nanos() as f64;
            let off = (said - nanoseconds as f64).abs();
            assert!(
                off <= 0.13 * nanoseconds as f64 + 1.0,
                "{nanoseconds}: {said}"
            );
        }
    }

    #[test]
    fn percentiles_are_those_of_the_times() {
        let mut histogram = Histogram::new();
        assert_eq!(histogram.percentile(50.0), None);
        histogram.add(Duration::from_micros(1), 98);
        histogram.add(Duration::from_millis(1), 2);
        assert!(histogram.percentile(98.0).unwrap() < Duration::from_micros(2));
        assert!(histogram.percentile(99.0).unwrap() > Duration::from_micros(800));
        assert_eq!(histogram.len(), 100);
    }
}
