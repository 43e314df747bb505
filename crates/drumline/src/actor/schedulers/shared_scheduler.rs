//! Threads that share one queue of actors.

use std::fmt;
use std::io;
use std::ptr::NonNull;

use crate::actor::run_queue::RunQueue;
use crate::job::Header;
use crate::pool::local;
use crate::sync::{Arc, Mutex, lock, thread};
use crate::wait::Parker;

/// A queued run: its actor is alive until it has been run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuedRun {
    /// The core of the actor begins with it.
    pub(crate) job: NonNull<Header>,
    /// The number of the actor's pool.
    pub(crate) pool: usize,
}

// SAFETY: a run may be on any thread; it owns the actor.
unsafe impl Send for QueuedRun {}

/// Threads that run actors, with one queue for all of them, in the order in which they have got
/// messages.
///
/// It is the plainest scheduler, and has one lock that all its threads share. Its threads are not
/// those of the pool: actors that compute for long, or call into code that blocks, leave the pool
/// alone, and the number of threads is yours, also while they run. A thread that blocks is not
/// replaced.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{
///     Actor, ActorSystem, Context, Handler, Scheduler, SharedScheduler, SpawnOptions,
/// };
///
/// struct Squarer;
/// impl Actor for Squarer {}
/// impl Handler<u64> for Squarer {
///     type Reply = u64;
///     fn handle(&mut self, number: u64, _: &mut Context<Self>) -> u64 {
///         number * number
///     }
/// }
///
/// let pool = Pool::builder().jobs(1).build()?;
/// let system = ActorSystem::new(&pool);
/// let threads = SharedScheduler::new(2)?;
/// let options = SpawnOptions::new().scheduler(Scheduler::Shared(threads.clone()));
/// let squarer = system.spawn_with(Squarer, options);
/// assert_eq!(squarer.ask(12).recv(), Ok(144));
/// threads.set_threads(1)?;
/// assert_eq!(squarer.ask(5).recv(), Ok(25));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # The end
///
/// The threads end when the scheduler has been dropped, with all its clones, and all its actors are
/// gone.
#[derive(Clone)]
pub struct SharedScheduler {
    owner: Arc<Owner>,
}

/// Closes the queue at the end.
struct Owner {
    /// Held while the number of threads changes: those that could not be started must not be taken
    /// for some that are too many.
    changes: Mutex<()>,
    queue: Arc<RunQueue<QueuedRun>>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl SharedScheduler {
    /// Starts this number of threads.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, Scheduler, SharedScheduler};
    ///
    /// struct Doubler;
    /// impl Actor for Doubler {}
    /// impl Handler<u32> for Doubler {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
    ///         2 * number
    ///     }
    /// }
    ///
    /// let threads = SharedScheduler::new(2).unwrap();
    /// let system = ActorSystem::builder().scheduler(Scheduler::Shared(threads)).build_here();
    /// assert_eq!(system.spawn(Doubler).ask(21).recv(), Ok(42));
    /// ```
    ///
    /// # Errors
    ///
    /// If the system refuses a thread. Those that were started end.
    ///
    /// # Panics
    ///
    /// If `threads` is 0.
    pub fn new(threads: usize) -> io::Result<Self> {
        let scheduler = SharedScheduler {
            owner: Arc::new(Owner {
                changes: Mutex::new(()),
                queue: Arc::new(RunQueue::new()),
            }),
        };
        scheduler.set_threads(threads)?;
        Ok(scheduler)
    }

    /// Has this number of threads from now on. Nothing that is queued is lost: a thread that is one
    /// too many ends after the actor at hand.
    ///
    /// ```
    /// use drumline::actor::SharedScheduler;
    ///
    /// let scheduler = SharedScheduler::new(1).unwrap();
    /// scheduler.set_threads(3).unwrap();
    /// assert_eq!(scheduler.threads(), 3);
    /// scheduler.set_threads(2).unwrap();
    /// assert_eq!(scheduler.threads(), 2);
    /// ```
    ///
    /// # Errors
    ///
    /// If the system refuses a thread. There are as many as it has granted then.
    ///
    /// # Panics
    ///
    /// If `threads` is 0.
    pub fn set_threads(&self, threads: usize) -> io::Result<()> {
        assert!(
            threads > 0,
            "a scheduler without threads runs nothing: ask for 1 or more"
        );
        let _changes = lock(&self.owner.changes);
        let queue = &self.owner.queue;
        let missing = queue.resize(threads);
        for started in 0..missing {
            let shared = Arc::clone(queue);
            let name = String::from("drumline-actors");
            let outcome = thread::Builder::new()
                .name(name)
                .spawn(move || work(&shared));
            if let Err(error) = outcome {
                queue.not_started(missing - started);
                return Err(error);
            }
        }
        Ok(())
    }

    /// How many threads there are to be: a few more may not have ended yet.
    ///
    /// ```
    /// use drumline::actor::SharedScheduler;
    ///
    /// assert_eq!(SharedScheduler::new(2).unwrap().threads(), 2);
    /// ```
    #[must_use]
    pub fn threads(&self) -> usize {
        self.owner.queue.threads()
    }

    /// How many actors wait for a thread.
    ///
    /// ```
    /// use drumline::actor::SharedScheduler;
    ///
    /// let scheduler = SharedScheduler::new(1).unwrap();
    /// if scheduler.queued() > 100 {
    ///     scheduler.set_threads(2).unwrap(); // one is not enough
    /// }
    /// assert_eq!(scheduler.threads(), 1);
    /// ```
    #[must_use]
    pub fn queued(&self) -> usize {
        self.owner.queue.len()
    }

    /// The queue, for as long as a run is pushed.
    pub(crate) fn queue(&self) -> Arc<RunQueue<QueuedRun>> {
        Arc::clone(&self.owner.queue)
    }
}

impl fmt::Debug for SharedScheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedScheduler")
            .field("threads", &self.threads())
            .field("queued", &self.queued())
            .finish_non_exhaustive()
    }
}

/// What a thread of the scheduler does.
fn work(queue: &RunQueue<QueuedRun>) {
    let parker = std::sync::Arc::new(Parker::new());
    while let Some(run) = queue.next(&parker) {
        // So a drop of the pool on this thread does not wait for the thread.
        local::set_home(run.pool);
        // SAFETY: the actor is alive until it has been run. The run was queued here, once.
        unsafe { Header::run(run.job.as_ptr().cast_const()) };
    }
}
