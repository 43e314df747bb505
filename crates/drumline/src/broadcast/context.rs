//! What a broadcast closure is told.

use std::fmt;
use std::marker::PhantomData;

/// Tells a broadcast closure which of the workers it runs on.
///
/// ```
/// fn describe(ctx: drumline::BroadcastContext<'_>) -> String {
///     format!("worker {} of {}", ctx.index(), ctx.threads())
/// }
/// let pool = drumline::Pool::builder().jobs(2).build()?;
/// assert_eq!(pool.broadcast(describe), ["worker 0 of 2", "worker 1 of 2"]);
/// # Ok::<(), drumline::BuildError>(())
/// ```
pub struct BroadcastContext<'a> {
    index: usize,
    threads: usize,
    /// It speaks of the current thread, and so it stays there.
    marker: PhantomData<&'a mut dyn Fn()>,
}

impl fmt::Debug for BroadcastContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadcastContext")
            .field("index", &self.index)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl BroadcastContext<'_> {
    pub(super) fn new(index: usize, threads: usize) -> Self {
        BroadcastContext {
            index,
            threads,
            marker: PhantomData,
        }
    }

    /// The number of this worker among those of the broadcast, from 0.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(3).build().unwrap();
    /// assert_eq!(pool.broadcast(|context| context.index()), [0, 1, 2]);
    /// ```
    #[must_use]
    #[inline]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number of threads that the broadcast runs on.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(3).build().unwrap();
    /// assert_eq!(pool.broadcast(|context| context.threads()), [3, 3, 3]);
    /// ```
    #[must_use]
    #[inline]
    pub fn threads(&self) -> usize {
        self.threads
    }
}
