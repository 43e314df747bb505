//! Describing and making a pool.

use std::any::Any;
use std::{error, fmt, io};

use drumline::{BuildError, PoolBuilder};

use crate::{ThreadBuilder, ThreadPool};

/// The description of a pool.
///
/// ```
/// let pool = rayon::ThreadPoolBuilder::new()
///     .num_threads(2)
///     .thread_name(|index| format!("render-{index}"))
///     .build()?;
/// let name = pool.install(|| std::thread::current().name().map(String::from));
/// assert!(name.unwrap().starts_with("render-"));
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
#[derive(Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct ThreadPoolBuilder {
    builder: PoolBuilder,
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        Self::of(PoolBuilder::new().guests(false))
    }
}

impl ThreadPoolBuilder {
    /// A pool with everything left to the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    fn of(builder: PoolBuilder) -> Self {
        ThreadPoolBuilder { builder }
    }

    /// How many threads; with 0, as many as this process may use processors.
    pub fn num_threads(self, number: usize) -> Self {
        Self::of(match number {
            0 => self.builder.jobs(drumline::Jobs::Auto),
            number => self.builder.jobs(number),
        })
    }

    /// Names the threads by their number.
    pub fn thread_name<F>(self, name: F) -> Self
    where
        F: FnMut(usize) -> String + Send + 'static,
    {
        Self::of(self.builder.thread_name(name))
    }

    /// The stack of each thread, in bytes.
    pub fn stack_size(self, bytes: usize) -> Self {
        Self::of(self.builder.stack_size(bytes))
    }

    /// Makes the thread that builds the pool one of its threads, for good.
    pub fn use_current_thread(self) -> Self {
        Self::of(self.builder.use_current_thread())
    }

    /// Called with the payload of a panic that nobody waits for.
    pub fn panic_handler<H>(self, hook: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        Self::of(self.builder.panic_handler(hook))
    }

    /// Called on each thread when it starts, with its number.
    pub fn start_handler<H>(self, hook: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        Self::of(self.builder.start_handler(hook))
    }

    /// Called on each thread before it ends, with its number.
    pub fn exit_handler<H>(self, hook: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        Self::of(self.builder.exit_handler(hook))
    }

    /// Starts the threads with `spawner`, which has to arrange that [`ThreadBuilder::run`] is called
    /// on a thread of its own.
    pub fn spawn_handler<F>(self, mut spawner: F) -> Self
    where
        F: FnMut(ThreadBuilder) -> io::Result<()> + 'static,
    {
        let spawner = move |thread| spawner(ThreadBuilder::new(thread));
        Self::of(self.builder.spawn_handler(spawner))
    }

    /// Makes the pool.
    ///
    /// # Errors
    ///
    /// If there are to be too many threads, or if the current thread is to be a member of two pools.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        Ok(ThreadPool::owned(self.builder.build()?))
    }

    /// Makes this the global pool.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build); and if the global pool exists already.
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        Ok(self.builder.build_global()?)
    }

    /// Makes a pool whose threads may borrow from this frame; all have ended when this returns.
    ///
    /// ```
    /// let greeting = String::from("hello");
    /// let length = rayon::ThreadPoolBuilder::new().num_threads(2).build_scoped(
    ///     |thread| thread.run(),
    ///     |pool| pool.install(|| greeting.len()),
    /// )?;
    /// assert_eq!(length, 5);
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    pub fn build_scoped<W, F, R>(self, wrapper: W, with_pool: F) -> Result<R, ThreadPoolBuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&ThreadPool) -> R,
    {
        let result = self.builder.build_scoped(
            |thread| wrapper(ThreadBuilder::new(thread)),
            |pool| with_pool(ThreadPool::of(pool)),
        );
        Ok(result?)
    }
}

/// A pool could not be made.
///
/// ```
/// let error = rayon::ThreadPoolBuilder::new()
///     .num_threads(rayon::max_num_threads() + 1)
///     .build()
///     .unwrap_err();
/// assert!(!error.to_string().is_empty());
/// ```
#[derive(Debug)]
pub struct ThreadPoolBuildError {
    error: BuildError,
}

impl From<BuildError> for ThreadPoolBuildError {
    fn from(error: BuildError) -> Self {
        ThreadPoolBuildError { error }
    }
}

impl fmt::Display for ThreadPoolBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl error::Error for ThreadPoolBuildError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.error.source()
    }
}
