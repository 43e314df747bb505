//! A thread that does the work of a pool that has no workers.
//!
//! Without workers, calls run on the threads that make them. What is queued all the same needs a
//! thread: work that was queued while the pool [expected a worker](crate::pool::shared::workers),
//! and work that a member for good left behind when the pool was closed. The *stand-in* is a guest
//! that runs all of it, and goes. It is a thread of its own, because the thread that learns of the
//! work may hold locks: it drops a [`ThreadBuilder`](crate::pool::ThreadBuilder), or a pool. If the
//! system refuses the thread, that thread does the work itself.
//!
//! A fixed pool takes no guests if its member for good has the only place. Its work is the
//! member's: the member runs it when it waits or yields, and when it drops the pool itself.

use super::guest;
use crate::job::JobRef;
use crate::pool::shared::local;
use crate::pool::shared::registry::Registry;
use crate::pool::shared::seat::Seat;
use crate::sync::thread;

impl Registry {
    /// Queues a job from a thread that is not in this pool.
    pub(crate) fn inject(&self, job: JobRef) {
        self.injector().push(job);
        self.wake(self.idle_set().alert());
        // As `rely_on_worker`; the fence was in `alert`.
        if self.worker_list().are_gone_after_fence() {
            see_to_work(self);
        }
    }

    /// To be called after work was queued for a worker: if the last one turned out not to come
    /// meanwhile, has the work done.
    pub(crate) fn rely_on_worker(&self) {
        if self.has_lost_workers() {
            see_to_work(self);
        }
    }

    /// Queues a job for the member for good, or for one worker. Should that worker not come after
    /// all, the job is for another. Where there is none, the calling thread runs the job.
    pub(crate) fn send(&self, worker: usize, job: JobRef) {
        let receiver = self.worker_list().with(|workers| {
            let is_present = workers.contains(&worker) || self.members().is_broadcast_to(worker);
            let present = is_present.then_some(worker);
            let receiver = self.seat(present.or(workers.first().copied())?);
            // Not after this: the worker may be dismissed, and its jobs are taken away then.
            receiver.inbox().push_fifo(job);
            Some(receiver)
        });
        match receiver {
            Some(receiver) => receiver.parker().unpark(),
            None => guest::enter(self, |seat| run_apart(seat, job)),
        }
    }
}

/// Has the work done that is queued, if no worker is left to do it.
#[cold]
pub(crate) fn see_to_work(registry: &Registry) {
    if registry.workers() == 0 && registry.has_guests() && registry.has_queued() {
        start(registry);
    }
}

/// The pool has been closed: has the work done that is queued, if there is no worker.
pub(crate) fn see_to_the_rest(registry: &Registry) {
    if registry.workers() > 0 {
        return;
    }
    if !registry.has_queued() {
        // The member may have taken a job just now. The lock in here puts that in order: it keeps
        // the pool from its end before it takes one (`run_any`).
        drop(registry.keep_open());
    } else if registry.has_guests() {
        start(registry);
    } else if let Some(seat) = local::find(registry) {
        // Its only thread ends it.
        let _reentry = local::reenter(seat);
        run_all(seat);
        drop(registry.keep_open());
    } else {
        leave_to_member(registry);
    }
}

/// Starts the stand-in. The pool does not count as ended before the stand-in has.
fn start(registry: &Registry) {
    registry.lifetime().begin();
    let shared = registry.share();
    let builder = thread::Builder::new()
        .name(String::from("drumline-stand-in"))
        .stack_size(registry.thread_requests().stack_size());
    let outcome = builder.spawn(move || {
        local::set_home(shared.id());
        guest::enter(&shared, run_all);
        shared.lifetime().end();
    });
    match outcome {
        Ok(handle) => registry.lifetime().keep_handle(handle),
        Err(_refused) => {
            guest::enter(registry, run_all);
            registry.lifetime().end();
        }
    }
}

/// Runs everything that is queued.
fn run_all(seat: &Seat) {
    while let Some(job) = seat.registry().take_queued() {
        run_apart(seat, job);
    }
}

/// Runs a job that was just made, or taken from its queue, on top of what is on this stack.
pub(crate) fn run_apart(seat: &Seat, job: JobRef) {
    let _apart = seat.stand_apart();
    // SAFETY: no other thread has the job, and it is run here only.
    unsafe { seat.run(job) };
}

/// The member for good, which is the pool's only thread, does the work when it waits or yields. The
/// pool does not count as ended before.
fn leave_to_member(registry: &Registry) {
    registry.lifetime().owe_end();
    // It may have done everything just now.
    drop(registry.keep_open());
}
