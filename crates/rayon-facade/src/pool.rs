//! A pool of one's own.

use std::fmt;

use drumline::{Pool, Yield};
use ref_cast::RefCast;

use crate::{BroadcastContext, Scope, ScopeFifo, ThreadPoolBuildError, ThreadPoolBuilder};

/// Threads that run what they are given; they end after the pool is dropped.
///
/// ```
/// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// assert_eq!(pool.join(|| 6 * 7, || 5 * 8), (42, 40));
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
#[derive(RefCast)]
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
        Self::ref_cast(pool)
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
    ///
    /// ```
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// assert_eq!(pool.broadcast(|context| context.index() * 10), [0, 10]);
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
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
        self.pool
            .broadcast(|context| op(BroadcastContext::new(context)))
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
    ///
    /// ```
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let mut value = 0;
    /// pool.scope(|scope| scope.spawn(|_| value = 1));
    /// assert_eq!(value, 1);
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope()); and in a forked child.
    ///
    /// # Blocking
    ///
    /// As [`scope`](crate::scope()).
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.pool.scope(|scope| op(Scope::ref_cast(scope)))
    }

    /// [`scope_fifo`](crate::scope_fifo()) in this pool.
    ///
    /// ```
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let mut value = 0;
    /// pool.scope_fifo(|scope| scope.spawn_fifo(|_| value = 1));
    /// assert_eq!(value, 1);
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope()); and in a forked child.
    ///
    /// # Blocking
    ///
    /// As [`scope`](crate::scope()).
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.pool.scope_fifo(|scope| op(ScopeFifo::ref_cast(scope)))
    }

    /// [`in_place_scope`](crate::in_place_scope) whose jobs are run by this pool.
    ///
    /// ```
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let mut value = 0;
    /// pool.in_place_scope(|scope| scope.spawn(|_| value = 1));
    /// assert_eq!(value, 1);
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope()).
    ///
    /// # Blocking
    ///
    /// As [`in_place_scope`](crate::in_place_scope).
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        self.pool.in_place_scope(|scope| op(Scope::ref_cast(scope)))
    }

    /// [`in_place_scope_fifo`](crate::in_place_scope_fifo) whose jobs are run by this pool.
    ///
    /// ```
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let mut value = 0;
    /// pool.in_place_scope_fifo(|scope| scope.spawn_fifo(|_| value = 1));
    /// assert_eq!(value, 1);
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope()).
    ///
    /// # Blocking
    ///
    /// As [`in_place_scope`](crate::in_place_scope).
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        self.pool
            .in_place_scope_fifo(|scope| op(ScopeFifo::ref_cast(scope)))
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
    ///
    /// ```
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let (send, receive) = std::sync::mpsc::channel();
    /// pool.spawn_broadcast(move |context| send.send(context.index()).unwrap());
    /// let mut seen: Vec<usize> = receive.iter().collect();
    /// seen.sort();
    /// assert_eq!(seen, [0, 1]);
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        self.pool
            .spawn_broadcast(move |context| op(BroadcastContext::new(context)));
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
