//! A thread that a pool wants to have started.

/// What a handler that starts threads is given: how the thread should be, and its life in the pool.
///
/// ```
/// let pool = rayon::ThreadPoolBuilder::new()
///     .num_threads(1)
///     .spawn_handler(|thread| {
///         std::thread::Builder::new().spawn(|| thread.run()).map(drop)
///     })
///     .build()?;
/// assert_eq!(pool.install(|| 6 * 7), 42);
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
#[derive(Debug)]
pub struct ThreadBuilder {
    thread: drumline::ThreadBuilder,
}

impl ThreadBuilder {
    pub(crate) fn new(thread: drumline::ThreadBuilder) -> Self {
        ThreadBuilder { thread }
    }

    /// The number that the thread will have in its pool.
    pub fn index(&self) -> usize {
        self.thread.index()
    }

    /// The name that was asked for, if any.
    pub fn name(&self) -> Option<&str> {
        self.thread.name()
    }

    /// The stack that the thread should have, in bytes. It is never `None`.
    pub fn stack_size(&self) -> Option<usize> {
        Some(self.thread.stack_size())
    }

    /// Is a thread of the pool, until the pool ends.
    ///
    /// # Blocking
    ///
    /// Until the pool has been dropped, and all that was spawned in it has ended.
    pub fn run(self) {
        self.thread.run();
    }
}
