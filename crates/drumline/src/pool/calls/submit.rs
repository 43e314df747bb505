//! Where a spawned job goes.
//!
//! # Long-lived jobs
//!
//! A job that a thread runs while it waits or yields is on top of the frame that waits. The frame
//! goes on only after that job. A *long-lived* job (a consumer of a stream) ends when others give
//! it nothing more to do. It can wait for what the frame below it was about to hand over. Then both
//! wait for ever. So long-lived jobs have a queue of their own, and one rule: only a worker
//! that has no frame of another job on its stack takes from it. Everything else that runs jobs
//! (`yielding`, `waiting`, thieves) does not know the queue. A scope that waits runs the jobs of
//! its own, long-lived or not: a caller that begins such a scope holds nothing that these wait for.

use super::guest;
use super::stand_in::run_apart;
use crate::job::{Header, JobRef};
use crate::pool::shared::held_open::KeptOpen;
use crate::pool::shared::local;
use crate::pool::shared::registry::Registry;
use crate::pool::shared::seat::Seat;
use crate::unwind::Payload;

/// The queue that a job was put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueuedIn {
    /// That of the seat with this index.
    Seat(u32),
    /// The one for jobs from outside; or none, because the job has been run.
    Injector,
}

impl QueuedIn {
    /// Takes the job at this address out of the queue, if it is there, and easy to find.
    ///
    /// A ticket that is not found may be left in the queue: its task must be back.
    pub(crate) fn withdraw(self, registry: &Registry, data: *const ()) -> bool {
        match self {
            QueuedIn::Seat(index) => registry.seat(index as usize).queue().withdraw(data),
            QueuedIn::Injector => registry.injector().withdraw(data),
        }
    }
}

/// Queues a spawned job in the pool of `registry`, and returns where.
///
/// A member's job goes to its own queue, and the job of any other thread to the injector. In a pool
/// that has no workers (no thread could be created) the calling thread runs it, as a guest, when
/// the outermost call into the pool ends: here, if it comes from outside. If a member for good has
/// the pool's only seat, it runs the job when it waits or yields.
///
/// # Panics
///
/// In a forked child.
pub(crate) fn submit(registry: &Registry, job: JobRef, fifo: bool) -> QueuedIn {
    registry.forbid_fork();
    if let Some(seat) = local::find(registry) {
        if registry.idle_set().is_over() {
            // A permanent member has outlived the workers of its pool.
            run_apart(seat, job);
            return QueuedIn::Injector;
        }
        if fifo {
            seat.queue().push_fifo(job);
        } else {
            seat.queue().push(job);
        }
        seat.published();
        if seat.is_permanent() && has_to_finish(registry) {
            while let Some(job) = seat.queue().pop() {
                run_apart(seat, job);
            }
            drop(registry.keep_open());
        }
        QueuedIn::Seat(u32::try_from(seat.index()).expect("there are fewer threads"))
    } else if registry.workers() == 0 && registry.has_guests() {
        guest::enter(registry, |_| submit(registry, job, fifo))
    } else {
        registry.inject(job);
        QueuedIn::Injector
    }
}

/// Where a task is queued that is to be run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WakeOrigin {
    /// It was woken, by any thread.
    Woken,
    /// It was woken by its own poll, or during it: others come first.
    Itself,
}

/// Queues a task that was woken, in the pool of `registry`. `seat` is that of the calling thread
/// there.
///
/// A worker that has woken it runs it next, as a rule. It never runs here.
///
/// # Safety
///
/// The job is alive until it has been run, and the pool at least until this returns.
// Always: it has two callers, each of which does hardly anything else for a message or a wake-up.
#[inline(always)]
pub(crate) unsafe fn submit_woken(
    registry: &Registry,
    seat: Option<&Seat>,
    job: *const Header,
    origin: WakeOrigin,
) {
    if registry.is_forked() {
        // The pool, and perhaps its locks, belong to another process.
        return;
    }
    match seat {
        Some(seat) if !seat.is_permanent() => {
            let is_next = origin == WakeOrigin::Woken && seat.hand_off().is_open();
            let to_queue = if is_next {
                seat.counters().hand_offs.up();
                seat.put_hand_off(job)
            } else {
                Some(job)
            };
            if let Some(job) = to_queue {
                // SAFETY: a job in the slot is alive until it has been run, and so is the caller's.
                seat.queue().push_task(unsafe { Header::job_ref(job) });
            }
            seat.published();
        }
        // SAFETY: the caller's obligation.
        _ => registry.inject(unsafe { Header::job_ref(job) }),
    }
}

/// Queues a run in the pool of `registry`, for a worker that takes the newest first (`on_top`) or
/// the oldest. `seat` is that of the calling thread there. It never runs here.
///
/// # Safety
///
/// As for [`submit_woken`].
pub(crate) unsafe fn submit_plain(
    registry: &Registry,
    seat: Option<&Seat>,
    job: *const Header,
    on_top: bool,
) {
    if registry.is_forked() {
        // As above.
        return;
    }
    // SAFETY: the caller's obligation.
    let job = unsafe { Header::job_ref(job) };
    match seat {
        Some(seat) if !seat.is_permanent() => {
            if on_top {
                seat.queue().push(job);
            } else {
                seat.queue().push_task(job);
            }
            seat.published();
        }
        _ => registry.inject(job),
    }
}

/// Queues a job in the pool of `registry` behind what the calling thread has queued, for the sake
/// of a task that was woken. It never runs here. The caller keeps the pool.
pub(crate) fn submit_behind(registry: &Registry, job: JobRef) {
    match local::find(registry) {
        Some(seat) if !seat.is_permanent() => {
            seat.queue().push_behind(job);
            seat.published();
        }
        _ => registry.inject(job),
    }
}

/// Queues a job in the pool of `registry` as the oldest that the calling thread has spawned: it
/// comes after those, and thieves take it first. The calling thread runs a job of the pool.
pub(crate) fn submit_oldest(registry: &Registry, job: JobRef) {
    match local::find(registry) {
        Some(seat) if !seat.is_permanent() => {
            seat.queue().push_oldest(job);
            seat.published();
        }
        // A member for good may have to finish its jobs itself.
        _ => {
            submit(registry, job, false);
        }
    }
}

/// For a permanent member that has just queued a job: whether no other thread will run it. The pool
/// has ended before the push, or it is closed and has no workers.
fn has_to_finish(registry: &Registry) -> bool {
    let idle_set = registry.idle_set();
    idle_set.has_ended() || idle_set.is_closed() && registry.workers() == 0
}

/// Keeps the pool open for a long-lived job, if a worker can take one.
///
/// None can where no thread could be created, and after the workers have ended.
pub(crate) fn open_for_long_lived(registry: &Registry) -> Option<KeptOpen<'_>> {
    (registry.workers() > 0).then(|| registry.keep_open())?
}

/// Queues a long-lived job: one that goes on for as long as others give it something to do, and
/// that waits in between.
///
/// What it waits for may lie in a frame of the very thread that begins it. So it begins at the
/// bottom of a worker's stack and nowhere else: a thread that waits or yields passes it by. To be
/// called only while the pool is [kept open](open_for_long_lived) for the job.
///
/// # Panics
///
/// In a forked child.
pub(crate) fn submit_long_lived(registry: &Registry, job: JobRef) {
    registry.forbid_fork();
    registry.long_lived().push(job);
    match local::find(registry) {
        Some(seat) => seat.published(),
        None => registry.wake(registry.idle_set().alert()),
    }
    registry.rely_on_worker();
}

/// Reports the panic of a task that had ended when its handle was dropped.
///
/// If the pool has a panic handler, a worker calls it: the thread that drops the handle may hold a
/// lock which the handler takes. This is so too if it drops the handle as soon as the task is
/// spawned. In a pool without workers this thread calls it.
pub(crate) fn report_later(registry: &Registry, payload: Payload) {
    /// # Safety
    ///
    /// `data` is a leaked box with a payload, and is used once.
    unsafe fn report(data: *const ()) {
        // SAFETY: the caller's obligation.
        let payload = unsafe { Box::from_raw(data.cast::<Payload>().cast_mut()) };
        let seat = local::seat().expect("jobs run in seats");
        seat.registry().report_panic(*payload);
    }

    let can_wait = !registry.is_forked() && registry.workers() > 0;
    let open = if can_wait && registry.hooks().has_panic() {
        registry.keep_open()
    } else {
        None
    };
    if open.is_none() {
        return registry.report_panic(payload);
    }
    let data = Box::into_raw(Box::new(payload)).cast_const().cast();
    submit(registry, JobRef { data, run: report }, false);
}

/// To be called by the thread in `seat`, or by one outside of the pool, after it has taken a job of
/// its own back that it had queued. The job may have been all that kept a closed pool from its end.
pub(crate) fn has_withdrawn(registry: &Registry, seat: Option<&Seat>) {
    let outlives_the_pool = seat.is_none_or(Seat::is_permanent);
    if outlives_the_pool && registry.idle_set().is_closed() {
        // The pool is asked again.
        drop(registry.keep_open());
    }
}
