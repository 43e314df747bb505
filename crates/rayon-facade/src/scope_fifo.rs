//! Jobs that borrow, and begin in the order in which they were spawned.

use std::fmt;

use ref_cast::RefCast;

use crate::{BroadcastContext, defaults};

/// As [`Scope`](crate::Scope), for jobs that begin first-in first-out; see [`scope_fifo`].
///
/// ```
/// use rayon::ScopeFifo;
///
/// fn measure<'scope>(scope: &ScopeFifo<'scope>, word: &'scope str, length: &'scope mut usize) {
///     scope.spawn_fifo(move |_| *length = word.len());
/// }
///
/// let mut length = 0;
/// rayon::scope_fifo(|scope| measure(scope, "borrows", &mut length));
/// assert_eq!(length, 7);
/// ```
#[derive(RefCast)]
#[repr(transparent)]
pub struct ScopeFifo<'scope> {
    scope: drumline::ScopeFifo<'scope>,
}

impl fmt::Debug for ScopeFifo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopeFifo").finish_non_exhaustive()
    }
}

impl<'scope> ScopeFifo<'scope> {
    /// Starts a job that may run until the scope ends. The jobs of one thread begin in the order in
    /// which it spawned them.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// let order = Mutex::new(Vec::new());
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    /// pool.scope_fifo(|scope| {
    ///     for n in 0..3 {
    ///         let order = &order;
    ///         scope.spawn_fifo(move |_| order.lock().unwrap().push(n));
    ///     }
    /// });
    /// assert_eq!(order.into_inner().unwrap(), [0, 1, 2]);
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn_fifo<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&ScopeFifo<'scope>) + Send + 'scope,
    {
        self.scope
            .spawn_fifo(|scope| body(ScopeFifo::ref_cast(scope)));
    }

    /// Runs `body` once on every thread of the scope's pool. The scope waits for all of them.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// let sum = AtomicUsize::new(0);
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build()?;
    /// pool.scope_fifo(|scope| {
    ///     scope.spawn_broadcast(|_, context| {
    ///         sum.fetch_add(context.index(), Ordering::Relaxed);
    ///     });
    /// });
    /// assert_eq!(sum.into_inner(), 1 + 2);
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&ScopeFifo<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        self.scope.spawn_broadcast(move |scope, context| {
            body(ScopeFifo::ref_cast(scope), BroadcastContext::new(context));
        });
    }
}

/// As [`scope`](crate::scope()), with a [`ScopeFifo`].
///
/// ```
/// let mut sum = 0;
/// rayon::scope_fifo(|scope| scope.spawn_fifo(|_| sum = 1 + 2));
/// assert_eq!(sum, 3);
/// ```
///
/// # Panics
///
/// As [`scope`](crate::scope()).
///
/// # Blocking
///
/// As [`scope`](crate::scope()).
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    defaults::describe_global();
    drumline::scope_fifo(|scope| op(ScopeFifo::ref_cast(scope)))
}

/// As [`in_place_scope`](crate::in_place_scope), with a [`ScopeFifo`].
///
/// ```
/// let mut there = 0;
/// rayon::in_place_scope_fifo(|scope| scope.spawn_fifo(|_| there = 2));
/// assert_eq!(there, 2);
/// ```
///
/// # Panics
///
/// As [`scope`](crate::scope()).
///
/// # Blocking
///
/// As [`in_place_scope`](crate::in_place_scope).
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    defaults::describe_global();
    drumline::in_place_scope_fifo(|scope| op(ScopeFifo::ref_cast(scope)))
}
