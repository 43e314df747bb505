//! A pool of one's own.

use std::fmt;

use drumline::{BroadcastContext, Pool, Scope, ScopeFifo, Yield};

use crate::{ThreadPoolBuildError, ThreadPoolBuilder};

/// Threads that run what they are given; they end after the pool is dropped.
///
/// ```
/// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// assert_eq!(pool.join(|| 6 * 7, || 5 * 8), (42, 40));
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
#[repr(transparent)]
pub struct ThreadPool {
    pool: Pool,
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool")
            .field("num_threads", &self.current_num_threads())
            .finish_non_exhaustive()
    }
}

impl ThreadPool {
    pub(crate) fn owned(pool: Pool) -> Self {
        ThreadPool { pool }
    }

    pub(crate) fn of(pool: &Pool) -> &Self {
        let pool = std::ptr::from_ref(pool).cast::<Self>();
        // SAFETY: from a reference that lives as long; the representation is that of `Pool`.
        unsafe { &*pool }
    }

    /// Makes the pool of `builder`.
    ///
    /// # Errors
    ///
    /// As [`ThreadPoolBuilder::build`].
    pub fn new(builder: ThreadPoolBuilder) -> Result<Self, ThreadPoolBuildError> {
        builder.build()
    }

    /// Runs `op` on a thread of this pool, and waits for it.
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        self.pool.install(op)
    }

    /// Runs `op` once on every thread of this pool, and returns the results in the order of the
    /// threads. A thread of [`use_current_thread`](ThreadPoolBuilder::use_current_thread) is one of
    /// them: a broadcast from elsewhere waits until it waits in the pool or yields to it.
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        self.pool.broadcast(op)
    }

    /// How many threads this pool has.
    pub fn current_num_threads(&self) -> usize {
        self.pool.jobs()
    }

    /// The number of the current thread in this pool, if it is in it.
    pub fn current_thread_index(&self) -> Option<usize> {
        self.pool.worker_index()
    }

    /// [`join`](crate::join()) in this pool.
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.pool.join(a, b)
    }

    /// [`scope`](crate::scope()) in this pool.
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.pool.scope(op)
    }

    /// [`scope_fifo`](crate::scope_fifo) in this pool.
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.pool.scope_fifo(op)
    }

    /// [`in_place_scope`](crate::in_place_scope) whose jobs are run by this pool.
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        self.pool.in_place_scope(op)
    }

    /// [`in_place_scope_fifo`](crate::in_place_scope_fifo) whose jobs are run by this pool.
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        self.pool.in_place_scope_fifo(op)
    }

    /// [`spawn`](crate::spawn()) in this pool.
    pub fn spawn<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        drop(self.pool.spawn(op));
    }

    /// [`spawn_fifo`](crate::spawn_fifo) in this pool.
    pub fn spawn_fifo<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        drop(self.pool.spawn_fifo(op));
    }

    /// [`spawn_broadcast`](crate::spawn_broadcast) in this pool.
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        self.pool.spawn_broadcast(op);
    }

    /// [`yield_now`](crate::yield_now) to this pool; `None` if the current thread is not in it.
    pub fn yield_now(&self) -> Option<Yield> {
        self.pool.yield_now()
    }

    /// [`yield_local`](crate::yield_local) to this pool; `None` if the current thread is not in it.
    pub fn yield_local(&self) -> Option<Yield> {
        self.pool.yield_local()
    }
}
