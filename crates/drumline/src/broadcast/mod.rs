//! Broadcasts: once on every worker.
//!
//! | file | noun |
//! |---|---|
//! | `context` | what a broadcast closure is told |
//! | `share` | one worker's part of a broadcast that its caller waits for |
//! | `scoped` | broadcasts that a scope waits for |
//!
//! Every worker has an inbox, for jobs that only it can run. It looks there first when it looks for
//! work, and also while it waits for something: what it waits for may itself be waiting for the
//! share of this very worker. That is one of three cases in which something unrelated runs on a
//! waiting stack; the others are a call of `yield_now`, and a pool with `WaitPolicy::Steal`.

mod context;
#[cfg(doctest)]
mod promises;
mod scoped;
mod share;

use crate::job::{HeapJob, JobRef};
use crate::pool::{self, KeptOpen, Pool, Registry, local};
use crate::sync::Arc;
use crate::unwind;

pub use context::BroadcastContext;

/// Runs `op` once on every worker of the pool, and returns the results in the
/// order of the workers.
///
/// The pool is the one that the calling thread is in, or the global pool.
/// *Workers* are the threads that the pool has made, also those that have no
/// place because the number of jobs was lowered. Guests are none. A thread that
/// [`use_current_thread`](crate::PoolBuilder::use_current_thread) has added is one if the pool
/// [says so](crate::PoolBuilder::broadcast_to_member).
///
/// Each worker runs its share when it has finished the job at hand, or while
/// it waits for something in that job, on top of what is there: `op` must not
/// want a lock that a waiting job could hold. A caller that is a worker runs
/// its own share at once.
///
/// A pool without workers (no thread could be created) runs `op` once, on the calling thread. If a
/// [member](crate::PoolBuilder::use_current_thread) is all that the pool may have, that thread runs
/// `op` when it waits or yields.
///
/// ```
/// let pool = drumline::Pool::builder().jobs(3).build()?;
/// let numbers = pool.broadcast(|ctx| ctx.index() * 10);
/// assert_eq!(numbers, [0, 10, 20]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// If `op` panics, after it has ended on every worker, with the payload from
/// the worker with the lowest number; and in a forked child.
///
/// # Blocking
///
/// Until `op` has ended on every worker. A worker that is blocked outside of the pool keeps the
/// caller waiting; so does one that waits in a call into another pool, unless the pool's policy is
/// [`WaitPolicy::Steal`](crate::WaitPolicy::Steal). If that call waits for the broadcast in turn,
/// neither ever ends. The consumer of a stream keeps the caller waiting, too, while it waits in an
/// iterator. If an item of the stream broadcasts, the thread that takes the results goes and takes
/// part, and so does a consumer that waits for another source. A [`Source`](crate::stream::Source)
/// of one's own needs a [`recv_timeout`](crate::stream::Source::recv_timeout) for that.
/// What is done with the results is no item: if that broadcasts, it waits for a consumer that waits
/// for its source, for ever if the source waits for that in turn.
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    broadcast_in(current(), op)
}

/// Runs `op` some time from now, once on every worker of the pool.
///
/// As [`broadcast`], but the caller does not wait: a panic goes to the pool's panic handler.
///
/// ```
/// let pool = drumline::Pool::builder().jobs(2).build()?;
/// let (send, receive) = std::sync::mpsc::channel();
/// pool.spawn_broadcast(move |ctx| send.send(ctx.index()).unwrap());
/// let mut seen: Vec<usize> = receive.iter().collect();
/// seen.sort();
/// assert_eq!(seen, [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// In a forked child, inside a pool of the parent.
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    spawn_broadcast_in(current(), op);
}

impl Pool {
    /// [`broadcast`](crate::broadcast()) in this pool.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// assert_eq!(pool.broadcast(|ctx| ctx.threads()), [2, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`broadcast`](crate::broadcast()).
    ///
    /// # Blocking
    ///
    /// As [`broadcast`](crate::broadcast()).
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        broadcast_in(self.registry(), op)
    }

    /// [`spawn_broadcast`](crate::spawn_broadcast()) in this pool.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// pool.spawn_broadcast(|ctx| assert!(ctx.index() < ctx.threads()));
    /// pool.shutdown()?; // waits for it
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        spawn_broadcast_in(self.registry(), op);
    }
}

/// The pool that the calling thread is in, or the global one.
fn current<'a>() -> &'a Registry {
    local::seat().map_or_else(pool::global_registry, |seat| seat.registry())
}

/// The seats to broadcast to, none where the workers have ended; and what keeps the pool from its
/// end until the shares are queued.
fn workers(registry: &Registry) -> (Vec<usize>, Option<KeptOpen<'_>>) {
    registry.forbid_fork();
    let open = registry.keep_open();
    let seats = open.as_ref().map(|_| registry.broadcast_seats());
    (seats.unwrap_or_default(), open)
}

fn broadcast_in<OP, R>(registry: &Registry, op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let (workers, _open) = workers(registry);
    if workers.is_empty() {
        return pool::install(registry, || vec![op(BroadcastContext::new(0, 1))]);
    }
    share::on_all(registry, &workers, &op)
}

fn spawn_broadcast_in<OP>(registry: &Registry, op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    let (workers, _open) = workers(registry);
    let op = Arc::new(op);
    let share = |index, count| {
        let op = Arc::clone(&op);
        let job = move || {
            let outcome = unwind::catch(|| op(BroadcastContext::new(index, count)));
            let dropped = unwind::catch(|| drop(op));
            let seat = local::seat().expect("jobs run in seats");
            for outcome in [outcome, dropped] {
                if let Err(payload) = outcome {
                    seat.registry().report_panic(payload);
                }
            }
        };
        // SAFETY: `op` borrows nothing, and each share is queued once.
        let job: JobRef = unsafe { HeapJob::into_job_ref(job) };
        job
    };
    if workers.is_empty() {
        pool::submit(registry, share(0, 1), false);
    }
    for (index, &worker) in workers.iter().enumerate() {
        registry.send(worker, share(index, workers.len()));
    }
    // The last to drop it, where the shares have ended already.
    if let Err(payload) = unwind::catch(|| drop(op)) {
        registry.report_panic(payload);
    }
}
