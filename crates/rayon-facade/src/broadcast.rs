//! A call on every thread of a pool.

use std::fmt;

use crate::defaults;

/// Tells the closure of a broadcast which of the threads it runs on.
///
/// ```
/// fn describe(context: rayon::BroadcastContext<'_>) -> String {
///     format!("thread {} of {}", context.index(), context.num_threads())
/// }
/// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// assert_eq!(pool.broadcast(describe), ["thread 0 of 2", "thread 1 of 2"]);
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
pub struct BroadcastContext<'a> {
    context: drumline::BroadcastContext<'a>,
}

impl fmt::Debug for BroadcastContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadcastContext")
            .field("index", &self.index())
            .field("num_threads", &self.num_threads())
            .finish_non_exhaustive()
    }
}

impl<'a> BroadcastContext<'a> {
    pub(crate) fn new(context: drumline::BroadcastContext<'a>) -> Self {
        BroadcastContext { context }
    }

    /// The number of this thread in the broadcast, from 0.
    ///
    /// ```
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// assert_eq!(pool.broadcast(|context| context.index()), [0, 1]);
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    pub fn index(&self) -> usize {
        self.context.index()
    }

    /// The number of threads that the broadcast runs on.
    ///
    /// ```
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// assert_eq!(pool.broadcast(|context| context.num_threads()), [2, 2]);
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    pub fn num_threads(&self) -> usize {
        self.context.threads()
    }
}

/// Runs `op` once on every thread of the pool, and returns the results in the order of the threads.
///
/// The pool is the one that the current thread is in, or the global one.
///
/// ```
/// let results = rayon::broadcast(|context| context.index() * 10);
/// assert_eq!(results.len(), rayon::current_num_threads());
/// assert_eq!(results[0], 0);
/// ```
///
/// # Panics
///
/// If `op` panics, after it has ended on every thread, with the payload from the thread with the
/// lowest number; and in a forked child, inside a pool of the parent.
///
/// # Blocking
///
/// Until `op` has ended on every thread. A thread runs it when it has finished the job at hand, or
/// while it waits in the pool.
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    defaults::describe_global();
    drumline::broadcast(|context| op(BroadcastContext::new(context)))
}

/// Runs `op` some time later, once on every thread of the pool.
///
/// The pool is the one that the current thread is in, or the global one. Without a panic handler, a
/// panic of `op` aborts the process.
///
/// ```
/// let (send, receive) = std::sync::mpsc::channel();
/// rayon::spawn_broadcast(move |context| send.send(context.index()).unwrap());
/// assert_eq!(receive.iter().count(), rayon::current_num_threads());
/// ```
///
/// # Panics
///
/// In a forked child, inside a pool of the parent.
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    defaults::describe_global();
    drumline::spawn_broadcast(move |context| op(BroadcastContext::new(context)));
}
