//! Calls that a thread of the pool runs, while the calling thread waits.

use crate::job::{Header, JobRef, StackJob};
use crate::latch::Countdown;
use crate::pool::calls::guest;
use crate::pool::shared::local;
use crate::pool::shared::registry::Registry;
use crate::pool::waiting;
use crate::unwind;

/// Runs `op` in the pool of `registry`.
pub(crate) fn install<OP, R>(registry: &Registry, op: OP) -> R
where
    OP: FnOnce() -> R + Send,
    R: Send,
{
    if registry.has_guests() || local::find(registry).is_some() {
        guest::enter(registry, |_| op())
    } else {
        hand_over(registry, op)
    }
}

/// Has work done that this thread [may](guest::may_work) do: here, or by the member for good that
/// is the pool's only thread.
pub(crate) fn work_in(registry: &Registry, work: &mut (dyn FnMut() + Send)) {
    if !guest::may_visit(registry) && registry.workers() == 0 {
        hand_over(registry, work);
    } else {
        guest::visit(registry, work);
    }
}

/// Has a thread of the pool run `op`, and waits for it.
pub(crate) fn hand_over<R: Send>(registry: &Registry, op: impl FnOnce() -> R + Send) -> R {
    registry.forbid_fork();
    let job = HandOver {
        job: StackJob::new(|_| op()),
        open: Countdown::new(1),
    };
    // The job stays in this frame until it is over.
    registry.inject(job.as_job_ref());
    // It runs in a pool in which this thread is not, so there is nothing to help with.
    waiting::block_on(&job.open);
    // SAFETY: it has been run; taken once.
    match unsafe { job.job.take_result() } {
        Ok(result) => result,
        Err(payload) => unwind::resume(payload),
    }
}

/// A call that waits outside for a thread of the pool to run it.
struct HandOver<F, R> {
    job: StackJob<F, R>,
    open: Countdown,
}

impl<F, R> HandOver<F, R>
where
    F: FnOnce(bool) -> R + Send,
    R: Send,
{
    fn as_job_ref(&self) -> JobRef {
        JobRef {
            data: std::ptr::from_ref(self).cast(),
            run: Self::run,
        }
    }

    /// # Safety
    ///
    /// `data` comes from `as_job_ref` of a live job; run once.
    unsafe fn run(data: *const ()) {
        let sleeper = {
            // SAFETY: alive until the countdown is over.
            let this = unsafe { &*data.cast::<Self>() };
            // SAFETY: the queue handed this job to one thread.
            unsafe { Header::run(this.job.header()) };
            // SAFETY: alive, and counted once.
            unsafe { Countdown::count_down(&raw const this.open) }
        };
        if let Some(sleeper) = sleeper {
            // SAFETY: the caller is not in this pool, and so waits for this.
            unsafe { sleeper.wake() };
        }
    }
}
