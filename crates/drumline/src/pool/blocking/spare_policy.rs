//! The spare policy: whether one more thread is worth it while others wait for work of the pool.
//!
//! A thread that blocks is replaced at once. A thread that waits in `join`, a scope or a handle
//! waits for work that another thread of the pool does. Its place is free, but while every
//! processor is busy with that work, one more thread would only be in the way. If the work that a
//! spare takes waits in turn, each further spare is likely to do the same. So a spare thinks it
//! over before it takes such a place. The more threads wait already, the longer it thinks. It also
//! thinks for as long as every processor is busy. But it never thinks for longer than a second
//! without any progress in the pool. The busy threads may spin until another thread takes the work.
//!
//! Each spare that takes such a place is a *trial*. It is in vain if its first job waits in turn.
//! Where trials have been in vain and the pool makes progress, the next spare thinks for twice as
//! long as the one before, for a second at most. Without that the number of threads grew with the
//! square root of the time that a chain of waits took: 100,000 tasks that each wait for the one
//! before, on 16 jobs, had 76 threads after three seconds.

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
/// Without progress no longer than this, and with progress, because trials were in vain, no longer
/// either.
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
        let still = self.still(registry);
        if thought < think {
            return Err((think - thought).min(NAP));
        }
        let doubled = think.saturating_mul(1 << registry.spares().in_vain());
        if still < think && thought < doubled.min(PATIENCE) {
            return Err((think - still).min(NAP));
        }
        if !is_saturated(registry) || still >= PATIENCE {
            return Ok(());
        }
        Err(NAP)
    }

    /// For how long the pool has made no progress, as far as the looks until now can tell.
    fn still(&mut self, registry: &Registry) -> Duration {
        let progress = registry.progress();
        if progress != std::mem::replace(&mut self.progress, progress) {
            self.moved = Instant::now();
        }
        self.moved.elapsed()
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
