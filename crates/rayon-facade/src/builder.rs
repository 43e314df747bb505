//! Describing and making a pool.

use std::any::Any;
use std::{error, fmt, io};

use drumline::{BuildError, PoolBuilder};

use crate::defaults;
use crate::spawner::{CustomSpawn, DefaultSpawn, ThreadSpawn};
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
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    builder: PoolBuilder,
    spawner: S,
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        ThreadPoolBuilder {
            builder: defaults::as_rayon(),
            spawner: DefaultSpawn,
        }
    }
}

impl ThreadPoolBuilder {
    /// A pool with everything left to the defaults.
    pub fn new() -> Self {
        Self::default()
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

impl<S> ThreadPoolBuilder<S> {
    fn with(self, change: impl FnOnce(PoolBuilder) -> PoolBuilder) -> Self {
        ThreadPoolBuilder {
            builder: change(self.builder),
            spawner: self.spawner,
        }
    }

    /// How many threads; with 0, as many as this process may use processors.
    pub fn num_threads(self, number: usize) -> Self {
        self.with(|builder| match number {
            0 => builder.jobs(drumline::Jobs::Auto),
            number => builder.jobs(number),
        })
    }

    /// Names the threads by their number.
    pub fn thread_name<F>(self, name: F) -> Self
    where
        F: FnMut(usize) -> String + Send + 'static,
    {
        self.with(|builder| builder.thread_name(name))
    }

    /// The stack of each thread, in bytes.
    pub fn stack_size(self, bytes: usize) -> Self {
        self.with(|builder| builder.stack_size(bytes))
    }

    /// Makes the thread that builds the pool one of its threads, for good, with the index 0.
    ///
    /// It runs jobs of others, and its share of a broadcast, only while it waits in the pool or
    /// yields to it.
    pub fn use_current_thread(self) -> Self {
        self.with(|builder| builder.use_current_thread())
    }

    /// Called with the payload of a panic that no thread waits for. Without it, and where the
    /// handler panics, the process aborts.
    pub fn panic_handler<H>(self, hook: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        self.with(|builder| builder.panic_handler(defaults::guarded(hook)))
    }

    /// Called on each thread when it starts, with its number.
    pub fn start_handler<H>(self, hook: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.with(|builder| builder.start_handler(hook))
    }

    /// Called on each thread before it ends, with its number.
    pub fn exit_handler<H>(self, hook: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.with(|builder| builder.exit_handler(hook))
    }

    /// Starts the threads with `spawner`, which has to arrange that [`ThreadBuilder::run`] is
    /// called on a thread of its own.
    pub fn spawn_handler<F>(self, spawner: F) -> ThreadPoolBuilder<CustomSpawn<F>>
    where
        F: FnMut(ThreadBuilder) -> io::Result<()>,
    {
        ThreadPoolBuilder {
            builder: self.builder,
            spawner: CustomSpawn(spawner),
        }
    }
}

impl<S: ThreadSpawn> ThreadPoolBuilder<S> {
    /// Makes the pool.
    ///
    /// # Errors
    ///
    /// If there are to be too many threads, if the current thread is to be a member of two pools,
    /// or if the handler that starts threads fails.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        let pool = self.spawner.start(self.builder, PoolBuilder::build)?;
        Ok(ThreadPool::owned(pool))
    }

    /// Makes this the global pool.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build); and if the global pool exists already.
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        self.spawner.start(self.builder, PoolBuilder::build_global)
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
    error: Reason,
}

#[derive(Debug)]
enum Reason {
    Refused(BuildError),
    NotStarted(io::Error),
}

impl ThreadPoolBuildError {
    fn reason(&self) -> &(dyn error::Error + 'static) {
        match &self.error {
            Reason::Refused(error) => error,
            Reason::NotStarted(error) => error,
        }
    }
}

impl From<BuildError> for ThreadPoolBuildError {
    fn from(error: BuildError) -> Self {
        ThreadPoolBuildError {
            error: Reason::Refused(error),
        }
    }
}

impl From<io::Error> for ThreadPoolBuildError {
    fn from(error: io::Error) -> Self {
        ThreadPoolBuildError {
            error: Reason::NotStarted(error),
        }
    }
}

impl fmt::Display for ThreadPoolBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.reason(), f)
    }
}

impl error::Error for ThreadPoolBuildError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.reason().source()
    }
}
