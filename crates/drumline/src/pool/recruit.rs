//! Starting the threads of a pool.

use std::io;

use super::registry::{Registry, Shared};
use super::warning::Warning;
use super::{local, starved, worker};
use crate::sync;

/// Names a thread by its number.
pub(super) type NameHook = Box<dyn FnMut(usize) -> String + Send>;

/// The stack of a worker unless told otherwise: that of a main thread.
const STACK_SIZE: usize = 8 << 20;

/// What every thread of a pool gets.
#[derive(Default)]
pub(crate) struct Recruiter {
    pub(super) name: Option<NameHook>,
    pub(super) stack_size: Option<usize>,
}

/// Starts workers until there are `wanted`, or the system refuses.
pub(super) fn start_workers(
    registry: &Shared,
    wanted: usize,
    spawner: &mut dyn FnMut(ThreadBuilder) -> io::Result<()>,
) {
    // Held throughout: two callers together start no more than are wanted.
    let mut recruiter = sync::lock(registry.recruiter());
    for have in registry.workers()..wanted {
        if !registry.line().hire(wanted) {
            // Spares are there instead; they work like any worker.
            return;
        }
        let index = registry.add_seat();
        registry.alive_up();
        let life = Life(Shared::clone(registry));
        let builder = ThreadBuilder {
            name: recruiter.name.as_mut().map(|name| name(index)),
            stack_size: recruiter.stack_size.unwrap_or(STACK_SIZE),
            index,
            spare: false,
            life,
        };
        match spawner(builder) {
            Ok(()) => registry.count_worker(index),
            Err(error) => {
                registry.line().unhire();
                registry.give_seat_back(index);
                drop(recruiter);
                registry.warn(&Warning::ThreadNotCreated {
                    have,
                    wanted,
                    error,
                });
                return;
            }
        }
    }
}

/// Starts a worker to take the place of one that blocks. If the system
/// refuses, that is tried again when a thread ends.
#[cold]
pub(super) fn start_spare(registry: &Registry) {
    registry.reap();
    let index = registry.spare_seat();
    registry.alive_up();
    let builder = {
        let mut recruiter = sync::lock(registry.recruiter());
        ThreadBuilder {
            name: recruiter.name.as_mut().map(|name| name(index)),
            stack_size: recruiter.stack_size.unwrap_or(STACK_SIZE),
            index,
            spare: true,
            life: Life(registry.share()),
        }
    };
    registry.count_spare(index);
    match spawn_thread(builder) {
        Ok(()) => registry.limit_over(),
        Err(error) => {
            registry.dismiss_spare(registry.seat(index));
            registry.line().unhire();
            starved::add(registry);
            let have = registry.threads();
            registry.warn(&Warning::ThreadNotCreated {
                have,
                wanted: have + 1,
                error,
            });
        }
    }
}

/// Changes the number of jobs of a live pool.
pub(crate) fn resize(registry: &Shared, jobs: usize) {
    let workers = jobs.saturating_sub(registry.members());
    // A fixed pool without threads has its calls run on their callers for good: the indices of
    // those are less than the number of jobs already.
    if !(registry.is_fixed() && registry.has_guests()) {
        start_workers(registry, workers, &mut spawn_thread);
    }
    registry.wake(registry.line().set_places(jobs, &|| registry.has_work()));
    registry.call_waiting();
}

/// The ordinary way to start a thread.
pub(super) fn spawn_thread(builder: ThreadBuilder) -> io::Result<()> {
    let mut thread = sync::thread::Builder::new().stack_size(builder.stack_size());
    thread = thread.name(match builder.name() {
        Some(name) => name.to_owned(),
        None => format!("drumline-{}", builder.index()),
    });
    let registry = Shared::clone(&builder.life.0);
    let spare = builder.spare;
    let handle = thread.spawn(move || builder.run())?;
    if spare {
        registry.keep_spare_handle(handle);
    } else {
        registry.keep_handle(handle);
    }
    Ok(())
}

/// Seats the current thread in the pool for good, in a seat that was added for it.
pub(super) fn become_member(registry: &Shared, index: usize) {
    // Leaked: the thread's cells point into it from now on.
    let registry: &'static Registry = Box::leak(Box::new(Shared::clone(registry)));
    let seat = registry.seat_member(index);
    seat.conduct().move_in(sync::thread::current().name());
    std::mem::forget(local::switch(seat, seat.first_deque()));
}

/// A thread that a pool wants to have; see
/// [`PoolBuilder::spawn_handler`](crate::PoolBuilder::spawn_handler).
///
/// It has to be [run](Self::run). A spawner that reports success and then drops
/// it leaves the pool counting on a thread that is not there: a broadcast waits
/// for it for ever, and so may a call that is handed over.
///
/// ```
/// use std::thread;
///
/// let pool = drumline::Pool::builder()
///     .jobs(2)
///     .thread_name(|index| format!("mine-{index}"))
///     .stack_size(2 << 20)
///     .spawn_handler(|builder| {
///         let mut thread = thread::Builder::new().stack_size(builder.stack_size());
///         if let Some(name) = builder.name() {
///             thread = thread.name(name.to_owned());
///         }
///         println!("starting thread {}", builder.index());
///         thread.spawn(|| builder.run()).map(drop)
///     })
///     .build()?;
/// assert_eq!(pool.install(|| 6 * 7), 42);
/// # Ok::<(), drumline::BuildError>(())
/// ```
#[derive(Debug)]
pub struct ThreadBuilder {
    name: Option<String>,
    stack_size: usize,
    index: usize,
    spare: bool,
    life: Life,
}

impl ThreadBuilder {
    /// The number that the thread will have in its pool.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The name that was asked for, if any.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The stack that was asked for, in bytes.
    pub fn stack_size(&self) -> usize {
        self.stack_size
    }

    /// Is a worker of the pool, until the pool ends.
    ///
    /// # Blocking
    ///
    /// Until the pool has been dropped or shut down, and all that was spawned
    /// in it has ended.
    pub fn run(self) {
        worker::run(&self.life.0, self.index, self.spare);
        drop(self.life);
        starved::retry();
    }
}

/// Counts a worker as alive until it is dropped, whether it ran or not.
#[derive(Debug)]
struct Life(Shared);

impl Drop for Life {
    fn drop(&mut self) {
        self.0.alive_down();
    }
}
