//! What a process of a peer is to measure.

use crate::effort::Effort;

/// What a process of a peer is to measure.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// Name of the workload.
    pub workload: &'static str,
    /// Size, in the workload's own terms.
    pub size: u64,
    /// Number of jobs.
    pub jobs: usize,
    /// Trouble to go to.
    pub effort: Effort,
    /// Whether operations are repeated until a sample is long enough.
    pub repeats: bool,
}
