//! A table of the other kind: many tasks, spawned from outside, that block.

use std::time::Duration;

use anyhow::Result;

use crate::session::Session;
use crate::spawner::Spawner;
use crate::workload::{WorkloadCard, group};

/// How long a process may take for one sample, unless `--timeout` says otherwise. Whoever finishes
/// at all takes seconds; on the other hand each row that does not costs all of this.
const BOUND: Duration = Duration::from_secs(20);

/// The same in a smoke run, where whoever finishes takes less than a second.
const SMOKE_BOUND: Duration = Duration::from_secs(3);

/// Many tasks. Unlike fork/join, a runtime may fail to ever finish them, and that is a result.
pub trait Crowd: Sized + Sync {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// Whether some tasks wait for others, so that a run which stands still will do so for ever.
    const TASKS_WAIT_FOR_TASKS: bool;

    /// Makes the data, the same for every runtime.
    fn build(size: u64) -> Result<Self>;

    /// Spawns the tasks and waits for all, as often as the session wants to.
    fn drive<S: Spawner>(&self, spawner: &S, session: &mut Session);

    /// Why a size within the limits makes no sense, if it makes none.
    fn refuses(_size: u64) -> Option<&'static str> {
        None
    }

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}

/// How long a process that takes so many samples may run.
pub fn bound(smoke: bool, samples: usize) -> Duration {
    let each = if smoke { SMOKE_BOUND } else { BOUND };
    each.saturating_mul(u32::try_from(samples).unwrap_or(u32::MAX))
}
