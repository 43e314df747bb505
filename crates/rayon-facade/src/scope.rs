//! Jobs that borrow from the frame that waits for them.

use std::fmt;

use ref_cast::RefCast;

use crate::{BroadcastContext, defaults};

/// A set of jobs that may borrow what outlives `'scope`; see [`scope`].
///
/// ```
/// use rayon::Scope;
///
/// /// Doubles every value, each in a job of its own.
/// fn double<'scope>(scope: &Scope<'scope>, values: &'scope mut [u32]) {
///     for value in values {
///         scope.spawn(move |_| *value *= 2);
///     }
/// }
///
/// let mut values = [1, 2, 3];
/// rayon::scope(|scope| double(scope, &mut values));
/// assert_eq!(values, [2, 4, 6]);
/// ```
#[derive(RefCast)]
#[repr(transparent)]
pub struct Scope<'scope> {
    scope: drumline::Scope<'scope>,
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl<'scope> Scope<'scope> {
    /// Starts a job that may run until the scope ends.
    ///
    /// The job gets the scope, so that it can spawn more. The thread that spawns jobs begins its
    /// newest first. Other threads begin with the oldest.
    ///
    /// ```
    /// let mut halves = [0, 0];
    /// let (left, right) = halves.split_at_mut(1);
    /// rayon::scope(|scope| {
    ///     scope.spawn(|_| left[0] = 1);
    ///     scope.spawn(|scope| scope.spawn(|_| right[0] = 2));
    /// });
    /// assert_eq!(halves, [1, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        self.scope.spawn(|scope| body(Scope::ref_cast(scope)));
    }

    /// Runs `body` once on every thread of the scope's pool. The scope waits for all of them.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// let sum = AtomicUsize::new(0);
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build()?;
    /// pool.scope(|scope| {
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
        BODY: Fn(&Scope<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        self.scope.spawn_broadcast(move |scope, context| {
            body(Scope::ref_cast(scope), BroadcastContext::new(context));
        });
    }
}

/// Runs `op` with a [`Scope`] in which it can spawn jobs that borrow, and waits for all of them.
///
/// `op` runs on a thread of the pool that the current thread is in, or of the global pool. Jobs may
/// borrow everything that outlives the call, but nothing that `op` owns.
///
/// ```
/// let words = ["a", "scope", "borrows"];
/// let mut lengths = vec![0; words.len()];
/// rayon::scope(|scope| {
///     for (length, word) in lengths.iter_mut().zip(&words) {
///         scope.spawn(move |_| *length = word.len());
///     }
/// });
/// assert_eq!(lengths, [1, 5, 7]);
/// ```
///
/// # Panics
///
/// If `op` or a job panics, with the payload of the first that did, after all have ended. The jobs
/// that have not begun by then run all the same.
///
/// # Blocking
///
/// Until every job has ended. A thread of the pool runs other jobs of the pool meanwhile.
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    defaults::describe_global();
    drumline::scope(|scope| op(Scope::ref_cast(scope)))
}

/// As [`scope`], but `op` runs on the current thread, which need not be in a pool. So `op` may use
/// what cannot be sent to another thread.
///
/// ```
/// let here = std::rc::Rc::new(1);
/// let mut there = 0;
/// rayon::in_place_scope(|scope| {
///     scope.spawn(|_| there = 2);
///     assert_eq!(*here, 1);
/// });
/// assert_eq!(there, 2);
/// ```
///
/// # Panics
///
/// As [`scope`].
///
/// # Blocking
///
/// As [`scope`]. A thread outside of all pools runs no jobs while it waits; one of another pool
/// runs jobs of its own.
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    defaults::describe_global();
    drumline::in_place_scope(|scope| op(Scope::ref_cast(scope)))
}
