//! The spare policy: whether one more thread is worth it while others wait for work of the pool.
//!
//! A thread that blocks is replaced at once. A thread that waits in `join`, a scope or a handle
//! waits for work that another thread of the pool does. Its place is free, but while every
//! processor is busy with that work, one more thread would only be in the way. If the work that a
//! spare takes waits in turn, each further spare is likely to do the same. So a spare thinks it
//! over before it takes such a place. The more threads wait already, the longer it thinks. It also
//! thinks for as long as every processor is busy. But it never thinks for longer than a second
//! without any progress in the pool. The busy threads may spin until another thread takes the work.

use std::time::Duration;

use crate::jobs::Jobs;
use crate::platform::known::KnownNumber;
use crate::pool::shared::registry::Registry;
use crate::sync::{Instant, process_wide};

process_wide! {
    /// How many threads of the process can run at once.
    static PROCESSORS: KnownNumber = KnownNumber::new();
}

/// For each thread that waits.
const THINK: Duration = Duration::from_millis(1);
/// Without progress no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest nap between two thoughts.
const NAP: Duration = Duration::from_millis(8);

/// What a spare knows while it decides.
#[derive(Debug)]
pub(crate) struct SparePolicy {
    since: Instant,
    progress: usize,
    moved: Instant,
}

impl SparePolicy {
    pub(crate) fn new(registry: &Registry) -> Self {
        let now = Instant::now();
        SparePolicy {
            since: now,
            progress: registry.progress(),
            moved: now,
        }
    }

    /// Whether to take the place, `waiting` threads waiting; otherwise how long
    /// to nap before asking again.
    pub(crate) fn decide(&mut self, registry: &Registry, waiting: usize) -> Result<(), Duration> {
        let think = THINK.saturating_mul(u32::try_from(waiting).unwrap_or(u32::MAX));
        let thought = self.since.elapsed();
        if thought < think {
            return Err((think - thought).min(NAP));
        }
        if !is_saturated(registry) {
            return Ok(());
        }
        let progress = registry.progress();
        if progress != std::mem::replace(&mut self.progress, progress) {
            self.moved = Instant::now();
        } else if self.moved.elapsed() >= PATIENCE {
            return Ok(());
        }
        Err(NAP)
    }
}

/// Whether as many threads of the pool run, or could, as there are processors.
fn is_saturated(registry: &Registry) -> bool {
    let find = || Some(Jobs::default().resolve().get());
    let processors = PROCESSORS.get_or_find(find).unwrap_or(usize::MAX);
    let (active, _) = registry.idle_set().active_and_displaced();
    let runs = |&index: &usize| !registry.seat(index).block_state().thread().is_waiting();
    active
        .iter()
        .filter(|index| runs(index))
        .take(processors)
        .count()
        == processors
}
