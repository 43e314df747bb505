//! What a measuring process is told, and what it may do.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::effort::Effort;

/// The hidden subcommand of a measuring process.
pub const CHILD: &str = "__child";

/// What a measuring process is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRequest {
    /// Name of the workload.
    pub workload: String,
    /// Name of the runtime.
    pub runtime: String,
    /// Number of jobs.
    pub jobs: usize,
    /// Size.
    pub size: u64,
    /// Trouble to go to.
    pub effort: Effort,
    /// Whether to wait before the first sample until the starting process says so; see
    /// [`crate::gate`].
    pub gated: bool,
    /// A planted slowdown: this percentage of its time is spun away after each sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown_percent: Option<u32>,
    /// The program and its arguments, if it is not the lab that measures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Vec<String>>,
}

/// What a measuring process may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How long it may take.
    pub limit: Duration,
    /// Whether it will never end once it stands still.
    pub can_deadlock: bool,
    /// Whether its threads are made with a deep stack.
    pub deep_stack: bool,
}
