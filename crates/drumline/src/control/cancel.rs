//! Stopping from outside.

use std::fmt;

use super::cancelled::{Cancelled, CancelledOwned};
use super::request::StopRequest;
use crate::sync::Arc;

/// Stops loops and streams: every clone of a token stands for the same request.
///
/// ```
/// use drumline::CancellationToken;
/// use drumline::prelude::*;
///
/// let token = CancellationToken::new();
/// let numbers: Vec<u32> = (0..1_000).collect();
/// let seen: u32 = numbers
///     .par_iter()
///     .cancel_on(&token)
///     .inspect(|&&number| if number == 500 { token.cancel() })
///     .map(|_| 1)
///     .sum();
/// assert!(token.is_cancelled() && seen <= 1_000);
/// ```
///
/// A task [awaits](Self::cancelled) it without a thread:
///
/// ```
/// use drumline::CancellationToken;
///
/// let token = CancellationToken::new();
/// let tidy_up = drumline::spawn_future({
///     let token = token.clone();
///     async move {
///         token.cancelled().await;
///         "tidied up"
///     }
/// });
/// token.cancel();
/// assert_eq!(tidy_up.join().unwrap(), "tidied up");
/// ```
#[derive(Clone, Default)]
pub struct CancellationToken {
    request: Arc<StopRequest>,
}

/// Is told of a cancellation, until it is dropped.
pub(crate) struct Listener {
    request: Arc<StopRequest>,
    number: u64,
}

impl CancellationToken {
    /// A token that has not been cancelled.
    ///
    /// ```
    /// let token = drumline::CancellationToken::new();
    /// assert!(!token.is_cancelled());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everything with this token to stop. Cannot be taken back.
    ///
    /// What awaits the token is woken by the first call, before that returns. A waker that panics
    /// does not keep the others from being woken, and its panic goes nowhere besides the panic
    /// hook.
    ///
    /// ```
    /// let token = drumline::CancellationToken::new();
    /// let seen = token.clone();
    /// let task = drumline::spawn(move || while !seen.is_cancelled() { std::thread::yield_now() });
    /// token.cancel();
    /// task.join().unwrap();
    /// ```
    ///
    /// # Complexity
    ///
    /// Linear in the number of tasks that await the token, and of streams that may wait in their
    /// sources.
    pub fn cancel(&self) {
        self.request.make();
    }

    /// Whether it has been cancelled.
    ///
    /// ```
    /// let token = drumline::CancellationToken::new();
    /// let other = token.clone();
    /// other.cancel();
    /// assert!(token.is_cancelled()); // clones are the same token
    /// ```
    #[must_use]
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.request.is_made()
    }

    /// Waits until the token is cancelled; ready at once if it has been.
    ///
    /// The task sees what happened before the cancellation. To give work up when that comes, await
    /// both, and go by what is ready first:
    ///
    /// ```
    /// use std::future::{Future, poll_fn};
    /// use std::pin::pin;
    /// use std::task::Poll;
    ///
    /// use drumline::CancellationToken;
    ///
    /// /// What the work says, or `None` if the token was cancelled before.
    /// async fn unless_cancelled<T>(
    ///     token: &CancellationToken,
    ///     work: impl Future<Output = T>,
    /// ) -> Option<T> {
    ///     let (mut work, mut cancelled) = (pin!(work), pin!(token.cancelled()));
    ///     poll_fn(|cx| match cancelled.as_mut().poll(cx) {
    ///         Poll::Ready(()) => Poll::Ready(None),
    ///         Poll::Pending => work.as_mut().poll(cx).map(Some),
    ///     })
    ///     .await
    /// }
    ///
    /// let token = CancellationToken::new();
    /// assert_eq!(drumline::block_on(unless_cancelled(&token, async { 7 })), Some(7));
    /// token.cancel();
    /// assert_eq!(drumline::block_on(unless_cancelled(&token, async { 7 })), None);
    /// ```
    ///
    /// # Complexity
    ///
    /// The first poll that is not ready, a poll with another waker, and the drop after it take the
    /// token's lock, for O(log n) with n tasks that await the token. Any other poll is one look at
    /// a flag.
    ///
    /// # Cancellation
    ///
    /// A future that is dropped is gone at once: the token keeps nothing of it.
    pub fn cancelled(&self) -> Cancelled<'_> {
        Cancelled::new(self)
    }

    /// As [`cancelled`](Self::cancelled), for a future that outlives the place of the token. Clone
    /// the token to keep one.
    ///
    /// ```
    /// use drumline::CancellationToken;
    ///
    /// let token = CancellationToken::new();
    /// let task = drumline::spawn_future(token.clone().cancelled_owned());
    /// token.cancel();
    /// assert!(task.join().is_ok());
    /// ```
    ///
    /// # Cancellation
    ///
    /// As [`cancelled`](Self::cancelled).
    pub fn cancelled_owned(self) -> CancelledOwned {
        CancelledOwned::new(self)
    }

    /// Has `notify` called when cancellation is requested, or now if it has been. It may still
    /// run for a moment after the listener is gone.
    pub(crate) fn listen(&self, notify: impl Fn() + Send + Sync + 'static) -> Listener {
        Listener {
            number: self.request.add(std::sync::Arc::new(notify)),
            request: Arc::clone(&self.request),
        }
    }

    pub(super) fn request(&self) -> &StopRequest {
        &self.request
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.request.remove(self.number);
    }
}

impl fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancellationToken")
            .field("cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::CancellationToken;
    use crate::sync::Arc;
    use crate::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn listeners_are_told_once_and_only_while_they_listen() {
        let token = CancellationToken::new();
        let told = Arc::new(AtomicUsize::new(0));
        let notify = || {
            let told = Arc::clone(&told);
            move || {
                told.fetch_add(1, Ordering::Relaxed);
            }
        };
        let kept = token.listen(notify());
        drop(token.listen(notify()));
        assert_eq!(told.load(Ordering::Relaxed), 0);
        token.cancel();
        assert_eq!(told.load(Ordering::Relaxed), 1);
        let _late = token.listen(notify());
        assert_eq!(told.load(Ordering::Relaxed), 2);
        drop(kept);
    }

    #[test]
    fn a_dropped_future_takes_its_waker_away() {
        let token = CancellationToken::new();
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..100_000 {
            let mut cancelled = pin!(token.cancelled());
            assert!(cancelled.as_mut().poll(&mut context).is_pending());
            assert_eq!(token.request().wakers(), 1);
        }
        assert_eq!(token.request().wakers(), 0);
    }
}
