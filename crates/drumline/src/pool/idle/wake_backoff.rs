//! How long a searcher that was woken for nothing stays away before it is woken again.
//!
//! A push that wakes a worker pays microseconds for that, and the worker comes some microseconds
//! later. Where the work is over by then, or is shorter than the way, each such push would be made
//! dearer for nothing: a join of two halves of 5 µs once a millisecond took 18 µs instead of 10. So
//! the worker does not leave its mark at once. It stays the searcher, and naps: 25 µs in all at
//! first, and twice as long after each further wake-up that was not worth it, up to 50 ms. One that
//! was worth it ends all that, and so does long work that it finds between two naps.
//!
//! A wake-up for a half of a join is worth it if the worker has work for some times as long as a
//! wake-up costs the thread that makes it. That cost is measured: it differs by an order of
//! magnitude between machines (a processor of a virtual machine that sleeps is slow to wake). A
//! queued job is worth it if it takes a microsecond: its owner may wait for it. For shorter ones
//! the worker stays away for 0.8 ms at most.
//!
//! Such a nap is deaf, as one beside a victim that is left alone (`pool::workers::thief`). So it
//! lasts for 0.8 ms at most, and comes only where wake-ups in a row have brought nothing. It does
//! not come while nothing runs in the pool. A thread outside that spawns ends it (`idle::alert`),
//! and so does a thread that says that it blocks (`IdleSet::rest`).

use std::time::Duration;

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Instant, process_wide};

/// A queued job that took less was not worth a wake-up.
const SHORT_QUEUED: Duration = Duration::from_micros(1);
/// Nor was any half of a join that took less.
const SHORT: Duration = Duration::from_micros(4);
/// Nor was a half that took less than this many times what a wake-up costs.
const WORTH: u32 = 4;
/// No wake-up counts as dearer: its thread has lost the processor.
const MAX_COST: Duration = Duration::from_micros(15);

const FIRST_STAY: Duration = Duration::from_micros(25);
/// Doublings of the stay: up to 51 ms, or up to 0.8 ms after queued jobs.
const MAX_FAILURES: u32 = 12;
const MAX_FAILURES_QUEUED: u32 = 6;
const LONGEST_NAP: Duration = Duration::from_micros(800);

/// What it costs a thread to wake another one: a moving average, in nanoseconds.
#[derive(Debug)]
pub(crate) struct WakeCost(AtomicUsize);

process_wide! {
    static HERE: WakeCost = WakeCost::new();
}

impl WakeCost {
    const fn new() -> Self {
        WakeCost(AtomicUsize::new(0))
    }

    /// What the threads of this process know.
    pub(crate) fn here() -> &'static Self {
        &HERE
    }

    /// Learns how long it took to call a thread that slept.
    pub(crate) fn learn(&self, took: Duration) {
        let took = took.min(MAX_COST).as_nanos() as usize;
        // Relaxed, and not atomic as a whole: an estimate, which publishes nothing.
        let average = self.0.load(Ordering::Relaxed);
        let average = if average == 0 {
            took
        } else {
            average - average / 8 + took / 8
        };
        // Relaxed: as above.
        self.0.store(average, Ordering::Relaxed);
    }

    /// How much work makes a wake-up for a half worth it.
    fn worth(&self) -> Duration {
        // Relaxed: as in `learn`.
        SHORT.max(Duration::from_nanos(self.0.load(Ordering::Relaxed) as u64) * WORTH)
    }
}

/// What a worker remembers of its wake-ups.
#[derive(Debug, Default)]
pub(crate) struct WakeBackoff {
    /// It was woken, and has not learned yet what for.
    is_woken: bool,
    /// Wake-ups in a row that were not worth it.
    failures: u32,
    /// When it began to work; not where there is nothing to learn.
    begun: Option<Instant>,
    /// It has done a queued job since.
    is_queued: bool,
    /// How long it stays away before it leaves its mark.
    left: Duration,
    nap: Duration,
}

impl WakeBackoff {
    /// The worker was woken.
    pub(crate) fn has_woken(&mut self) {
        self.is_woken = true;
    }

    /// It has something to do.
    pub(crate) fn begin_work(&mut self) {
        if self.is_woken || self.failures > 0 {
            self.begun = Some(Instant::now());
        }
    }

    /// It has done a job, and may go on with others. `is_half`: of a join.
    pub(crate) fn has_worked(&mut self, is_half: bool) {
        self.learn(is_half, WakeCost::here());
    }

    fn learn(&mut self, is_half: bool, cost: &WakeCost) {
        if let Some(begun) = self.begun {
            self.learn_from(begun.elapsed(), is_half, cost);
        }
    }

    /// It has worked for that long.
    fn learn_from(&mut self, took: Duration, is_half: bool, cost: &WakeCost) {
        let worth = if is_half { cost.worth() } else { SHORT_QUEUED };
        if took >= worth {
            *self = WakeBackoff::default();
        }
        self.is_queued |= !is_half;
    }

    /// It has nothing to do, or nothing more.
    pub(crate) fn has_nothing(&mut self) {
        self.begun = None;
        let most = if std::mem::take(&mut self.is_queued) {
            MAX_FAILURES_QUEUED
        } else {
            MAX_FAILURES
        };
        if std::mem::take(&mut self.is_woken) {
            self.failures = (self.failures + 1).min(most);
        }
    }

    /// A search begins, which ends with a mark.
    pub(crate) fn begin_stay(&mut self) {
        self.nap = FIRST_STAY;
        self.left = match self.failures.checked_sub(1) {
            Some(doublings) => FIRST_STAY * (1 << doublings),
            None => Duration::ZERO,
        };
    }

    /// The next nap, before the worker lets itself be woken again.
    pub(crate) fn next_nap(&mut self) -> Option<Duration> {
        let nap = self.nap.min(self.left);
        self.left -= nap;
        self.nap = (self.nap * 2).min(LONGEST_NAP);
        (nap > Duration::ZERO).then_some(nap)
    }
}

#[cfg(all(test, not(drumline_shuttle)))]
mod tests {
    use super::*;

    fn stay(backoff: &mut WakeBackoff) -> Duration {
        backoff.begin_stay();
        let naps: Vec<_> = std::iter::from_fn(|| backoff.next_nap()).collect();
        assert!(naps.iter().all(|&nap| nap <= LONGEST_NAP));
        naps.into_iter().sum()
    }

    #[test]
    fn stays_grow_until_a_wake_up_is_worth_it() {
        let cost = WakeCost::new();
        let mut backoff = WakeBackoff::default();
        backoff.has_nothing();
        assert_eq!(stay(&mut backoff), Duration::ZERO, "it was not woken");
        let mut last = Duration::ZERO;
        for _ in 0..20 {
            backoff.has_woken();
            backoff.begin_work();
            backoff.has_nothing();
            let stay = stay(&mut backoff);
            assert!(stay >= last && stay <= Duration::from_millis(60));
            last = stay;
        }
        // Work that it finds by itself ends that, if it is long.
        backoff.begin_work();
        backoff.begun = backoff.begun.map(|begun| begun - SHORT * 2);
        backoff.learn(true, &cost);
        assert_eq!(stay(&mut backoff), Duration::ZERO);
    }

    #[test]
    fn a_half_is_worth_a_wake_up_that_costs_less() {
        let cost = WakeCost::new();
        for _ in 0..100 {
            cost.learn(Duration::from_micros(10));
        }
        let after = |took: Duration, is_half| {
            let mut backoff = WakeBackoff::default();
            backoff.has_woken();
            backoff.begin_work();
            backoff.learn_from(took, is_half, &cost);
            backoff.has_nothing();
            stay(&mut backoff)
        };
        assert!(after(Duration::from_micros(20), true) > Duration::ZERO);
        assert_eq!(after(Duration::from_micros(60), true), Duration::ZERO);
        assert_eq!(after(Duration::from_micros(20), false), Duration::ZERO);
    }

    #[test]
    fn stays_after_queued_jobs_are_short() {
        let mut backoff = WakeBackoff::default();
        for _ in 0..20 {
            backoff.has_woken();
            backoff.begin_work();
            // The job took no time.
            backoff.is_queued = true;
            backoff.has_nothing();
        }
        assert_eq!(stay(&mut backoff), LONGEST_NAP);
    }
}
