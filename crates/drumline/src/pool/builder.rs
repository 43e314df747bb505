//! Describing and making a pool.

use std::any::Any;
use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::thread;

use super::build_error::{BuildError, BuildErrorKind};
use super::handle::{Pool, ScopedPool};
use super::hooks::Hooks;
use super::registry::{Registry, SharedRegistry};
use super::thread_limit::ThreadLimit;
use super::thread_starter::{
    ThreadBuilder, ThreadSettings, become_member, spawn_thread, start_workers,
};
use super::wait_policy::WaitPolicy;
use super::warning::Warning;
use super::{global, local};
use crate::jobs::{Jobs, JobsError};
use crate::sync::barrier;

type SpawnHook = Box<dyn FnMut(ThreadBuilder) -> io::Result<()>>;

/// A number of jobs as callers write it: a plain number, or [`Jobs`].
///
/// ```
/// use drumline::{Jobs, Pool};
///
/// let plain = Pool::builder().jobs(2).build()?;
/// let said = Pool::builder().jobs(Jobs::Auto).build()?;
/// assert_eq!(plain.jobs(), 2);
/// assert_eq!(said.jobs(), Jobs::Auto.resolve().get());
/// # Ok::<(), drumline::BuildError>(())
/// ```
pub trait IntoJobs: sealed::Sealed {
    /// Checks the number.
    ///
    /// ```
    /// use drumline::IntoJobs;
    ///
    /// assert_eq!(8.into_jobs().unwrap().to_string(), "8");
    /// assert!(0.into_jobs().is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// For 0, or more than [`Jobs::MAX`].
    fn into_jobs(self) -> Result<Jobs, JobsError>;
}

impl IntoJobs for usize {
    fn into_jobs(self) -> Result<Jobs, JobsError> {
        Jobs::try_from(self)
    }
}

impl IntoJobs for NonZeroUsize {
    fn into_jobs(self) -> Result<Jobs, JobsError> {
        Jobs::try_from(self.get())
    }
}

impl IntoJobs for Jobs {
    fn into_jobs(self) -> Result<Jobs, JobsError> {
        Ok(self)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl Sealed for std::num::NonZeroUsize {}
    impl Sealed for crate::Jobs {}
}

/// The description of a pool, made with [`Pool::builder`].
///
/// ```
/// use drumline::{Jobs, Pool};
///
/// let pool = Pool::builder()
///     .jobs("50%".parse::<Jobs>()?)
///     .thread_name(|index| format!("render-{index}"))
///     .panic_handler(|_payload| eprintln!("a detached task panicked"))
///     .build()?;
/// assert_eq!(pool.install(|| 6 * 7), 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a builder does nothing until it is built"]
#[derive(Default)]
pub struct PoolBuilder {
    jobs: Jobs,
    jobs_error: Option<JobsError>,
    threads: ThreadSettings,
    spawner: Option<SpawnHook>,
    use_current_thread: bool,
    broadcast_to_member: bool,
    guests: Option<bool>,
    spares: Option<bool>,
    pub(super) max_threads: Option<usize>,
    pub(super) wait_policy: WaitPolicy,
    refuse_barrier: bool,
    pub(super) hooks: Hooks,
}

impl fmt::Debug for PoolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolBuilder")
            .field("jobs", &self.jobs)
            .field("stack_size", &self.threads.stack_size)
            .field("use_current_thread", &self.use_current_thread)
            .field("broadcast_to_member", &self.broadcast_to_member)
            .field("guests", &self.guests)
            .field("spares", &self.spares)
            .field("max_threads", &self.max_threads)
            .field("wait_policy", &self.wait_policy)
            .finish_non_exhaustive()
    }
}

impl PoolBuilder {
    /// A pool with everything left to the defaults.
    ///
    /// ```
    /// let pool = drumline::PoolBuilder::new().build()?;
    /// assert!(pool.jobs() >= 1);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// How many threads may run user code at once; [`Jobs::Auto`] unless set.
    ///
    /// 0 is an error, reported by [`build`](Self::build). With 1, a call from
    /// outside runs on the calling thread alone.
    ///
    /// ```
    /// use drumline::Pool;
    ///
    /// assert_eq!(Pool::builder().jobs(3).build()?.jobs(), 3);
    /// let error = Pool::builder().jobs(0).build().unwrap_err();
    /// assert!(error.to_string().contains("use 1 for sequential"));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn jobs(mut self, jobs: impl IntoJobs) -> Self {
        match jobs.into_jobs() {
            Ok(jobs) => {
                self.jobs = jobs;
                self.jobs_error = None;
            }
            Err(error) => self.jobs_error = Some(error),
        }
        self
    }

    /// Names the threads of the pool by their number; `drumline-0` and so on
    /// unless set.
    ///
    /// The pool may ask for more names than it has jobs: for threads that take the places of
    /// blocked ones. A hook that panics is reported as for
    /// [`panic_handler`](Self::panic_handler), and a name with a NUL byte is a [`Warning`]; in
    /// both cases the thread has the default name. The hook runs on any thread that calls the
    /// pool, as if that were outside of it.
    ///
    /// ```
    /// let pool = drumline::Pool::builder()
    ///     .jobs(1)
    ///     .thread_name(|index| format!("render-{index}"))
    ///     .build()?;
    /// let name = pool.install(|| std::thread::current().name().map(String::from));
    /// assert_eq!(name.as_deref(), Some("render-0"));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn thread_name(mut self, name: impl FnMut(usize) -> String + Send + 'static) -> Self {
        self.threads.name = Some(Box::new(name));
        self
    }

    /// The stack of each thread of the pool, in bytes; 8 MiB unless set.
    ///
    /// Calls into a pool with a stack size of its own run on its threads, and
    /// so have that stack, unless [`guests`](Self::guests) says otherwise.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().stack_size(64 << 20).build()?;
    /// assert_eq!(pool.install(|| [1_u8; 32 << 20].len()), 32 << 20);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.threads.stack_size = Some(bytes);
        self
    }

    /// Called on each thread of the pool when it starts, with its number.
    ///
    /// The thread is in the pool and has a place, so the handler may do what a job may: fork,
    /// loop, spawn, block. A panic goes to the [panic handler](Self::panic_handler).
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// let (started, starts) = mpsc::channel();
    /// let pool = drumline::Pool::builder()
    ///     .jobs(2)
    ///     .start_handler(move |index| started.send(index).unwrap())
    ///     .build()?;
    /// let mut numbers = [starts.recv().unwrap(), starts.recv().unwrap()];
    /// numbers.sort();
    /// assert_eq!(numbers, [0, 1]);
    /// # drop(pool);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn start_handler(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.set_start(hook);
        self
    }

    /// Called on each thread of the pool before it ends, with its number.
    ///
    /// It may do what a [start handler](Self::start_handler) may.
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// let (ended, ends) = mpsc::channel();
    /// let pool = drumline::Pool::builder()
    ///     .jobs(2)
    ///     .exit_handler(move |index| ended.send(index).unwrap())
    ///     .build()?;
    /// pool.shutdown()?;
    /// assert_eq!(ends.iter().count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn exit_handler(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.set_exit(hook);
        self
    }

    /// Called with the payload of a panic that no thread waits for: of a detached
    /// task, or of one of these hooks. Without it, such panics are counted
    /// ([`Pool::lost_panics`]), and the [warning handler](Self::warning_handler)
    /// and the [event handler](Self::event_handler) are told of each. Either way
    /// the pool goes on.
    ///
    /// A handler is told in addition to the panic hook of the process. That hook
    /// has run when the panic began, on the thread on which it began. It prints
    /// the panic to standard error unless the program has replaced it. Drumline
    /// prints nothing then, so no panic is printed twice. No hook runs for
    /// [`resume_unwind`](std::panic::resume_unwind): a program that detaches
    /// tasks which end in that way needs one of the handlers, to hear of them.
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// let (tell, told) = mpsc::channel();
    /// let pool = drumline::Pool::builder()
    ///     .panic_handler(move |payload| tell.send(payload).unwrap())
    ///     .build()?;
    /// drop(pool.spawn(|| panic!("nobody waits for this")));
    /// let payload = told.recv()?;
    /// assert_eq!(payload.downcast_ref(), Some(&"nobody waits for this"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn panic_handler(
        mut self,
        hook: impl Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    ) -> Self {
        self.hooks.set_panic(hook);
        self
    }

    /// Called when the pool is smaller than asked, or has fewer runnable threads than
    /// jobs because of [`max_threads`](Self::max_threads). Called also when a panic is
    /// lost because there is no [panic handler](Self::panic_handler).
    ///
    /// Warnings go to the [event handler](Self::event_handler), too. If there is
    /// neither, they are printed to standard error; but not the panics, which the
    /// panic hook prints.
    ///
    /// ```
    /// let pool = drumline::Pool::builder()
    ///     .warning_handler(|warning| println!("warning: {warning}"))
    ///     .build()?;
    /// # drop(pool);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn warning_handler(mut self, hook: impl Fn(&Warning) + Send + Sync + 'static) -> Self {
        self.hooks.set_warning(hook);
        self
    }

    /// Called on each thread of the pool before anything else, with its
    /// number: the place to bind it to a processor.
    ///
    /// ```
    /// # fn bind_to_processor(_: usize) {}
    /// let pool = drumline::Pool::builder()
    ///     .jobs(2)
    ///     .pin(|index| bind_to_processor(index)) // by whatever means you like
    ///     .build()?;
    /// # drop(pool);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn pin(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.set_pin(hook);
        self
    }

    /// Starts the threads of the pool with `spawner`, which has to arrange that
    /// [`ThreadBuilder::run`] is called on a thread of its own. Threads that
    /// [`Pool::set_jobs`] adds later are started in the ordinary way.
    ///
    /// Such a pool makes no spare threads: one that [blocks](crate::blocking) is
    /// replaced only by threads that the pool has anyway, and blocking that
    /// nobody announced is not noticed.
    ///
    /// ```
    /// let pool = drumline::Pool::builder()
    ///     .jobs(2)
    ///     .spawn_handler(|thread| {
    ///         std::thread::Builder::new().spawn(|| thread.run()).map(drop)
    ///     })
    ///     .build()?;
    /// assert_eq!(pool.install(|| 6 * 7), 42);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn spawn_handler(
        mut self,
        spawner: impl FnMut(ThreadBuilder) -> io::Result<()> + 'static,
    ) -> Self {
        self.spawner = Some(Box::new(spawner));
        self
    }

    /// Makes the thread that builds the pool one of its threads, for good.
    ///
    /// It counts as one of the jobs, so one thread less is created, and has the number 0. It runs
    /// jobs of others only while it waits in one of the pool's calls. With [`WaitPolicy::Related`]
    /// it runs only what belongs to that call. The pool's memory is then kept until the process
    /// ends.
    ///
    /// In a pool with one job and without [guests](Self::guests) and [spares](Self::spares) it is
    /// the only thread. All calls from other threads, [`shutdown`](Pool::shutdown) among them, then
    /// wait until it waits in the pool, [yields](crate::yield_now()), or drops the pool. If it ends
    /// without that, they wait for ever.
    ///
    /// Broadcasts pass this thread by, unless
    /// [`broadcast_to_member`](Self::broadcast_to_member) says otherwise.
    ///
    /// ```
    /// // On a thread of its own here: a member stays one until its end.
    /// std::thread::spawn(|| {
    ///     let pool = drumline::Pool::builder().jobs(2).use_current_thread().build()?;
    ///     assert!(pool.worker_index().is_some());
    ///     assert_eq!(drumline::join(|| 1, || 2), (1, 2)); // in this pool
    ///     Ok::<(), drumline::BuildError>(())
    /// })
    /// .join()
    /// .unwrap()
    /// .unwrap();
    /// ```
    pub fn use_current_thread(mut self) -> Self {
        self.use_current_thread = true;
        self
    }

    /// Whether a [broadcast](crate::broadcast()) goes to the thread that
    /// [`use_current_thread`](Self::use_current_thread) has added, too; it does not unless set.
    ///
    /// Then a broadcast has as many results as the pool has [jobs](Self::jobs), and the result of
    /// that thread comes first. This is what rayon does.
    ///
    /// The thread runs its share when it broadcasts itself, while it waits in a call of the pool,
    /// and when it [yields](crate::yield_local()). A broadcast from another thread waits for that.
    /// A share that was [spawned](crate::spawn_broadcast()) does not keep the pool from its end.
    ///
    /// ```
    /// // On a thread of its own here: a member stays one until its end.
    /// std::thread::spawn(|| {
    ///     let pool = drumline::Pool::builder().jobs(3).use_current_thread();
    ///     let pool = pool.broadcast_to_member(true).build()?;
    ///     assert_eq!(pool.broadcast(|_| pool.worker_index().unwrap()), [0, 1, 2]);
    ///     Ok::<(), drumline::BuildError>(())
    /// })
    /// .join()
    /// .unwrap()
    /// .unwrap();
    /// ```
    pub fn broadcast_to_member(mut self, member: bool) -> Self {
        self.broadcast_to_member = member;
        self
    }

    /// Whether a call from outside runs on the calling thread, as a guest of
    /// the pool, or is handed over to one of the pool's threads.
    ///
    /// Guests are faster, and the default. A guest never waits for its turn: if
    /// more threads call at once than the pool has jobs, each of them runs its
    /// own call, and no further thread helps. Where the threads of the pool are
    /// special (their name, stack size, start or exit handler, pinning or
    /// spawner has been set) the default is to hand over.
    ///
    /// ```
    /// use std::thread;
    ///
    /// let here = thread::current().id();
    /// let open = drumline::Pool::builder().jobs(1).build()?;
    /// assert_eq!(open.install(|| thread::current().id()), here);
    ///
    /// let closed = drumline::Pool::builder().jobs(1).guests(false).build()?;
    /// assert_ne!(closed.install(|| thread::current().id()), here);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn guests(mut self, guests: bool) -> Self {
        self.guests = Some(guests);
        self
    }

    /// Whether the pool makes a spare thread for one that blocks; it does unless set.
    ///
    /// Without spares the pool has as many threads as jobs and never more. A thread that
    /// [blocks](crate::blocking) is replaced only by a thread that the pool has anyway. Threads
    /// that block without saying so are not noticed.
    /// [`max_threads`](Self::max_threads) has no effect then. Pools with a
    /// [spawner](Self::spawn_handler) and [scoped](Self::build_scoped) pools never make spares.
    ///
    /// # A table with one entry per thread
    ///
    /// In a pool without [guests](Self::guests) and without spares, this holds:
    ///
    /// - [`worker_index`](crate::worker_index()) is less than the number of jobs;
    /// - at most as many closures run at once as there are jobs;
    /// - each of those runs on a thread with an index of its own.
    ///
    /// So a table with as many entries as jobs has one for every thread:
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// use drumline::Pool;
    ///
    /// let pool = Pool::builder().jobs(2).guests(false).spares(false).build()?;
    /// let table: Vec<AtomicUsize> = (0..pool.jobs()).map(|_| AtomicUsize::new(0)).collect();
    /// pool.scope(|scope| {
    ///     for _ in 0..100 {
    ///         scope.spawn(|_| {
    ///             let index = drumline::worker_index().expect("scopes run in the pool");
    ///             table[index].fetch_add(1, Ordering::Relaxed);
    ///         });
    ///     }
    /// });
    /// assert_eq!(table.iter().map(|count| count.load(Ordering::Relaxed)).sum::<usize>(), 100);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// A closure that waits in Drumline may have another one run on top of it, on the same thread
    /// and so with the same index. It must not hold a mutable borrow of its entry meanwhile. In all
    /// other pools indices have no bound; [`WorkerLocal`](crate::WorkerLocal) is the table that
    /// works in every pool.
    ///
    /// After [`Pool::set_jobs`] the bound is the largest number of jobs that the pool has had; with
    /// fewer jobs than before, threads in excess finish what they run, and a
    /// [broadcast](crate::broadcast()) goes to all threads.
    ///
    /// # Blocking
    ///
    /// Such a pool stands still if each of its threads waits for something that only a job of this
    /// pool can bring about: a lock, a channel, a call into another pool that calls back. With
    /// [`WaitPolicy::Steal`] a thread that waits in a call of Drumline, of this pool or another
    /// one, runs other jobs of its own pool meanwhile; so does one that waits for the results of a
    /// [stream](crate::stream). A thread that waits in a source, a
    /// [queue](crate::stream::queue()) or [`blocking`](crate::blocking()) does not, nor one that
    /// has entered a pool with guests. And no waiting thread begins consumers of a stream: a
    /// stream in this pool stands still if each of the pool's threads waits for it.
    ///
    /// If the system grants such a pool no thread at all, calls run on the threads that make them.
    /// As many as there are jobs are inside at once, and others wait for their turn.
    pub fn spares(mut self, spares: bool) -> Self {
        self.spares = Some(spares);
        self
    }

    /// Behaves as on a system that refuses the asymmetric barrier.
    #[cfg(test)]
    pub(crate) fn refuse_barrier(mut self) -> Self {
        self.refuse_barrier = true;
        self
    }

    /// Makes the pool.
    ///
    /// A thread that cannot be created is a [`Warning`], not an error: the
    /// pool goes on with fewer, and with none it runs everything on the
    /// threads that call it.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// assert_eq!(pool.join(|| 1, || 2), (1, 2));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of jobs makes no sense, or is more than
    /// [`max_threads`](Self::max_threads); or if [`use_current_thread`](Self::use_current_thread)
    /// is asked for on a thread that is in a pool already.
    ///
    pub fn build(mut self) -> Result<Pool, BuildError> {
        let registry = self.make_registry(self.spawner.is_none())?;
        let pool = Pool::from_registry(SharedRegistry::clone(&registry));
        let member = self.add_member(&registry);
        match self.spawner.take() {
            Some(mut spawner) => self.start(&registry, &mut *spawner),
            None => self.start(&registry, &mut spawn_thread),
        }
        if let Some(index) = member {
            become_member(&registry, index);
        }
        Ok(pool)
    }

    /// Makes this the global pool, which the free functions use.
    ///
    /// For programs, at their start; a library that does it takes the choice
    /// away from the program.
    ///
    /// ```
    /// drumline::PoolBuilder::new().jobs(2).build_global()?;
    /// assert_eq!(drumline::current_jobs(), 2);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build); and if the global pool exists already,
    /// because somebody made it or used it.
    pub fn build_global(self) -> Result<(), BuildError> {
        global::build(self)
    }

    /// Says how the global pool is to be made, when it is first used.
    ///
    /// Unlike [`build_global`](Self::build_global) this starts no thread. It
    /// also holds in forked children, where the global pool is made anew. The
    /// last call before the first use counts.
    ///
    /// For programs; a library that does it takes the choice away from the
    /// program. `describe` must not use the global pool.
    ///
    /// ```
    /// use drumline::{Pool, PoolBuilder};
    ///
    /// PoolBuilder::describe_global(|| Pool::builder().jobs(2).guests(false).spares(false))?;
    /// assert_eq!(drumline::current_jobs(), 2); // asking does not make it
    /// let (index, _) = drumline::join(drumline::worker_index, || ());
    /// assert!(index.unwrap() < 2);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the global pool exists already, because it was made or used.
    ///
    /// # Panics
    ///
    /// The first use panics if the pool cannot be built as described.
    pub fn describe_global(describe: fn() -> PoolBuilder) -> Result<(), BuildError> {
        global::describe(describe)
    }

    /// The number of jobs that the pool will have, if it can be built.
    pub(super) fn described_jobs(&self) -> usize {
        self.jobs.resolve().get()
    }

    /// Makes a pool whose threads may borrow from this frame: each is started
    /// by `wrapper`, which runs it between its own set-up and clean-up, and all
    /// have ended when this returns.
    ///
    /// Threads that [`Pool::set_jobs`] adds later are not started by `wrapper`.
    /// There are no spare threads: one that [blocks](crate::blocking) is replaced
    /// only by threads that the pool has anyway, and blocking that nobody
    /// announced is not noticed.
    ///
    /// ```
    /// let greeting = String::from("hello");
    /// let length = drumline::Pool::builder().jobs(2).build_scoped(
    ///     |thread| {
    ///         assert_eq!(greeting.len(), 5); // borrowed by a thread of the pool
    ///         thread.run()
    ///     },
    ///     |pool| pool.install(|| greeting.len()),
    /// )?;
    /// assert_eq!(length, 5);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    ///
    /// # Panics
    ///
    /// Where `with_pool` or `wrapper` does, after the threads have ended.
    ///
    /// # Blocking
    ///
    /// Until all that was spawned in the pool has ended, and each [`ThreadBuilder`] has been run or
    /// dropped.
    pub fn build_scoped<W, F, R>(mut self, wrapper: W, with_pool: F) -> Result<R, BuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&Pool) -> R,
    {
        let registry = self.make_registry(false)?;
        let wrapper = &wrapper;
        let result = thread::scope(|scope| {
            // Ends at the end of this closure, also by a panic: the scope waits for its threads.
            let pool = ScopedPool::new(SharedRegistry::clone(&registry));
            let member = self.add_member(&registry);
            self.start(&registry, &mut |builder: ThreadBuilder| {
                let mut thread = thread::Builder::new();
                if let Some(name) = builder.name() {
                    thread = thread.name(name.to_owned());
                }
                thread
                    .stack_size(builder.stack_size())
                    .spawn_scoped(scope, move || wrapper(builder))
                    .map(drop)
            });
            if let Some(index) = member {
                become_member(&registry, index);
            }
            with_pool(pool.get())
        });
        Ok(result)
    }

    fn make_registry(&mut self, spares: bool) -> Result<SharedRegistry, BuildError> {
        if let Some(error) = self.jobs_error.take() {
            return Err(BuildError {
                kind: BuildErrorKind::Jobs(error),
            });
        }
        if self.use_current_thread && local::seat().is_some() {
            return Err(BuildError {
                kind: BuildErrorKind::AlreadyMember,
            });
        }
        let places = self.jobs.resolve().get();
        if let Some(max) = self.max_threads.filter(|&max| max < places) {
            return Err(BuildError {
                kind: BuildErrorKind::MaxThreads { max, jobs: places },
            });
        }
        let hooks = std::mem::take(&mut self.hooks);
        let special = self.threads.name.is_some()
            || self.threads.stack_size.is_some()
            || self.spawner.is_some()
            || hooks.are_for_threads();
        let members = usize::from(self.use_current_thread);
        let barrier = if self.refuse_barrier {
            barrier::Barrier::Refused
        } else {
            barrier::choose()
        };
        let guests = self.guests.unwrap_or(!special);
        let spares = spares && self.spares.unwrap_or(true);
        let threads = std::mem::take(&mut self.threads);
        let limit = ThreadLimit::new(self.max_threads, members, spares);
        let policy = self.wait_policy;
        let registry = Registry::new(places, guests, policy, hooks, threads, barrier, limit);
        for _ in 0..members {
            registry.add_member();
        }
        Ok(registry)
    }

    /// The seat of the current thread, if that is to be a member. It has the first number, and is
    /// taken when nothing can fail any more.
    fn add_member(&self, registry: &Registry) -> Option<usize> {
        let seat = self.use_current_thread.then(|| registry.add_seat())?;
        if self.broadcast_to_member {
            registry.broadcast_to(seat);
        }
        Some(seat)
    }

    fn start(
        &mut self,
        registry: &SharedRegistry,
        spawner: &mut dyn FnMut(ThreadBuilder) -> io::Result<()>,
    ) {
        let wanted = registry.jobs() - registry.members();
        start_workers(registry, wanted, spawner);
    }
}
