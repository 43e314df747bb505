//! Intervals by the percentile bootstrap (Efron 1979), over processes.
//!
//! Samples of one process are not independent: they share a heap, a place in memory and the moment
//! at which they ran. So a process counts as one observation, the median of its samples, and
//! processes are what is drawn again. Ten of them are the least from which an interval is made.
//!
//! Two configurations that were measured in the same rounds are compared round by round: what made
//! the machine slow in one round made it slow for both. The generator has a fixed seed, so the same
//! record always gives the same interval.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::median;

/// The fewest processes from which an interval is made.
pub const PROCESSES_MIN: usize = 10;

/// How often the processes are drawn again.
const DRAWS: usize = 10_000;

/// Where the generator begins.
const SEED: u64 = 0x6c61_6220_6472_756d;

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

/// The interval of the median of some processes; `None` if they are too few.
pub fn median_interval(processes: &[f64], confidence: f64) -> Option<Interval> {
    let enough = processes.len() >= PROCESSES_MIN;
    enough.then(|| {
        let mut drawn = Drawn::default();
        interval(confidence, || drawn.median(processes))
    })
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

/// The ratio of two configurations that were measured at different times; `None` if one of them has
/// no processes. The interval is missing if one of them has too few.
///
/// The ratio is that of the medians, and the processes of both are drawn independently.
pub fn ratio(ours: &[f64], theirs: &[f64], confidence: f64) -> Option<(f64, Option<Interval>)> {
    let value = median(ours)? / median(theirs)?;
    let enough = ours.len().min(theirs.len()) >= PROCESSES_MIN;
    let interval = enough.then(|| {
        let mut drawn = Drawn::default();
        interval(confidence, || drawn.median(ours) / drawn.median(theirs))
    });
    Some((value, interval))
}

/// Draws a statistic again and again, and cuts the tails off what comes of it.
fn interval(confidence: f64, statistic: impl FnMut() -> f64) -> Interval {
    let mut all: Vec<f64> = std::iter::repeat_with(statistic).take(DRAWS).collect();
    let tail = (1.0 - confidence) / 2.0;
    // Outwards, so that an interval is rather too wide than too narrow.
    let cut = ((tail * DRAWS as f64).floor() as usize).min(DRAWS / 2);
    // Two places of their order are asked for, so they are not sorted.
    let mut at = |place| *all.select_nth_unstable_by(place, f64::total_cmp).1;
    Interval {
        low: at(cut),
        high: at(DRAWS - 1 - cut),
    }
}

/// Some numbers that were drawn from others, with replacement.
struct Drawn {
    generator: SmallRng,
    numbers: Vec<f64>,
}

impl Default for Drawn {
    fn default() -> Self {
        Self {
            generator: SmallRng::seed_from_u64(SEED),
            numbers: Vec::new(),
        }
    }
}

impl Drawn {
    /// The median of as many as there are, drawn from them.
    fn median(&mut self, numbers: &[f64]) -> f64 {
        self.numbers.clear();
        let draws = numbers.iter().map(|_| {
            let index = self.generator.random_range(0..numbers.len());
            numbers[index]
        });
        self.numbers.extend(draws);
        middle(&mut self.numbers)
    }
}

/// The middle of some numbers, which it puts in another order.
fn middle(numbers: &mut [f64]) -> f64 {
    let half = numbers.len() / 2;
    let is_odd = numbers.len() % 2 == 1;
    let (below, upper, _) = numbers.select_nth_unstable_by(half, f64::total_cmp);
    let upper = *upper;
    if is_odd {
        return upper;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    f64::midpoint(lower, upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers around `centre`, some of them far above it, as times are.
    fn times(generator: &mut SmallRng, centre: f64, count: usize) -> Vec<f64> {
        let mut times = Vec::new();
        for _ in 0..count {
            let spread: f64 = (0..12).map(|_| generator.random::<f64>()).sum::<f64>() - 6.0;
            let late = if generator.random_range(0..10) == 0 {
                1.2
            } else {
                1.0
            };
            times.push(centre * (1.0 + 0.01 * spread) * late);
        }
        times
    }

    #[test]
    fn the_middle_is_the_median() {
        for numbers in [
            vec![3.0],
            vec![9.0, 1.0, 2.0],
            vec![4.0, 1.0, 2.0, 100.0],
            vec![1.0, 1.0, 1.0, 0.0, 5.0, 7.0],
        ] {
            assert_eq!(middle(&mut numbers.clone()), median(&numbers).unwrap());
        }
    }

    #[test]
    fn few_processes_have_no_interval() {
        let few = vec![1.0; PROCESSES_MIN - 1];
        let enough = vec![1.0; PROCESSES_MIN];
        assert_eq!(median_interval(&few, 0.95), None);
        assert_eq!(
            median_interval(&enough, 0.95),
            Some(Interval {
                low: 1.0,
                high: 1.0
            })
        );
        assert_eq!(ratio(&few, &enough, 0.95), Some((1.0, None)));
        assert_eq!(ratio(&[], &enough, 0.95), None);
        assert_eq!(paired_ratio(&[(1.0, 2.0)], 0.95), Some((0.5, None)));
        assert_eq!(paired_ratio(&[], 0.95), None);
    }

    #[test]
    fn the_same_numbers_give_the_same_interval() {
        let mut generator = SmallRng::seed_from_u64(1);
        let numbers = times(&mut generator, 100.0, 12);
        assert_eq!(
            median_interval(&numbers, 0.95),
            median_interval(&numbers, 0.95)
        );
    }

    /// With 95 %, more than 85 of 100 intervals hold the true ratio here. An interval
    /// made with more confidence is no narrower.
    #[test]
    fn intervals_hold_the_true_ratio() {
        let mut generator = SmallRng::seed_from_u64(2);
        let (mut unpaired, mut paired) = (0, 0);
        let rounds = 60;
        for _ in 0..rounds {
            let ours = times(&mut generator, 90.0, 10);
            let theirs = times(&mut generator, 100.0, 10);
            let (_, interval) = ratio(&ours, &theirs, 0.95).unwrap();
            let interval = interval.unwrap();
            unpaired += usize::from(interval.holds(0.9));
            let wider = ratio(&ours, &theirs, 0.999).unwrap().1.unwrap();
            assert!(wider.low <= interval.low && interval.high <= wider.high);

            let rounds: Vec<_> = ours.into_iter().zip(theirs).collect();
            let (_, interval) = paired_ratio(&rounds, 0.95).unwrap();
            paired += usize::from(interval.unwrap().holds(0.9));
        }
        assert!(unpaired >= rounds * 17 / 20, "{unpaired} of {rounds}");
        assert!(paired >= rounds * 17 / 20, "{paired} of {rounds}");
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
