//! A table of the fourth kind: items that come one after the other and are handled by many.

use anyhow::Result;

use crate::session::Session;
use crate::streamer::{Streamer, Task};
use crate::workload::{WorkloadCard, group};

/// A stream, with a checked answer.
pub trait Stream: Sized {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// What a runtime must be able to do. Who is not able has no row.
    const TASK: Task;

    /// The sizes of the default run, where those of the card would take it too long.
    const BRIEF: Option<&'static [u64]> = None;

    /// Whether it is run with one job, too, when nothing else was asked for.
    const ONE_JOB_TOO: bool = false;

    /// Starts runtimes, as many as it takes, and runs the stream as often as the session wants to.
    fn drive<S: Streamer>(size: u64, jobs: usize, session: &mut Session) -> Result<()>;

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}
