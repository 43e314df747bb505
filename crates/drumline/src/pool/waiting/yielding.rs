//! Permission to run something else here and now.
//!
//! Waiting runs no unrelated work unless the whole pool [says
//! so](crate::pool::WaitPolicy::Steal). A thread that yields says that it may: it holds
//! nothing that other jobs could need.

use std::time::Duration;

use super::stack_room::StackRoom;
use crate::pool::shared::local;
use crate::pool::shared::seat::Seat;
use crate::pool::workers::thief::{Haul, StolenWork, Thief};
use crate::sync::planted;
use crate::wait::blocking;

/// How long other threads may have the place, when there is no room for a job.
const AWAY: Duration = Duration::from_micros(100);

/// What came of a [`yield_now`] or [`yield_local`].
///
/// ```
/// use drumline::Yield;
///
/// let pool = drumline::Pool::builder().jobs(1).build()?;
/// pool.install(|| {
///     let task = drumline::spawn(|| ());
///     assert_eq!(drumline::yield_local(), Some(Yield::Executed));
///     assert!(task.is_finished());
///     assert_eq!(drumline::yield_local(), Some(Yield::Idle));
/// });
/// # Ok::<(), drumline::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// A job was run.
    Executed,
    /// There was no job to run, or no room for one on this stack.
    Idle,
}

/// Runs one job of the pool that the calling thread is in, if there is one.
///
/// The job can be any: spawned here or elsewhere, or the half of a stranger's
/// [`join`](crate::join()). It runs on top of the caller's stack, so the caller must
/// not hold a lock that the job could want, nor be a task that the job could
/// join: it would wait for what is below it. Nothing else in Drumline runs
/// unrelated work on a waiting thread, unless
/// [the pool is told to](crate::WaitPolicy::Steal); this is the way to ask for it.
///
/// A consumer of a [stream](crate::stream) is never run here: it could wait for what the caller is
/// about to hand over. If there is nothing else to run, another thread of the pool may have the
/// caller's place for a moment, and begin it.
///
/// A job that yields in turn goes on top of that, and so on. It ends where
/// there is no room on the stack: then nothing is run here, and for a moment
/// another thread of the pool may have the caller's place.
///
/// Returns `None` on a thread that is in no pool.
///
/// ```
/// use drumline::Yield;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// static DONE: AtomicBool = AtomicBool::new(false);
/// let pool = drumline::Pool::builder().jobs(1).build()?;
/// pool.install(|| {
///     drop(drumline::spawn(|| DONE.store(true, Ordering::Relaxed)));
///     while !DONE.load(Ordering::Relaxed) {
///         if drumline::yield_now() == Some(Yield::Idle) {
///             std::thread::yield_now();
///         }
///     }
/// });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Blocking
///
/// Until the job, if there is one, has ended.
pub fn yield_now() -> Option<Yield> {
    local::seat().map(|seat| step(seat, true))
}

/// As [`yield_now`], but runs only what is queued at this thread: what was spawned from it or
/// broadcast to it, and what it has taken over from the long queue of another thread.
///
/// ```
/// assert_eq!(drumline::yield_local(), None); // in no pool
/// let pool = drumline::Pool::builder().jobs(1).build()?;
/// assert_eq!(pool.install(drumline::yield_local), Some(drumline::Yield::Idle));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Blocking
///
/// Until the job, if there is one, has ended.
pub fn yield_local() -> Option<Yield> {
    local::seat().map(|seat| step(seat, false))
}

/// Runs one job, nearest first.
pub(crate) fn step(seat: &Seat, everywhere: bool) -> Yield {
    let registry = seat.registry();
    if registry.is_forked() {
        // The queues, and perhaps their locks, belong to another process.
        return Yield::Idle;
    }
    let Some(_room) = StackRoom::find() else {
        if registry.has_work() {
            blocking(|| seat.parker().park_timeout(AWAY));
        }
        return Yield::Idle;
    };
    if run_any(seat, &mut Thief::new(seat.index()), everywhere) {
        return Yield::Executed;
    }
    if everywhere && registry.long_lived().len() > 0 {
        // Not on top of the caller: a worker begins it, in the caller's place if there is no other.
        blocking(|| seat.parker().park_timeout(AWAY));
    }
    Yield::Idle
}

/// Runs one job of the pool, nearest first, apart from what is pending on this
/// seat. Returns whether there was any.
///
/// It never runs [long-lived](crate::pool::calls::submit) jobs: they could wait for a frame below.
pub(crate) fn run_any(seat: &Seat, thief: &mut Thief, everywhere: bool) -> bool {
    let registry = seat.registry();
    // A member for good does not keep its pool from its end by being there. A job that it takes
    // does, from before it is taken.
    let _open = if seat.is_permanent() {
        if seat.inbox().len() == 0 && !registry.has_work() {
            return false;
        }
        registry.keep_open()
    } else {
        None
    };
    seat.flush_hand_off();
    let own = seat.inbox().take().or_else(|| seat.queue().pop());
    let loot = match own {
        Some(job) => Some(StolenWork::Job(job)),
        None if !everywhere => None,
        None if planted!(LongLivedAnywhere) && registry.long_lived().len() > 0 => {
            registry.long_lived().take().map(StolenWork::Job)
        }
        None => match registry.injector().take() {
            Some(job) => Some(StolenWork::Job(job)),
            None => thief.steal(registry, Haul::One),
        },
    };
    let Some(loot) = loot else {
        return false;
    };
    // A thread that waits for what is pending on this seat did not say that it would take part in
    // this.
    let _apart = seat.stand_apart();
    thief.run_one(seat, loot);
    true
}
