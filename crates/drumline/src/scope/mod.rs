//! Scopes: spawned jobs that borrow from the frame that waits for them.
//!
//! | file | noun |
//! |---|---|
//! | `handle` | a future that was spawned in a scope |
//! | `home` | where such a future is queued |
//! | `job_list` | some of its jobs, and the tickets for them |
//! | `state` | the jobs of a scope, and the threads that run them |
//! | `wait` | the end of a scope |

mod handle;
mod home;
mod job_list;
#[cfg(doctest)]
mod promises;
mod state;
mod wait;

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;

use crate::future;
use crate::pool::{self, Pool, Registry, SharedRegistry, local};
use crate::sync::Arc;
use crate::unwind;
pub use handle::ScopedJoinHandle;
use home::ScopeHome;
pub(crate) use state::ScopeState;
use state::{Body, SpawnOrder};

type Marker<'scope, S> = PhantomData<Box<dyn FnOnce(&S) + Send + Sync + 'scope>>;

/// A set of jobs that may borrow what outlives `'scope`; see [`scope`].
///
/// ```
/// use drumline::Scope;
///
/// /// Doubles every value, each in a job of its own.
/// fn double<'scope>(scope: &Scope<'scope>, values: &'scope mut [u32]) {
///     for value in values {
///         scope.spawn(move |_| *value *= 2);
///     }
/// }
///
/// let mut values = [1, 2, 3];
/// drumline::scope(|scope| double(scope, &mut values));
/// assert_eq!(values, [2, 4, 6]);
/// ```
pub struct Scope<'scope> {
    state: Arc<ScopeState>,
    /// Jobs for this scope go in, so that `'scope` must not vary.
    marker: Marker<'scope, Scope<'scope>>,
}

/// As [`Scope`], for jobs that are begun first-in first-out; see [`scope_fifo`].
///
/// ```
/// use drumline::ScopeFifo;
///
/// fn greet<'scope>(scope: &ScopeFifo<'scope>, name: &'scope str) {
///     scope.spawn_fifo(move |_| println!("hello, {name}"));
/// }
///
/// let name = String::from("you");
/// drumline::scope_fifo(|scope| greet(scope, &name));
/// ```
pub struct ScopeFifo<'scope> {
    state: Arc<ScopeState>,
    marker: Marker<'scope, ScopeFifo<'scope>>,
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl fmt::Debug for ScopeFifo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopeFifo").finish_non_exhaustive()
    }
}

/// What both kinds of scope are: a `ScopeState`, with a lifetime.
///
/// A type that implements it must be invariant in `'scope`.
pub(crate) trait HasScopeState<'scope>: Sized {
    fn from_state(state: Arc<ScopeState>) -> Self;
    fn state(&self) -> &Arc<ScopeState>;
    fn into_state(self) -> Arc<ScopeState>;

    /// Adds `job` to this scope, in the queues of the pool.
    fn add(&self, job: impl FnOnce(&Self) + Send + 'scope) {
        let body = Box::new(|state| {
            let scope = Self::from_state(state);
            let outcome = unwind::catch(|| job(&scope));
            (scope.into_state(), outcome)
        });
        // SAFETY: the state that the body is pushed to is that of a scope whose
        // frame ends only when the body has been run and dropped; what the
        // body borrows outlives `'scope`, and so that frame.
        let body = unsafe { forget_lifetime(body) };
        self.state().push(body);
    }
}

/// # Safety
///
/// The body must be run and gone before `'scope` ends.
unsafe fn forget_lifetime(body: Body<'_>) -> Body<'static> {
    // SAFETY: the types differ in the lifetime only; the rest is the caller's
    // obligation.
    unsafe { std::mem::transmute(body) }
}

impl<'scope> HasScopeState<'scope> for Scope<'scope> {
    fn from_state(state: Arc<ScopeState>) -> Self {
        Scope {
            state,
            marker: PhantomData,
        }
    }

    fn state(&self) -> &Arc<ScopeState> {
        &self.state
    }

    fn into_state(self) -> Arc<ScopeState> {
        self.state
    }
}

impl<'scope> HasScopeState<'scope> for ScopeFifo<'scope> {
    fn from_state(state: Arc<ScopeState>) -> Self {
        ScopeFifo {
            state,
            marker: PhantomData,
        }
    }

    fn state(&self) -> &Arc<ScopeState> {
        &self.state
    }

    fn into_state(self) -> Arc<ScopeState> {
        self.state
    }
}

impl<'scope> Scope<'scope> {
    /// Starts a job that may run until the scope ends.
    ///
    /// It may borrow what outlives the scope, and it gets the scope itself, so
    /// that it can spawn more. The thread that spawned it begins its newest
    /// jobs first, other threads the oldest.
    ///
    /// ```
    /// let mut halves = [0, 0];
    /// let (left, right) = halves.split_at_mut(1);
    /// drumline::scope(|s| {
    ///     s.spawn(|_| left[0] = 1);
    ///     s.spawn(|s| s.spawn(|_| right[0] = 2));
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
        self.add(body);
    }

    /// Starts a future that may run until the scope ends.
    ///
    /// It may borrow what outlives the scope. The scope ends only after the future: it waits until
    /// it is ready, or has been [aborted](ScopedJoinHandle::abort). A future that nothing refers to
    /// any more is dropped: it could never be woken. Threads of the pool poll it, and the thread
    /// that waits in the scope. A waker may outlive the scope; what the future borrowed does not.
    ///
    /// When the body of the scope panics, its futures are cancelled, and dropped by threads of the
    /// pool.
    ///
    /// A scope itself waits with a thread: it is no future, because a future can be forgotten
    /// before it is ready.
    ///
    /// ```
    /// let words = ["a", "scope", "borrows"];
    /// let total = drumline::scope(|s| {
    ///     let futures: Vec<_> = words.iter().map(|w| s.spawn_future(async { w.len() })).collect();
    ///     futures.into_iter().map(|f| f.join().unwrap()).sum::<usize>()
    /// });
    /// assert_eq!(total, 13);
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child. A panic of the future goes to its handle; if that has been dropped, it is
    /// one of the scope.
    pub fn spawn_future<F>(&self, future: F) -> ScopedJoinHandle<'scope, F::Output>
    where
        F: Future + Send + 'scope,
        F::Output: Send + 'scope,
    {
        // SAFETY: the caller is part of the scope, which keeps the pool.
        let registry = Registry::share(self.state.registry());
        registry.forbid_fork();
        let home = ScopeHome {
            state: Arc::clone(&self.state),
            registry: SharedRegistry::clone(&registry),
        };
        // SAFETY: the scope, which outlives what it lends, ends only after the future has been
        // dropped. The handle has the lifetime of the scope, and the output may live as long.
        let handle = unsafe { future::spawn(future, home) };
        ScopedJoinHandle::new(registry, handle)
    }
}

impl<'scope> ScopeFifo<'scope> {
    /// Starts a job that may run until the scope ends; jobs are begun in the
    /// order in which they were spawned.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// let order = Mutex::new(Vec::new());
    /// let pool = drumline::Pool::builder().jobs(1).build()?;
    /// pool.scope_fifo(|s| {
    ///     for n in 0..3 {
    ///         let order = &order;
    ///         s.spawn_fifo(move |_| order.lock().unwrap().push(n));
    ///     }
    /// });
    /// assert_eq!(*order.lock().unwrap(), [0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn_fifo<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&ScopeFifo<'scope>) + Send + 'scope,
    {
        self.add(body);
    }
}

/// Runs `op` with a [`Scope`] in which it can spawn jobs that borrow, and
/// waits for all of them.
///
/// `op` runs in the pool that the calling thread is in, or else in the global
/// pool: on the calling thread, or handed over if that pool takes no guests.
/// Jobs may borrow everything that outlives the call, but nothing that `op`
/// owns.
///
/// ```
/// let words = ["a", "scope", "borrows"];
/// let mut lengths = vec![0; words.len()];
/// drumline::scope(|s| {
///     for (length, word) in lengths.iter_mut().zip(&words) {
///         s.spawn(move |_| *length = word.len());
///     }
/// });
/// assert_eq!(lengths, [1, 5, 7]);
/// ```
///
/// # Panics
///
/// If `op` or a job panics, with the payload of the first that did, after all
/// have ended. Jobs that have not been begun by then are run all the same.
///
/// # Blocking
///
/// Until every job has ended. The calling thread runs jobs of this scope and
/// what they fork meanwhile, and nothing else.
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    match local::seat() {
        Some(seat) => open(seat.registry(), SpawnOrder::Lifo, false, op),
        None => pool::in_global(|| scope(op)),
    }
}

/// As [`scope`], with a [`ScopeFifo`], whose jobs are begun in the order in
/// which they were spawned.
///
/// ```
/// let mut sum = 0;
/// drumline::scope_fifo(|s| s.spawn_fifo(|_| sum = 1 + 2));
/// assert_eq!(sum, 3);
/// ```
///
/// # Panics
///
/// As [`scope`].
///
/// # Blocking
///
/// As [`scope`].
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    match local::seat() {
        Some(seat) => open(seat.registry(), SpawnOrder::Fifo, false, op),
        None => pool::in_global(|| scope_fifo(op)),
    }
}

/// As [`scope`], but `op` always runs on the calling thread, which need not be
/// in a pool, and may use what cannot be sent to another thread.
///
/// ```
/// let here = std::rc::Rc::new(1);
/// let mut there = 0;
/// drumline::in_place_scope(|s| {
///     s.spawn(|_| there = 2);
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
/// As [`scope`]. A thread outside waits as a guest of the pool, or without
/// helping if the pool takes no guests.
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    open(current(), SpawnOrder::Lifo, false, op)
}

/// As [`in_place_scope`], with a [`ScopeFifo`].
///
/// ```
/// let mut there = 0;
/// drumline::in_place_scope_fifo(|s| s.spawn_fifo(|_| there = 2));
/// assert_eq!(there, 2);
/// ```
///
/// # Panics
///
/// As [`scope`].
///
/// # Blocking
///
/// As [`in_place_scope`].
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    open(current(), SpawnOrder::Fifo, false, op)
}

impl Pool {
    /// [`scope`](crate::scope()) in this pool.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// let mut value = 0;
    /// pool.scope(|s| s.spawn(|_| value = 1));
    /// assert_eq!(value, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope()); and in a forked child.
    ///
    /// # Blocking
    ///
    /// As [`scope`](crate::scope()).
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| scope(op))
    }

    /// [`scope_fifo`](crate::scope_fifo()) in this pool.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// let mut value = 0;
    /// pool.scope_fifo(|s| s.spawn_fifo(|_| value = 1));
    /// assert_eq!(value, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope()); and in a forked child.
    ///
    /// # Blocking
    ///
    /// As [`scope`](crate::scope()).
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| scope_fifo(op))
    }

    /// [`in_place_scope`](crate::in_place_scope()) whose jobs run in this pool.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// let mut value = 0;
    /// pool.in_place_scope(|s| s.spawn(|_| value = 1));
    /// assert_eq!(value, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope()).
    ///
    /// # Blocking
    ///
    /// As [`in_place_scope`](crate::in_place_scope()).
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        open(self.registry(), SpawnOrder::Lifo, false, op)
    }

    /// [`in_place_scope_fifo`](crate::in_place_scope_fifo()) whose jobs run in
    /// this pool.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// let mut value = 0;
    /// pool.in_place_scope_fifo(|s| s.spawn_fifo(|_| value = 1));
    /// assert_eq!(value, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope()).
    ///
    /// # Blocking
    ///
    /// As [`in_place_scope`](crate::in_place_scope()).
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        open(self.registry(), SpawnOrder::Fifo, false, op)
    }
}

/// The pool that the calling thread is in, or the global one.
fn current<'a>() -> &'a Registry {
    local::seat().map_or_else(pool::global_registry, |seat| seat.registry())
}

/// As [`in_place_scope`], in the pool of `registry`, for jobs that are
/// [long-lived](pool::submit_long_lived).
pub(crate) fn open_long_lived<'scope, R>(
    registry: &Registry,
    op: impl FnOnce(&Scope<'scope>) -> R,
) -> R {
    open(registry, SpawnOrder::Lifo, true, op)
}

/// Runs the body of a scope, waits for its jobs, and tells of a panic.
fn open<'scope, S, R>(
    registry: &Registry,
    order: SpawnOrder,
    long_lived: bool,
    op: impl FnOnce(&S) -> R,
) -> R
where
    S: HasScopeState<'scope>,
{
    let scope = S::from_state(ScopeState::new(registry, order, long_lived));
    let outcome = unwind::catch(|| op(&scope));
    let state = scope.state();
    let (value, done) = match outcome {
        Ok(value) => (Some(value), state.complete_body()),
        Err(payload) => {
            // First: what the futures own may panic when it is dropped.
            state.note_panic(payload);
            state.cancel_futures();
            (None, state.complete_body())
        }
    };
    if !done {
        wait::wait(state, registry);
    }
    match (state.close(registry), value) {
        (None, Some(value)) => value,
        (Some(payload), value) => {
            unwind::discard(value);
            unwind::resume(payload)
        }
        (None, None) => unreachable!("a body without a value has panicked"),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Pool, join, scope};

    #[test]
    fn on_a_system_that_refuses_the_barrier() {
        fn nest(depth: u32) -> u32 {
            if depth == 0 {
                return 1;
            }
            let mut sums = [0; 3];
            scope(|s| {
                for sum in &mut sums {
                    s.spawn(move |_| {
                        let (a, b) = join(|| nest(depth - 1), || 1);
                        *sum = a + b;
                    });
                }
            });
            sums.iter().sum()
        }
        for (jobs, guests) in [(1, true), (2, true), (1, false), (2, false), (8, true)] {
            let pool = Pool::builder()
                .jobs(jobs)
                .guests(guests)
                .refuse_barrier()
                .build()
                .unwrap();
            assert_eq!(pool.install(|| nest(6)), 1821);
            let mut values = [0; 100];
            pool.in_place_scope_fifo(|s| {
                for value in &mut values {
                    s.spawn_fifo(move |_| *value = 1);
                }
            });
            assert_eq!(values, [1; 100]);
            assert_eq!(pool.broadcast(|ctx| ctx.threads()).len(), jobs);
            pool.shutdown().unwrap();
        }
    }
}
