//! What a request computes, and how many of them a machine is able to compute.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use crate::spin::steps;

/// How long a request computes, where nothing else runs.
const LENGTH: Duration = Duration::from_millis(1);

/// The steps of a try, which takes less than [`LENGTH`].
const TRY: u64 = 20_000;

/// The fastest of this many tries counts.
const TRIES: usize = 50;

/// How many requests each thread computes in a closed loop…
const REQUESTS: u32 = 20;

/// …and the fastest of this many loops counts, so that a burst of other programs does not.
const LOOPS: usize = 10;

/// A request: work of a known amount. Requests that share a core take longer.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    steps: u64,
    answer: u64,
}

impl Request {
    /// Finds out how many steps take one millisecond.
    pub fn calibrate() -> Self {
        let tries = (0..TRIES).map(|_| {
            let start = Instant::now();
            black_box(steps(black_box(TRY)));
            start.elapsed()
        });
        let fastest = tries.min().expect("there are tries");
        let ratio = LENGTH.as_secs_f64() / fastest.as_secs_f64().max(1e-9);
        let steps_needed = (TRY as f64 * ratio).ceil().max(1.0) as u64;
        Self {
            steps: steps_needed,
            answer: steps(steps_needed),
        }
    }

    /// Computes.
    pub fn run(&self) -> u64 {
        steps(black_box(self.steps))
    }

    /// Whether this is what it computes.
    pub fn is_right(&self, answer: u64) -> bool {
        answer == self.answer
    }

    /// How many requests this many threads compute in a second, in a closed loop: each begins the
    /// next one when it has ended one, and no runtime is involved.
    pub fn closed_loop_rate(&self, jobs: usize) -> f64 {
        let loops = (0..LOOPS).map(|_| self.closed_loop(jobs));
        let fastest = loops.min().expect("there are loops");
        f64::from(REQUESTS) * jobs as f64 / fastest.as_secs_f64()
    }

    fn closed_loop(&self, jobs: usize) -> Duration {
        let barrier = Barrier::new(jobs + 1);
        let start = thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    barrier.wait();
                    for _ in 0..REQUESTS {
                        black_box(self.run());
                    }
                });
            }
            // Before the barrier: when it opens, this thread may have to wait for a core.
            let start = Instant::now();
            barrier.wait();
            start
        });
        start.elapsed()
    }
}
