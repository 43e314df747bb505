//! Where a spawned job goes.

use super::registry::Registry;
use super::{guest, local};
use crate::job::JobRef;

/// Queues a spawned job in the pool of `registry`.
///
/// A member's job goes to its own queue, anybody else's to the injector. In a
/// pool that has no workers (no thread could be created) the calling thread
/// runs it, as a guest, when the outermost call into the pool ends: here, if
/// it comes from outside.
///
/// # Panics
///
/// In a forked child.
pub(crate) fn submit(registry: &Registry, job: JobRef, fifo: bool) {
    registry.forbid_fork();
    if let Some(seat) = local::find(registry) {
        if registry.line().is_over() {
            // A permanent member has outlived the workers of its pool.
            let _apart = seat.stand_apart();
            // SAFETY: just made, and handed over to nobody else.
            unsafe { seat.run(job) };
            return;
        }
        if fifo {
            seat.queue().push_fifo(job);
        } else {
            seat.queue().push(job);
        }
        seat.published();
    } else if registry.workers() == 0 && registry.has_guests() {
        guest::enter(registry, |_| submit(registry, job, fifo));
    } else {
        registry.inject(job, fifo);
    }
}
