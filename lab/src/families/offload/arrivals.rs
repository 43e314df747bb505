//! When requests arrive.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// The same for all runtimes and processes.
const SEED: u64 = 19;

/// The times of this many arrivals from the start on. The gaps are independent and distributed
/// exponentially, so that this many arrive in a second on average: a Poisson process.
pub fn arrivals(requests: u64, per_second: f64) -> Vec<Duration> {
    let mut random = SmallRng::seed_from_u64(SEED);
    let mut seconds = 0.0;
    let times = (0..requests).map(|_| {
        let uniform: f64 = random.random();
        seconds -= (1.0 - uniform).ln() / per_second;
        Duration::from_secs_f64(seconds)
    });
    times.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_arrive_as_asked_for() {
        let times = arrivals(10_000, 1_000.0);
        assert!(times.is_sorted());
        let last = times.last().unwrap().as_secs_f64();
        assert!((9.5..10.5).contains(&last), "{last}");
        assert_eq!(arrivals(10_000, 1_000.0), times);
        // Of exponential gaps, 63 % are shorter than the mean.
        let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
        let short = gaps.filter(|gap| *gap < Duration::from_millis(1)).count();
        assert!((6_100..6_500).contains(&short), "{short}");
    }
}
