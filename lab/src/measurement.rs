//! What a measuring process found.

use serde::{Deserialize, Serialize};

use crate::counters::Counts;
use crate::latency::Latencies;
use crate::process;
use crate::usage::Usage;

/// What one measuring process found: its last line of output, as JSON. A program that is not the
/// lab's own says the same of a row (see `Session::sample_program`): `items`, `operations` and
/// `wall_ns` at least. What it leaves out is unknown, and what it adds is not read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Measurement {
    /// Why the runtime does not take part, if it does not.
    pub declined: Option<String>,
    /// What went wrong, if something did.
    pub error: Option<String>,
    /// Items in one operation.
    pub items: u64,
    /// Operations in one sample.
    pub batch: u64,
    /// Operations in all samples.
    pub operations: u64,
    /// Wall time per operation, one number per sample.
    pub wall_ns: Vec<f64>,
    /// Processor time of all threads per operation, one number per sample; empty if unknown.
    pub cpu_ns: Vec<f64>,
    /// What all samples used together.
    pub usage: Usage,
    /// Moves of threads from core to core between warm-up and end.
    pub migrations: Option<u64>,
    /// Hardware events of all samples.
    pub counts: Counts,
    /// Energy that the whole machine used between warm-up and end.
    pub energy_joules: Option<f64>,
    /// Threads and resident memory before anything was built.
    pub initial: Option<process::Size>,
    /// The kernel's own high-water mark of resident memory.
    pub rss_peak_bytes: Option<u64>,
    /// The highest number of threads seen between samples.
    pub threads_peak: Option<u64>,
    /// Tasks that live at once, where the workload knows.
    pub concurrency: Option<u64>,
    /// Messages in one operation, where there are any.
    pub messages: Option<u64>,
    /// What an operation takes at least, computed from its items, where that is known.
    pub bound_ns: Option<f64>,
    /// The most items that ran at once, where the workload counts them.
    pub items_peak: Option<u64>,
    /// Heap that an item holds beyond its own size, where the workload counts it.
    pub item_heap_bytes: Option<f64>,
    /// Heap that is left of an item when it is gone, where the workload counts it.
    pub item_heap_left_bytes: Option<f64>,
    /// How long items waited, where they do.
    pub latencies: Latencies,
    /// By how much it was slowed down on purpose, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowdown_percent: Option<u32>,
}
