//! The handle of a future that was spawned in a scope.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::future::{FutureHandle, JoinError};
use crate::latch::Watcher;
use crate::pool::SharedRegistry;
use crate::wait::budget;

/// A future that was spawned in a scope: to be joined, awaited or left alone.
///
/// Made by [`Scope::spawn_future`](crate::Scope::spawn_future). It is a future itself, for any
/// executor. Dropping it lets the future go on: the scope waits for that. The value is dropped
/// then, and a panic is one of the scope.
///
/// ```
/// let numbers = [1, 2, 3];
/// let sum = drumline::scope(|s| {
///     let first = s.spawn_future(async { numbers[0] });
///     let both = s.spawn_future(async { first.await.unwrap() + numbers[1] });
///     both.join().unwrap()
/// });
/// assert_eq!(sum, 3);
/// ```
///
/// # Cancellation
///
/// As for [`JoinHandle`](crate::JoinHandle): a `&mut` handle can be awaited in a `select`, and
/// again after that.
pub struct ScopedJoinHandle<'scope, T: Send> {
    /// `None` once the outcome has been taken.
    future: Option<FutureHandle<T>>,
    registry: SharedRegistry,
    scope: PhantomData<&'scope ()>,
}

impl<T: Send> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle")
            .field("is_finished", &self.is_finished())
            .finish_non_exhaustive()
    }
}

impl<T: Send> ScopedJoinHandle<'_, T> {
    pub(super) fn new(registry: SharedRegistry, future: FutureHandle<T>) -> Self {
        ScopedJoinHandle {
            future: Some(future),
            registry,
            scope: PhantomData,
        }
    }

    /// Waits for the future, and returns its value, or why it has none.
    ///
    /// ```
    /// drumline::scope(|s| {
    ///     assert_eq!(s.spawn_future(async { 7 }).join().unwrap(), 7);
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// If the future panicked, with the payload; or if it was cancelled: by
    /// [`abort`](Self::abort), or because the body of the scope panicked.
    ///
    /// # Panics
    ///
    /// In a forked child, if the future had not ended before the fork. If the outcome was taken
    /// before, by a poll of this handle.
    ///
    /// # Blocking
    ///
    /// Until the future has ended. The calling thread runs nothing meanwhile. In a pool without
    /// spares, a task that joins a future of its own pool can wait for ever, because the future
    /// needs the thread that waits.
    pub fn join(mut self) -> Result<T, JoinError> {
        let future = self.future.take().expect(TAKEN);
        if !future.is_done() {
            self.registry.forbid_fork();
        }
        drop(future.unwatch());
        future.wait(&self.registry);
        // SAFETY: done, and the handle has not been asked before.
        unsafe { future.take_outcome() }
    }

    /// Whether the future has ended, so that [`join`](Self::join) would not wait.
    ///
    /// ```
    /// drumline::scope(|s| {
    ///     let future = s.spawn_future(async {});
    ///     while !future.is_finished() {
    ///         std::thread::yield_now();
    ///     }
    /// });
    /// ```
    pub fn is_finished(&self) -> bool {
        self.future.as_ref().is_none_or(FutureHandle::is_done)
    }

    /// Asks that the future stop, and returns at once. The handle tells what came of it.
    ///
    /// It is not polled again once the poll under way, if there is one, has ended. A thread of the
    /// pool drops it. After the end of the future this does nothing.
    ///
    /// ```
    /// drumline::scope(|s| {
    ///     let future = s.spawn_future(std::future::pending::<()>());
    ///     future.abort(); // otherwise the scope would wait for ever
    ///     assert!(future.join().unwrap_err().is_cancelled());
    /// });
    /// ```
    pub fn abort(&self) {
        if let Some(future) = &self.future {
            future.cancel();
        }
    }
}

const TAKEN: &str = "the outcome of this future has been taken already: a handle was polled after it \
                     was ready, or joined after that";

/// Waits without a thread: the outcome of the future, as of [`join`](ScopedJoinHandle::join).
///
/// # Panics
///
/// If it is polled again after it was ready. In a forked child, if the future had not ended before
/// the fork.
impl<T: Send> Future for ScopedJoinHandle<'_, T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.future.as_ref().expect(TAKEN);
        if !future.is_done() {
            self.registry.forbid_fork();
            if future.watch(Watcher::Task(cx.waker().clone())) {
                return Poll::Pending;
            }
        }
        ready!(budget::proceed(cx));
        let future = self.future.take().expect(TAKEN);
        // SAFETY: done, and the handle has not been asked before.
        Poll::Ready(unsafe { future.take_outcome() })
    }
}
