//! Describing and making a pool.
//!
//! | file | noun |
//! |---|---|
//! | `into_jobs` | numbers of jobs, as callers write them |
//! | `thread_hooks` | names, handlers, and how threads are started |
//! | `environment` | the number of jobs that the environment names |
//! | `build` | making the pool |

mod build;
#[cfg(feature = "env")]
mod environment;
mod into_jobs;
mod thread_hooks;

#[cfg(feature = "env")]
pub(super) use environment::EnvironmentError;
pub use into_jobs::IntoJobs;

use std::fmt;
use std::io;

use crate::jobs::{Jobs, JobsError};
use crate::pool::shared::hooks::Hooks;
use crate::pool::shared::thread_requests::ThreadSettings;
use crate::pool::shared::wait_policy::WaitPolicy;
use crate::pool::workers::thread_builder::ThreadBuilder;

type SpawnHook = Box<dyn FnMut(ThreadBuilder) -> io::Result<()>>;

/// The description of a pool, made with [`Pool::builder`](crate::Pool::builder).
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
#[doc(alias = "ThreadPoolBuilder")]
#[must_use = "a builder does nothing until it is built"]
#[derive(Default)]
pub struct PoolBuilder {
    /// `None`: not set.
    jobs: Option<Jobs>,
    jobs_error: Option<JobsError>,
    threads: ThreadSettings,
    spawner: Option<SpawnHook>,
    use_current_thread: bool,
    broadcast_to_member: bool,
    guests: Option<bool>,
    spares: Option<bool>,
    max_threads: Option<usize>,
    wait_policy: WaitPolicy,
    refuse_barrier: bool,
    hooks: Hooks,
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
    /// With the feature `env`, what the environment variable `DRUMLINE_JOBS` says unless set: one
    /// of the [forms](Jobs) of a `--jobs` option.
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
    #[doc(alias = "num_threads")]
    pub fn jobs(mut self, jobs: impl IntoJobs) -> Self {
        match jobs.into_jobs() {
            Ok(jobs) => {
                self.jobs = Some(jobs);
                self.jobs_error = None;
            }
            Err(error) => self.jobs_error = Some(error),
        }
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

    /// Makes the thread that builds the pool one of its threads, for good.
    ///
    /// It counts as one of the jobs, so one thread less is created, and has the number 0. It runs
    /// jobs of others only while it waits in one of the pool's calls. With [`WaitPolicy::Related`]
    /// it runs only what belongs to that call. The pool's memory is then kept until the process
    /// ends.
    ///
    /// In a pool with one job and without [guests](Self::guests) and [spares](Self::spares) it is
    /// the only thread. All calls from other threads, [`shutdown`](crate::Pool::shutdown) among
    /// them, then wait until it waits in the pool, [yields](crate::yield_now()), or drops the pool.
    /// If it ends without that, they wait for ever.
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
    ///
    /// # Blocking
    ///
    /// A guest computes. So a call from a thread of an async runtime (`install`, `scope`, `join`,
    /// an iterator) holds up the other tasks of that thread. There, [spawn](crate::spawn()) the
    /// work and await its handle.
    ///
    /// A guest has a place while its call runs, and a free place goes to the thread that comes
    /// first, however long others have waited. So guests that call in a loop, at least as many as
    /// there are places, can keep the workers from tasks that were [spawned](crate::spawn()): for
    /// seconds, or as long as they go on. To avoid that,
    ///
    /// - hand the calls over (`guests(false)`): calls and tasks then take turns;
    /// - or have some of the calls run a task each, with [`yield_now`](crate::yield_now());
    /// - or join the tasks in the calls: a guest that [joins](crate::JoinHandle::join) a task that
    ///   no thread has begun runs it;
    /// - or make the pool larger by a job than there are threads that call in a loop.
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
    /// - [`worker_index`](crate::worker_index()) is less than the number of jobs, or than the
    ///   largest one that [`set_jobs`](crate::Pool::set_jobs) has set;
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
    /// After [`Pool::set_jobs`](crate::Pool::set_jobs) the bound is the largest number of jobs that
    /// the pool has had; with fewer jobs than before, threads in excess finish what they run, and a
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

    /// How many threads the pool may have in all. Unless set: 10,000, or half of
    /// what the system lets this process have, if that is less.
    ///
    /// This counts every thread of the pool: the workers, the thread of
    /// [`use_current_thread`](Self::use_current_thread), the spares, and the monitor, which looks
    /// after threads that block without saying so. Guests are no threads of the pool and are not
    /// counted. With `max_threads` equal to the number of jobs the pool makes no spares. Then a
    /// blocked thread is replaced only by a worker that is idle, because a guest has its place.
    ///
    /// A pool has as many threads as jobs, and makes a spare one for each that
    /// [blocks](crate::blocking), so that the number of runnable threads stays.
    /// At this limit blocked threads are not replaced, and the pool
    /// [warns](Self::warning_handler): it could do more than it does, or it could
    /// stand still, if all threads wait for a job that none is left to run. Raise
    /// the limit, or look at what the threads wait for.
    ///
    /// Blocking that was not announced is noticed by a thread that is idle. Where all threads that
    /// there may be are busy or blocked, no thread is left to notice it. The pool warns of that
    /// ([`Warning::NoMonitor`](crate::Warning::NoMonitor)) when it has noticed such blocking
    /// before.
    ///
    /// A later [`Pool::set_jobs`](crate::Pool::set_jobs) may ask for more than this; the limit is
    /// then the number of jobs. A thread that has left the pool is not counted while it destroys
    /// its thread-local state.
    ///
    /// ```
    /// use drumline::Pool;
    ///
    /// let pool = Pool::builder().jobs(2).max_threads(100).build()?;
    /// # drop(pool);
    /// let error = Pool::builder().jobs(4).max_threads(3).build().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "max_threads = 3 is less than jobs = 4; raise it or leave it out",
    /// );
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn max_threads(mut self, threads: usize) -> Self {
        self.max_threads = Some(threads);
        self
    }

    /// What a thread of the pool runs while it waits;
    /// [`WaitPolicy::Related`] unless set, which is the safe choice.
    ///
    /// ```
    /// use drumline::{Pool, WaitPolicy};
    ///
    /// // No job of this program holds anything while it waits.
    /// let pool = Pool::builder().jobs(2).wait_policy(WaitPolicy::Steal).build()?;
    /// assert_eq!(pool.join(|| 1, || 2), (1, 2));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn wait_policy(mut self, policy: WaitPolicy) -> Self {
        self.wait_policy = policy;
        self
    }

    /// Behaves as on a system that refuses the asymmetric barrier.
    #[cfg(test)]
    pub(crate) fn refuse_barrier(mut self) -> Self {
        self.refuse_barrier = true;
        self
    }
}
