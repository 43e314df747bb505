//! What one process of a configuration found: one observation, of which intervals are made.

use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;
use crate::statistics::median;
use crate::weather::Weather;
use crate::workload::Shows;

/// The figures of one measuring process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundFigures {
    /// The round, from zero. Two configurations of a run that have the same one were measured soon
    /// after each other.
    pub round: usize,
    /// Median of its samples, per operation.
    pub wall_ns_median: f64,
    /// Processor time of all threads per operation, mean.
    pub cpu_ns_mean: Option<f64>,
    /// How long half of its items waited at most.
    pub latency_ns_p50: Option<f64>,
    /// How long 99 of 100 of its items waited at most.
    pub latency_ns_p99: Option<f64>,
    /// How long 999 of 1,000 of its items waited at most, if it had enough of them to tell.
    pub latency_ns_p999: Option<f64>,
    /// Context switches of an operation because a thread waited.
    pub ctx_voluntary: Option<f64>,
    /// Context switches of an operation because a thread had to make room.
    pub ctx_involuntary: Option<f64>,
    /// Moves of threads from core to core in an operation.
    pub migrations: Option<f64>,
    /// The kernel's own high-water mark of resident memory.
    pub rss_peak_bytes: Option<f64>,
    /// Heap that an item holds, where the workload counts it.
    pub item_heap_bytes: Option<f64>,
    /// Heap that is left of an item when it is gone, where the workload counts it.
    pub item_heap_left_bytes: Option<f64>,
    /// How many tasks of the machine ran or waited to run in the minute before it, in the mean.
    pub load: Option<f64>,
    /// What else the machine did meanwhile.
    pub weather: Weather,
}

impl RoundFigures {
    /// Of a process that measured something.
    pub fn of(round: usize, outcome: &Outcome) -> Option<Self> {
        let found = outcome.found.as_ref().ok()?;
        if found.error.is_some() || found.items == 0 {
            return None;
        }
        let each = |count: Option<u64>| Some(count? as f64 / found.operations.max(1) as f64);
        Some(Self {
            round,
            wall_ns_median: median(&found.wall_ns)?,
            cpu_ns_mean: each(found.usage.cpu_ns),
            latency_ns_p50: found.latencies.percentile(50),
            latency_ns_p99: found.latencies.percentile(99),
            latency_ns_p999: found.latencies.tail(),
            ctx_voluntary: each(found.usage.ctx_voluntary),
            ctx_involuntary: each(found.usage.ctx_involuntary),
            migrations: each(found.migrations),
            rss_peak_bytes: found.rss_peak_bytes.map(|bytes| bytes as f64),
            item_heap_bytes: found.item_heap_bytes,
            item_heap_left_bytes: found.item_heap_left_bytes,
            load: outcome.load,
            weather: outcome.weather,
        })
    }

    /// Context switches of both kinds, of an operation.
    pub fn switches(&self) -> Option<f64> {
        Some(self.ctx_voluntary? + self.ctx_involuntary?)
    }

    /// What a workload that shows this is compared by: smaller is better. In nanoseconds, of an
    /// operation; heap is in bytes, of an item.
    pub fn measure(&self, shows: Shows) -> Option<f64> {
        match shows {
            Shows::Time
            | Shows::Curve
            | Shows::Memory
            | Shows::Waiting
            | Shows::Path
            | Shows::Handing
            | Shows::Cores
            | Shows::Ramp
            | Shows::Rate
            | Shows::RateAndThreads
            | Shows::WholeAndMemory => Some(self.wall_ns_median),
            Shows::Rest => self.cpu_ns_mean,
            Shows::Latency => self.latency_ns_p50,
            Shows::Tail => self.latency_ns_p99,
            Shows::Heap | Shows::HeapReturned => self.item_heap_bytes,
        }
    }
}
