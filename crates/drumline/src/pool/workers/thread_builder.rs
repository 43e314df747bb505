//! A thread that a pool wants to have: the record of its being counted.

use std::mem;

use super::worker;
use crate::pool::calls::stand_in;
use crate::pool::shared::registry::Registry;
use crate::pool::shared::shared_registry::{OpenAccount, SharedRegistry};
use crate::pool::shared::spawn_retry;
use crate::pool::shared::thread_requests::ThreadKind;

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
    pub(crate) post: ThreadKind,
    /// Whether it has been run.
    runs: bool,
    /// Whether the program may keep it: nothing has been heard of it.
    is_awaited: bool,
    pub(crate) registry: SharedRegistry,
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
    pub(crate) fn new(
        registry: &Registry,
        index: usize,
        post: ThreadKind,
        name: Option<String>,
    ) -> Self {
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
    pub(crate) fn is_heard_of(&mut self) {
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
        self.registry.thread_requests().stack_size()
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
    /// Until the pool has been dropped or shut down, all that was spawned in it has ended, and each
    /// other `ThreadBuilder` of it has been run or dropped.
    pub fn run(mut self) {
        self.runs = true;
        self.is_heard_of();
        let account = OpenAccount::new(&self.registry);
        worker::run(&self.registry, self.index, self.post == ThreadKind::Spare);
        if self.registry.is_forked() {
            // A thread of the parent may hold the locks.
            mem::forget(account);
            mem::forget(self);
            return;
        }
        drop(account);
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
