//! How much trouble a measurement goes to.

use serde::{Deserialize, Serialize};

/// How much trouble one measuring process goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// At least one operation, and operations until this much time has passed.
    pub warm_up_ms: u64,
    /// No more samples are begun after this much time…
    pub window_ms: u64,
    /// …unless there are fewer than this…
    pub samples_min: usize,
    /// …and never more than this.
    pub samples_max: usize,
    /// What a sample should last at least.
    pub sample_ns: u64,
}

impl Effort {
    /// For the default run: of most configurations, the processes that claims need fit into two
    /// minutes. A process counts as one observation, so an operation that is longer than the window
    /// needs no second sample.
    pub fn quick() -> Self {
        Self {
            warm_up_ms: 10,
            window_ms: 15,
            samples_min: 1,
            samples_max: 50,
            sample_ns: 1_000_000,
        }
    }

    /// For a run of chosen workloads.
    pub fn usual() -> Self {
        Self {
            warm_up_ms: 100,
            window_ms: 400,
            samples_min: 5,
            samples_max: 50,
            sample_ns: 2_000_000,
        }
    }

    /// For workloads that take seconds by themselves.
    pub fn once() -> Self {
        Self {
            warm_up_ms: 0,
            window_ms: 0,
            samples_min: 1,
            samples_max: 1,
            sample_ns: 0,
        }
    }

    /// For a look at whether everything works.
    pub fn smoke() -> Self {
        Self {
            warm_up_ms: 1,
            window_ms: 5,
            samples_min: 2,
            samples_max: 5,
            sample_ns: 100_000,
        }
    }

    /// As the workloads are defined.
    pub fn full() -> Self {
        Self {
            warm_up_ms: 3_000,
            window_ms: u64::MAX,
            samples_min: 50,
            samples_max: 50,
            sample_ns: 2_000_000,
        }
    }
}
