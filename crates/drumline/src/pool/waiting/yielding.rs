//! Permission to run something else here and now.
//!
//! Waiting runs no unrelated work unless the whole pool [says
//! so](crate::pool::WaitPolicy::Steal). A thread that yields says that it may: it holds
//! nothing that other jobs could need.

use std::cell::Cell;
use std::time::Duration;

use super::stack_room::StackRoom;
use crate::pool::blocking::compensate;
use crate::pool::shared::local;
use crate::pool::shared::seat::Seat;
use crate::pool::workers::thief::{Haul, StolenWork, Thief};
use crate::sync::{per_thread, planted};
use crate::wait::blocking;

/// How long other threads may have the place, when there is no room for a job.
const AWAY: Duration = Duration::from_micros(100);

/// After this many yields in a row that found nothing, a thread lets another one have its place, if
/// there is work that it does not run itself.
const IN_VAIN: usize = 64;
/// Where there is such work all the time, the thread goes away after 64 yields, after 128, and then
/// each time that this many times 64 are full: each time costs the lock of the idle set twice.
const SELDOM: usize = 4;

per_thread! {
    /// How many yields in a row have found nothing.
    static VAIN_YIELDS: Cell<usize> = const { Cell::new(0) };
}

/// What came of a [`yield_now`] or [`yield_local`].
///
/// ```
/// use drumline::Yield;
///
/// let pool = drumline::Pool::builder().jobs(1).spares(false).build()?;
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
/// Nor does a thread run the second half of its own pending joins here, or work of a pool in which
/// it has called into this one. Another thread may have its places for that after a while, if it
/// goes on to yield and there is nothing else to run.
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
            go_away(seat);
        } else {
            yield_in_vain(seat);
        }
        return Yield::Idle;
    };
    let vain = VAIN_YIELDS.with(Cell::get);
    if run_any(seat, &mut Thief::after(seat.index(), vain), everywhere) {
        VAIN_YIELDS.with(|vain| vain.set(0));
        return Yield::Executed;
    }
    if everywhere && registry.long_lived().len() > 0 {
        // Not on top of the caller: a worker begins it, in the caller's place if there is no other.
        count_in_vain();
        go_away(seat);
    } else if everywhere {
        yield_in_vain(seat);
    }
    Yield::Idle
}

/// Lets other threads have the place of this one in `seat`, and in the pools further out, for a
/// moment.
fn go_away(seat: &Seat) {
    for seat in compensate::chain(Some(seat)) {
        // What blocked here before may have been short. A note for the monitor would not do: to
        // the system a thread that yields in a loop does not stand still.
        seat.block_state().expect_short(false);
    }
    blocking(|| seat.parker().park_timeout(AWAY));
}

/// The thread in `seat` has found nothing. If that is so again and again, while there is work that
/// it does not run itself, it lets another thread have its place: it may wait for a half of its own
/// joins, for what lies in the hand-off slot of another thread, or for work of a pool further out.
fn yield_in_vain(seat: &Seat) {
    if !is_time_to_go(count_in_vain()) {
        return;
    }
    let has_work = |seat: &Seat| {
        let registry = seat.registry();
        registry.idle_set().may_be_relieved() && registry.has_work()
    };
    let mut chain = compensate::chain(Some(seat));
    let Some(pool) = chain.find(|seat| has_work(seat)) else {
        return;
    };
    go_away(seat);
    if !has_work(pool) {
        // Another thread has taken it.
        VAIN_YIELDS.with(|yields| yields.set(0));
    }
}

/// Counts a yield that found nothing. Returns how many there were in a row.
fn count_in_vain() -> usize {
    VAIN_YIELDS.with(|yields| {
        yields.set(yields.get().wrapping_add(1));
        yields.get()
    })
}

/// Whether the thread goes away after this number of yields in a row that have found nothing.
fn is_time_to_go(vain: usize) -> bool {
    let times = vain / IN_VAIN;
    vain.is_multiple_of(IN_VAIN) && (times < 3 || times.is_multiple_of(SELDOM))
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
