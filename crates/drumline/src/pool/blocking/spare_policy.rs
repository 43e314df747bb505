//! The spare policy: whether one more thread is worth it while others wait for work of the pool.
//!
//! A thread that blocks is replaced at once. A thread that waits in `join`, a scope or a handle
//! waits for work that another thread of the pool does. Its place is free, but while every
//! processor is busy with that work, one more thread would only be in the way. If the work that a
//! spare takes waits in turn, each further spare is likely to do the same. So a spare thinks it
//! over before it takes such a place:
//!
//! * A millisecond for each thread that waits.
//! * Longer while every processor is busy, but for a second at most: the busy threads may spin
//!   until another thread takes the work.
//! * Longer while waits end, where others were of no use. Each spare that takes such a place is a
//!   *trial*. It is in vain if one of its first jobs waits in turn. The next spare thinks for twice
//!   as long then, up to sixteen times. A thread whose wait ends goes on and takes the next job
//!   itself, so the pool gets on without more threads. Where no wait ends, it may need them.
//!
//! Without the last rule the number of threads grows with the square root of the time that a chain
//! of waits takes: 100,000 tasks that each wait for the one before, on 16 jobs, had 76 threads
//! after three seconds.
//!
//! Rejected: to hold back while any job of the pool is added, taken or done. What is done may be of
//! no use to the threads that wait: a task that polls with small joins until a queued job has run.

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
/// No longer than this, in any case.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest nap between two thoughts.
const NAP: Duration = Duration::from_millis(8);
/// No more than this of the time between two thoughts counts for [`PATIENCE`]: there may have been
/// nothing to think about.
const GAP: Duration = Duration::from_millis(16);
/// After this long it is about something else.
const OVER: Duration = Duration::from_secs(10);

/// What a spare knows while it decides.
#[derive(Debug, Default)]
pub(crate) struct SparePolicy {
    /// Since when it has thought, if it does.
    since: Option<Instant>,
    /// For how long in all, since it had a place. The place may be taken in between, and be free
    /// again: a thread that waits comes back to help.
    in_all: Duration,
    /// When it was asked last.
    asked: Option<Instant>,
    waits_ended: Option<usize>,
    /// When a wait was last seen to have ended.
    moved: Option<Instant>,
}

impl SparePolicy {
    /// Whether to take the place, `waiting` threads waiting; otherwise how long
    /// to nap before asking again.
    pub(crate) fn decide(&mut self, registry: &Registry, waiting: usize) -> Result<(), Duration> {
        let now = Instant::now();
        let thought = now - *self.since.get_or_insert(now);
        match self.asked.replace(now).map(|then| now - then) {
            Some(gap) if gap > OVER => self.in_all = Duration::ZERO,
            gap => self.in_all += gap.unwrap_or_default().min(GAP),
        }
        if self.in_all >= PATIENCE {
            return Ok(());
        }
        let think = THINK.saturating_mul(u32::try_from(waiting).unwrap_or(u32::MAX));
        let waits_end = self.waits_end(registry, think);
        if thought < think {
            return Err((think - thought).min(NAP));
        }
        let doubled = think.saturating_mul(1 << registry.spares().in_vain());
        if waits_end && thought < doubled {
            return Err((doubled - thought).min(NAP));
        }
        if is_saturated(registry) {
            return Err(NAP);
        }
        Ok(())
    }

    /// It begins anew.
    pub(crate) fn begin(&mut self) {
        self.since = None;
    }

    /// It has a place.
    pub(crate) fn end(&mut self) {
        *self = Self::default();
    }

    /// Whether a wait has ended within this time, as far as the looks until now can tell.
    fn waits_end(&mut self, registry: &Registry, time: Duration) -> bool {
        let ended = registry.idle_set().waits_ended();
        let before = self.waits_ended.replace(ended);
        if before.is_some_and(|before| before != ended) {
            self.moved = Some(Instant::now());
        }
        self.moved.is_some_and(|moved| moved.elapsed() < time)
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
