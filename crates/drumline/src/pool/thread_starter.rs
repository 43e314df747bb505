//! Starting the threads of a pool.
//!
//! One thread at a time starts threads, on its own account or on that of others: it *serves* the
//! requests. A thread that has a request while another one serves leaves it there and goes on. So
//! no thread waits for the hooks that run meanwhile: the name of a thread, the program's own way
//! to start one. A hook that asks for threads itself does not wait for itself.
//!
//! A thread that was asked for is counted before it is started. Its [`ThreadBuilder`] is the
//! record of that: [run](ThreadBuilder::run), it becomes the thread; dropped, the count is taken
//! back. So the pool never counts on a thread that will not come, whatever a spawner says.

use std::io;

use super::hooks::{self, NameHook};
use super::observe::warning::Warning;
use super::refusal::Refusals;
use super::registry::{Registry, SharedRegistry};
use super::{local, spawn_retry, stand_in, worker};
use crate::platform::thread_quota;
use crate::sync::{self, Instant, Mutex, lock};
use crate::unwind;

/// The stack of a worker unless told otherwise: that of a main thread.
const STACK_SIZE: usize = 8 << 20;

/// One more spare is started ahead for this many threads that block.
const BLOCKED_PER_SPARE_AHEAD: usize = 8;
/// No more spares are started ahead at a time.
const MAX_SPARES_AHEAD: usize = 15;

/// What every thread of a pool gets.
#[derive(Default)]
pub(crate) struct ThreadSettings {
    pub(super) name: Option<NameHook>,
    pub(super) stack_size: Option<usize>,
}

/// The requests for threads of one pool.
pub(crate) struct ThreadStarter {
    requests: Mutex<Requests>,
    stack_size: usize,
}

struct Requests {
    /// The name hook; away while it runs.
    name: Option<NameHook>,
    /// How many workers are asked for and not started.
    workers: usize,
    /// How many spares are asked for and not started.
    spares: usize,
    /// Whether a thread serves the requests.
    served: bool,
    refusals: Refusals,
}

/// What a thread is started for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ThreadKind {
    /// One of the pool's jobs.
    Worker,
    /// The place of a thread that blocks.
    Spare,
}

impl ThreadStarter {
    pub(super) fn new(settings: ThreadSettings) -> Self {
        ThreadStarter {
            requests: Mutex::new(Requests {
                name: settings.name,
                workers: 0,
                spares: 0,
                served: false,
                refusals: Refusals::new(),
            }),
            stack_size: settings.stack_size.unwrap_or(STACK_SIZE),
        }
    }

    /// The stack of a thread, in bytes.
    pub(super) fn stack_size(&self) -> usize {
        self.stack_size
    }

    /// Takes note of a request. Returns whether the caller has to serve it, and all that come
    /// meanwhile.
    #[must_use]
    fn ask(&self, note: impl FnOnce(&mut Requests)) -> bool {
        let mut requests = lock(&self.requests);
        note(&mut requests);
        !std::mem::replace(&mut requests.served, true)
    }

    /// The next request, for a thread that is counted from now on. With none left, the caller no
    /// longer serves.
    fn next(&self, registry: &Registry) -> Option<(ThreadKind, usize)> {
        let mut requests = lock(&self.requests);
        if requests.workers > 0 {
            let wanted = registry.workers() + requests.workers;
            // The idle set says no where spares are allowed, and the seats where none are.
            let is_fixed = registry.is_fixed();
            let is_wanted = is_fixed || registry.idle_set().expect_worker(wanted);
            if let Some(index) = is_wanted.then(|| registry.seat_worker()).flatten() {
                if is_fixed {
                    let is_wanted = registry.idle_set().expect_worker(wanted);
                    debug_assert!(is_wanted, "a fixed pool has no limit on workers");
                }
                requests.workers -= 1;
                return Some((ThreadKind::Worker, index));
            }
            // Spares are there instead, and work like any worker; or the seats are for callers.
            requests.workers = 0;
        }
        while requests.spares > 0 {
            requests.spares -= 1;
            if requests.refusals.is_put_off() {
                registry.wake(
                    registry
                        .idle_set()
                        .worker_not_started(&|| registry.has_work()),
                );
                spawn_retry::add(registry);
                continue;
            }
            let index = registry.spare_seat();
            registry.count_spare(index);
            return Some((ThreadKind::Spare, index));
        }
        requests.served = false;
        None
    }

    /// The name for a thread, if the program names its threads. Called by the thread that serves.
    fn name(&self, registry: &Registry, index: usize) -> Option<String> {
        let mut hook = lock(&self.requests).name.take()?;
        let name = hooks::name_thread(registry.hooks(), &mut hook, index);
        lock(&self.requests).name = Some(hook);
        name
    }

    /// A thread was to be had, or may be: the next request is not put off.
    pub(super) fn forgive(&self) {
        lock(&self.requests).refusals.forgive();
    }

    /// How many threads the system has refused.
    pub(super) fn refused(&self) -> u64 {
        lock(&self.requests).refusals.total()
    }
}

/// Hooks that are dropped may panic, and a pool may be dropped on a thread of its own.
impl Drop for ThreadStarter {
    fn drop(&mut self) {
        unwind::discard(lock(&self.requests).name.take());
    }
}

/// Starts workers until there are `wanted`, or the system refuses.
pub(super) fn start_workers(
    registry: &Registry,
    wanted: usize,
    spawner: &mut dyn FnMut(ThreadBuilder) -> io::Result<()>,
) {
    let note = |requests: &mut Requests| {
        let missing = wanted.saturating_sub(registry.workers());
        requests.workers = requests.workers.max(missing);
    };
    if registry.thread_starter().ask(note) {
        serve(registry, spawner);
    }
}

/// Starts a worker to take the place of one that blocks, and [others](spares_ahead) that will soon
/// be needed. If the system refuses, that is tried again when a thread ends.
#[cold]
pub(super) fn start_spares(registry: &Registry) {
    registry.reap();
    let count = 1 + spares_ahead(registry);
    if registry
        .thread_starter()
        .ask(|requests| requests.spares += count)
    {
        serve(registry, &mut spawn_thread);
    }
}

/// How many spares to start beside one that is needed.
///
/// Where many threads block and as many jobs wait, more spares will be needed. Beside threads that
/// compute, a new thread waits for its first time slice; that wait would pass once for each spare.
fn spares_ahead(registry: &Registry) -> usize {
    let ahead = (registry.idle_set().away() / BLOCKED_PER_SPARE_AHEAD).min(MAX_SPARES_AHEAD);
    if ahead == 0 {
        return 0;
    }
    let further = registry.queued(ahead + 1).saturating_sub(1);
    registry.idle_set().expect_spares(ahead.min(further))
}

/// Starts threads until none is asked for.
fn serve(registry: &Registry, spawner: &mut dyn FnMut(ThreadBuilder) -> io::Result<()>) {
    while let Some((post, index)) = registry.thread_starter().next(registry) {
        let begun = Instant::now();
        let outcome = match post {
            ThreadKind::Worker => start(registry, index, post, spawner),
            ThreadKind::Spare => start(registry, index, post, &mut spawn_thread),
        };
        match (post, outcome) {
            (ThreadKind::Worker, Ok(())) => {}
            (ThreadKind::Worker, Err(error)) => {
                // The other workers would be refused as well.
                let others = std::mem::take(&mut lock(&registry.thread_starter().requests).workers);
                let have = registry.workers();
                registry.hooks().warn(Warning::ThreadNotCreated {
                    have,
                    wanted: have + 1 + others,
                    error,
                });
            }
            (ThreadKind::Spare, Ok(())) => {
                registry.thread_starter().forgive();
                registry.limit_over();
            }
            (ThreadKind::Spare, Err(error)) => {
                spawn_retry::add(registry);
                let spell = registry.idle_set().spells();
                let heard = lock(&registry.thread_starter().requests)
                    .refusals
                    .note(begun.elapsed(), spell);
                match heard {
                    Some(refusals) => registry.hooks().warn(Warning::SpareNotCreated {
                        have: registry.threads(),
                        refusals,
                        error,
                    }),
                    None => unwind::discard(error),
                }
            }
        }
    }
}

/// Starts a thread that has been counted.
fn start(
    registry: &Registry,
    index: usize,
    post: ThreadKind,
    spawner: &mut dyn FnMut(ThreadBuilder) -> io::Result<()>,
) -> io::Result<()> {
    let name = registry.thread_starter().name(registry, index);
    let builder = ThreadBuilder::new(registry, index, post, name);
    // The library of the language ends the process when a new thread gets no stack for its signals.
    if thread_quota::mapped().is_some_and(|most| index >= most) {
        drop(builder);
        return Err(io::Error::new(
            io::ErrorKind::OutOfMemory,
            "the memory mappings of this process (vm.max_map_count) do not suffice for more threads",
        ));
    }
    hooks::spawn_thread(registry.hooks(), spawner, builder)
}

/// Changes the number of jobs of a live pool.
pub(crate) fn resize(registry: &SharedRegistry, jobs: usize) {
    let workers = jobs.saturating_sub(registry.members());
    start_workers(registry, workers, &mut spawn_thread);
    registry.wake(
        registry
            .idle_set()
            .set_places(jobs, &|| registry.has_work()),
    );
    registry.call_waiting();
}

/// The ordinary way to start a thread.
pub(super) fn spawn_thread(mut builder: ThreadBuilder) -> io::Result<()> {
    builder.is_heard_of();
    let mut thread = sync::thread::Builder::new().stack_size(builder.stack_size());
    thread = thread.name(match builder.name() {
        Some(name) => name.to_owned(),
        None => format!("drumline-{}", builder.index()),
    });
    let registry = SharedRegistry::clone(&builder.registry);
    let post = builder.post;
    let handle = thread.spawn(move || {
        local::set_home(builder.registry.id());
        builder.run();
    })?;
    match post {
        ThreadKind::Worker => registry.keep_handle(handle),
        ThreadKind::Spare => registry.keep_spare_handle(handle),
    }
    Ok(())
}

/// Seats the current thread in the pool for good, in a seat that was added for it.
pub(super) fn become_member(registry: &SharedRegistry, index: usize) {
    // Leaked: the thread's cells point into it from now on.
    let registry: &'static Registry = Box::leak(Box::new(SharedRegistry::clone(registry)));
    let seat = registry.seat_member(index);
    seat.block_state().move_in(sync::thread::current().name());
    std::mem::forget(local::switch(seat, seat.first_deque()));
}

/// A thread that a pool wants to have; see
/// [`PoolBuilder::spawn_handler`](crate::PoolBuilder::spawn_handler).
///
/// It has to be [run](Self::run). Dropped instead, it tells the pool that the thread will not come,
/// and the pool goes on without it. As long as it is neither run nor dropped, the pool counts on
/// the thread: a broadcast waits for it, and so may a call that is handed over.
/// [`shutdown`](crate::Pool::shutdown) and [`build_scoped`](crate::PoolBuilder::build_scoped) wait
/// for it, too; to drop the pool does not. If the last one is
/// dropped, calls run on the threads that make them from then on. What was handed over before runs
/// on a thread that Drumline starts for it, or here if the system refuses that thread.
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
pub struct ThreadBuilder {
    name: Option<String>,
    index: usize,
    post: ThreadKind,
    /// Whether it has been run.
    runs: bool,
    /// Whether the program may keep it: nothing has been heard of it.
    is_awaited: bool,
    registry: SharedRegistry,
}

impl std::fmt::Debug for ThreadBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ThreadBuilder")
            .field("name", &self.name)
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

impl ThreadBuilder {
    /// For a thread that has been counted, also by the idle set.
    fn new(registry: &Registry, index: usize, post: ThreadKind, name: Option<String>) -> Self {
        registry.lifetime().begin();
        registry.lifetime().await_thread();
        ThreadBuilder {
            name,
            index,
            post,
            runs: false,
            is_awaited: true,
            registry: registry.share(),
        }
    }

    /// The program does not keep it: it is run, or dropped.
    fn is_heard_of(&mut self) {
        if std::mem::take(&mut self.is_awaited) {
            self.registry.lifetime().heard_of_thread();
        }
    }

    /// The number that the thread will have in its pool.
    ///
    /// ```
    /// let pool = drumline::Pool::builder()
    ///     .jobs(2)
    ///     .spawn_handler(|thread| {
    ///         let name = format!("worker-{}", thread.index());
    ///         let builder = std::thread::Builder::new().name(name);
    ///         builder.spawn(|| thread.run()).map(drop)
    ///     })
    ///     .build()
    ///     .unwrap();
    /// let names = pool.broadcast(|_| std::thread::current().name().map(str::to_owned));
    /// assert_eq!(names, [Some("worker-0".to_owned()), Some("worker-1".to_owned())]);
    /// ```
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The name that was asked for, if any.
    ///
    /// ```
    /// let (tell, told) = std::sync::mpsc::channel();
    /// let pool = drumline::Pool::builder()
    ///     .jobs(1)
    ///     .thread_name(|index| format!("render-{index}"))
    ///     .spawn_handler(move |thread| {
    ///         let _ = tell.send(thread.name().map(String::from));
    ///         std::thread::Builder::new().spawn(|| thread.run()).map(drop)
    ///     })
    ///     .build()
    ///     .unwrap();
    /// assert_eq!(told.recv(), Ok(Some("render-0".to_owned())));
    /// # drop(pool);
    /// ```
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The stack that was asked for, in bytes.
    ///
    /// ```
    /// let (tell, told) = std::sync::mpsc::channel();
    /// let pool = drumline::Pool::builder()
    ///     .jobs(1)
    ///     .stack_size(1 << 20)
    ///     .spawn_handler(move |thread| {
    ///         let _ = tell.send(thread.stack_size());
    ///         let builder = std::thread::Builder::new().stack_size(thread.stack_size());
    ///         builder.spawn(|| thread.run()).map(drop)
    ///     })
    ///     .build()
    ///     .unwrap();
    /// assert_eq!(told.recv(), Ok(1 << 20));
    /// # drop(pool);
    /// ```
    #[must_use]
    pub fn stack_size(&self) -> usize {
        self.registry.thread_starter().stack_size
    }

    /// Is a worker of the pool, until the pool ends.
    ///
    /// ```
    /// let pool = drumline::Pool::builder()
    ///     .jobs(2)
    ///     .spawn_handler(|thread| {
    ///         let builder = std::thread::Builder::new().name("ours".to_owned());
    ///         builder.spawn(|| thread.run()).map(drop)
    ///     })
    ///     .build()
    ///     .unwrap();
    /// let are_ours = pool.broadcast(|_| std::thread::current().name() == Some("ours"));
    /// assert_eq!(are_ours, [true, true]);
    /// ```
    ///
    /// # Blocking
    ///
    /// Until the pool has been dropped or shut down, and all that was spawned
    /// in it has ended.
    pub fn run(mut self) {
        self.runs = true;
        self.is_heard_of();
        worker::run(&self.registry, self.index, self.post == ThreadKind::Spare);
        drop(self);
        spawn_retry::retry();
    }
}

/// The thread has ended, or will not come.
impl Drop for ThreadBuilder {
    fn drop(&mut self) {
        self.is_heard_of();
        let registry = &self.registry;
        if !self.runs {
            match self.post {
                ThreadKind::Worker => dismiss_worker(registry, self.index),
                ThreadKind::Spare => registry.dismiss_spare(registry.seat(self.index)),
            }
            registry.wake(
                registry
                    .idle_set()
                    .worker_not_started(&|| registry.has_work()),
            );
        }
        registry.lifetime().end();
    }
}

/// A worker that has been counted will not come: others do what it was to do.
fn dismiss_worker(registry: &Registry, index: usize) {
    let (was_last, jobs) = registry.remove_worker(index);
    for job in jobs {
        if was_last {
            registry.injector().push(job);
        } else {
            registry.send(index, job);
        }
    }
    if was_last {
        stand_in::see_to_work(registry);
    }
}
