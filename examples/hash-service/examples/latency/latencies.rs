//! Latencies, and what is told of them.

use std::time::Duration;

/// How long the echoes of one round took.
pub struct Latencies {
    interval: Duration,
    seconds: Vec<f64>,
}

impl Latencies {
    pub fn new(interval: Duration) -> Self {
        Latencies {
            interval,
            seconds: Vec::new(),
        }
    }

    /// Adds an echo.
    ///
    /// While the client waits for one, it does not ask again. Each message that it has not sent
    /// would have waited for the rest of that time, and is added, too. Otherwise a stall of 50 ms
    /// would be one bad echo of a thousand, and not fifty.
    pub fn add(&mut self, latency: Duration) {
        let mut rest = Some(latency);
        while let Some(latency) = rest {
            self.seconds.push(latency.as_secs_f64());
            rest = latency
                .checked_sub(self.interval)
                .filter(|rest| !rest.is_zero());
        }
    }

    /// What this share of the echoes did not exceed, in seconds.
    pub fn share(&self, share: f64) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted
            .get(rank.saturating_sub(1))
            .copied()
            .unwrap_or(f64::NAN)
    }
}

/// The middle of some figures.
pub fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = figures.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A time with three digits or so.
pub fn text(seconds: f64) -> String {
    let micros = seconds * 1e6;
    if micros < 1_000.0 {
        format!("{micros:.0} µs")
    } else if micros < 10_000.0 {
        format!("{:.2} ms", micros / 1e3)
    } else {
        format!("{:.1} ms", micros / 1e3)
    }
}
