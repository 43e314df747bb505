//! Explicit permission to run something else here and now.
//!
//! Waiting never runs unrelated work. A thread that yields says that it may:
//! it holds nothing that other jobs could need.

use super::handle::Pool;
use super::local;
use super::seat::Seat;
use super::thief::{Loot, Thief};

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
    /// There was no job to run.
    Idle,
}

/// Runs one job of the pool that the calling thread is in, if there is one.
///
/// The job can be any: spawned here or elsewhere, or the half of a stranger's
/// [`join`](crate::join()). It runs on top of the caller's stack, so the caller must
/// not hold a lock that the job could want, nor be a task that the job could
/// join: it would wait for what is below it. Nothing else in Drumline runs
/// unrelated work on a waiting thread; this is the way to ask for it.
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

/// As [`yield_now`], but runs only what was spawned from this thread (or
/// broadcast to it).
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

impl Pool {
    /// [`yield_now`](crate::yield_now()) to this pool; `None` if the calling thread
    /// is not in it.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(1).build()?;
    /// assert_eq!(pool.yield_now(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Blocking
    ///
    /// Until the job, if there is one, has ended.
    pub fn yield_now(&self) -> Option<Yield> {
        self.step(true)
    }

    /// [`yield_local`](crate::yield_local()) to this pool; `None` if the calling
    /// thread is not in it.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(1).build()?;
    /// assert_eq!(pool.yield_local(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Blocking
    ///
    /// Until the job, if there is one, has ended.
    pub fn yield_local(&self) -> Option<Yield> {
        self.step(false)
    }

    fn step(&self, everywhere: bool) -> Option<Yield> {
        let seat = local::find(self.registry())?;
        // There may be calls into other pools in between.
        let _restore = local::switch(seat, seat.current());
        Some(step(seat, everywhere))
    }
}

/// Runs one job, nearest first.
fn step(seat: &Seat, everywhere: bool) -> Yield {
    let registry = seat.registry();
    if registry.is_forked() {
        // The queues, and perhaps their locks, belong to another process.
        return Yield::Idle;
    }
    let mut thief = Thief::new(seat.index());
    let own = seat.inbox().take().or_else(|| seat.queue().pop());
    let loot = match own {
        Some(job) => Some(Loot::Job(job)),
        None if !everywhere => None,
        None => match registry.injector().take() {
            Some(job) => Some(Loot::Job(job)),
            None => thief.steal(registry),
        },
    };
    let Some(loot) = loot else {
        return Yield::Idle;
    };
    // Those who wait for what is pending on this seat did not yield.
    let _apart = seat.stand_apart();
    thief.run(seat, loot);
    Yield::Executed
}
