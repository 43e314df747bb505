//! The handle of a pool.

use std::fmt;

use super::builder::PoolBuilder;
use crate::pool::calls::stand_in;
use crate::pool::shared::local;
use crate::pool::shared::shared_registry::SharedRegistry;
use crate::pool::waiting::hand_over;
use crate::pool::waiting::yielding::{self, Yield};

/// A pool of threads for fork/join and spawned tasks.
///
/// Most programs need none of their own: the free functions use a global pool
/// that is made on first use. A pool of one's own has its own number of jobs,
/// thread names, handlers.
///
/// ```
/// let pool = drumline::Pool::builder().jobs(2).build()?;
/// let (a, b) = pool.join(|| 1 + 1, || 2 + 2);
/// assert_eq!((a, b), (2, 4));
/// pool.shutdown()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Dropping
///
/// Dropping the handle lets the pool finish all that was spawned, in the
/// background, and then ends its threads. If the pool has nothing to do, the
/// drop waits for the threads, so that pools made and dropped one after another
/// do not pile up. It does not wait if it happens inside the pool itself, or while the program
/// keeps a [`ThreadBuilder`](crate::pool::ThreadBuilder) of it. The wait ends as well when there is
/// something to do after all, for which no handle is needed: a thread asks an
/// [iterator](crate::stream::Results) of a stream for its next result, a
/// [member](PoolBuilder::use_current_thread) begins something, the handle of a task that has
/// panicked is dropped, or a thread of the pool comes late and has a
/// [start handler](PoolBuilder::start_handler) to run.
/// [`shutdown`](Self::shutdown) waits in every case.
///
/// A pool without threads of its own, in which a [member](PoolBuilder::use_current_thread) has left
/// tasks behind, starts a thread for them. If the system refuses it, the thread that drops the pool
/// runs them. If the member is all that the pool may have, it runs them itself: when it drops the
/// pool, or when it next waits in the pool or yields.
///
/// # Forking
///
/// In a child process made by `fork`, a pool of the parent has no threads.
/// Calling it there panics with a message that says so; calls that are already
/// inside go on alone, and panic where they would have to wait for a thread of
/// the parent. Dropping it does nothing. The global pool is made anew in the
/// child on first use.
///
/// A job that calls `fork` on a worker goes on in the child, too. When it has returned there, that
/// worker runs nothing else, and its thread ends. It is the only one, so on most systems the child
/// ends with it, as if `exit(0)` had been called. To end it otherwise, let the job do so.
#[doc(alias = "ThreadPool")]
pub struct Pool {
    registry: SharedRegistry,
    /// The threads have been told to end, and have.
    closed: bool,
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("jobs", &self.jobs())
            .finish_non_exhaustive()
    }
}

impl Pool {
    /// Starts to describe a pool.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// assert_eq!(pool.jobs(), 2);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn builder() -> PoolBuilder {
        PoolBuilder::new()
    }

    pub(crate) fn from_registry(registry: SharedRegistry) -> Self {
        Pool {
            registry,
            closed: false,
        }
    }

    pub(crate) fn registry(&self) -> &SharedRegistry {
        &self.registry
    }

    /// Runs `op` in this pool and returns its result: `join`, `scope` and the
    /// like inside `op` use this pool.
    ///
    /// If the pool takes guests (see [`PoolBuilder::guests`]) `op` runs on the
    /// calling thread, which is a member of the pool meanwhile: no hand-over,
    /// no context switch. Otherwise one of the pool's threads runs it.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// assert_eq!(pool.install(drumline::current_jobs), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Where `op` panics, with its payload; and in a forked child.
    ///
    /// # Blocking
    ///
    /// Until `op` has returned.
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        hand_over::install(&self.registry, op)
    }

    /// The number of jobs: how many threads may run user code at once.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(3).build()?;
    /// assert_eq!(pool.jobs(), 3);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    #[must_use]
    #[doc(alias = "current_num_threads")]
    pub fn jobs(&self) -> usize {
        self.registry.jobs()
    }

    /// The number of the current thread in this pool; `None` if it is not in it.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(1).build()?;
    /// assert_eq!(pool.worker_index(), None);
    /// assert!(pool.install(|| pool.worker_index()).is_some());
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    #[doc(alias = "current_thread_index")]
    pub fn worker_index(&self) -> Option<usize> {
        local::find(&self.registry).map(crate::pool::shared::seat::Seat::index)
    }

    /// Changes the number of jobs of the live pool.
    ///
    /// Raising it starts threads where they are missing; lowering it lets
    /// threads finish what they are running and then stand idle. Added threads
    /// are named, sized and hooked like the others, but come from no custom
    /// spawner.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(1).build()?;
    /// pool.set_jobs(2)?;
    /// assert_eq!(pool.jobs(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// For 0, or more than [`Jobs::MAX`](crate::Jobs::MAX); the pool is
    /// unchanged. If a thread cannot be created, that is a
    /// [`Warning`](crate::pool::Warning), and the pool goes on with fewer.
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn set_jobs(&self, jobs: impl super::builder::IntoJobs) -> Result<(), crate::JobsError> {
        self.registry.forbid_fork();
        let jobs = jobs.into_jobs()?.resolve().get();
        crate::pool::workers::thread_starter::resize(&self.registry, jobs);
        Ok(())
    }

    /// How many panics were reported to no handler: those of detached tasks and of handlers, if the
    /// pool has no panic handler (or if that handler panicked itself).
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(1).build()?;
    /// drop(pool.spawn(|| panic!("no handle waits for this")));
    /// while pool.lost_panics() == 0 {
    ///     std::thread::yield_now();
    /// }
    /// assert_eq!(pool.lost_panics(), 1);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    #[must_use]
    pub fn lost_panics(&self) -> usize {
        self.registry.hooks().lost_panics()
    }

    /// Finishes all that was spawned, ends the threads, and waits for them.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// static DONE: AtomicU32 = AtomicU32::new(0);
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// for _ in 0..10 {
    ///     drop(pool.spawn(|| DONE.fetch_add(1, Ordering::Relaxed)));
    /// }
    /// pool.shutdown()?;
    /// assert_eq!(DONE.load(Ordering::Relaxed), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// From inside the pool it cannot wait for itself: the handle comes back
    /// in the error, and the pool goes on. A handler of the pool is inside, on whichever
    /// thread it runs, and so is thread-local state of the pool's threads that is being
    /// destroyed.
    ///
    /// # Panics
    ///
    /// In a forked child.
    ///
    /// # Blocking
    ///
    /// Until every spawned task has ended; forever if one never does. If a
    /// [member](PoolBuilder::use_current_thread) is the pool's only thread, until that thread has
    /// run the tasks.
    pub fn shutdown(mut self) -> Result<(), ShutdownError> {
        if local::is_inside(&self.registry) {
            return Err(ShutdownError { pool: self });
        }
        self.registry.forbid_fork();
        self.end();
        Ok(())
    }

    /// Ends the pool, and waits for that.
    fn end(&mut self) {
        self.close();
        self.registry.wait_ended();
        self.closed = true;
    }

    /// Tells the threads that nothing more comes from outside. `true`: the pool was at rest.
    fn close(&self) -> bool {
        let registry = &self.registry;
        // The futures that wait are dropped.
        for run in registry.suspended().close() {
            registry.inject(run);
        }
        let (wake, is_at_rest) = registry.idle_set().close(&|| registry.has_work());
        registry.wake(wake);
        stand_in::see_to_the_rest(registry);
        registry.lifetime().end();
        is_at_rest
    }

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
        self.run_one(true)
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
        self.run_one(false)
    }

    fn run_one(&self, everywhere: bool) -> Option<Yield> {
        let seat = local::find(self.registry())?;
        // There may be calls into other pools in between.
        let _reentry = local::reenter(seat);
        Some(yielding::step(seat, everywhere))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.closed {
            return;
        }
        if self.registry.is_forked() {
            // Its threads, and perhaps its locks, belong to another process.
            std::mem::forget(SharedRegistry::clone(&self.registry));
            return;
        }
        let is_at_rest = self.close();
        let registry = &self.registry;
        let ends_soon = is_at_rest && !registry.lifetime().awaits_threads();
        if ends_soon && !local::is_inside(registry) {
            registry.wait_undisturbed();
        }
    }
}

/// A pool that has ended when this is dropped.
pub(crate) struct ScopedPool(Pool);

impl ScopedPool {
    pub(crate) fn new(registry: SharedRegistry) -> Self {
        ScopedPool(Pool::from_registry(registry))
    }

    pub(crate) fn get(&self) -> &Pool {
        &self.0
    }
}

/// The dropping thread has built the pool. It may be a member for good, and no worker.
impl Drop for ScopedPool {
    fn drop(&mut self) {
        if !self.0.registry.is_forked() {
            self.0.end();
        }
    }
}

/// The pool could not be shut down, because the calling thread is in it.
///
/// ```
/// use std::sync::mpsc;
///
/// let (send, receive) = mpsc::channel::<drumline::Pool>();
/// let pool = drumline::Pool::builder().jobs(1).build()?;
/// let task = pool.spawn(move || {
///     let error = receive.recv().unwrap().shutdown().unwrap_err();
///     error.into_pool()
/// });
/// send.send(pool)?;
/// let pool = task.join().unwrap();
/// pool.shutdown()?; // from outside it works
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ShutdownError {
    pool: Pool,
}

impl ShutdownError {
    /// The pool, unharmed.
    ///
    /// ```
    /// let (send, receive) = std::sync::mpsc::channel::<drumline::Pool>();
    /// let pool = drumline::Pool::builder().jobs(1).build()?;
    /// let task = pool.spawn(move || {
    ///     // A job cannot wait for the end of the pool that it is in.
    ///     let error = receive.recv().unwrap().shutdown().unwrap_err();
    ///     error.into_pool()
    /// });
    /// send.send(pool)?;
    /// assert_eq!(task.join().unwrap().jobs(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn into_pool(self) -> Pool {
        self.pool
    }
}

impl fmt::Debug for ShutdownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShutdownError").finish_non_exhaustive()
    }
}

impl fmt::Display for ShutdownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a pool cannot wait for its own end from one of its threads; \
             call shutdown from outside, or drop the pool to let it end by itself",
        )
    }
}

impl std::error::Error for ShutdownError {}
