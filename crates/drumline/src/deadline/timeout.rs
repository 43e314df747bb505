//! A future that gives another one until a deadline.

use std::error::Error;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::sleep::{Sleep, sleep, sleep_until};
use crate::wait::budget;

/// Gives a future until a deadline; made by [`timeout`] and [`timeout_at`].
///
/// ```
/// use drumline::task::{Timeout, timeout};
/// use std::future::Ready;
/// use std::time::Duration;
///
/// let limited: Timeout<Ready<u32>> = timeout(Duration::from_secs(60), std::future::ready(7));
/// assert_eq!(drumline::block_on(limited), Ok(7));
/// ```
#[must_use = "a timeout does nothing unless it is polled"]
pub struct Timeout<F> {
    /// Pinned when the timeout is: nothing here moves it out, or lends it without the pin.
    future: F,
    /// Not pinned: it is `Unpin`.
    sleep: Sleep,
}

/// What [`timeout`] says of a future that was not ready by its deadline.
///
/// ```
/// use drumline::task::{Elapsed, timeout};
/// use std::time::Duration;
///
/// let never = std::future::pending::<()>();
/// let waited = drumline::block_on(timeout(Duration::from_millis(1), never));
/// assert_eq!(waited, Err(Elapsed));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed;

/// Waits for `future`, for `duration` at most.
///
/// The result is the future's, or [`Elapsed`] if the future was not ready by the deadline. The time
/// begins with this call, and not with the first poll. A duration that ends later than the clock
/// can say is no limit.
///
/// Each poll polls the future first, and then looks at the clock. So a future that is ready wins,
/// even if the deadline has passed as well. A future that is ready at its first poll costs nothing
/// more than without a timeout, apart from one look at the clock in this call.
///
/// ```
/// use std::time::Duration;
///
/// use drumline::task::{sleep, timeout};
///
/// drumline::block_on(async {
///     let quick = timeout(Duration::from_secs(60), async { 7 }).await;
///     assert_eq!(quick, Ok(7));
///
///     let slow = timeout(Duration::from_millis(1), sleep(Duration::from_secs(60))).await;
///     assert!(slow.is_err());
/// });
/// ```
///
/// # Panics
///
/// A panic of the future's poll goes on to the caller.
///
/// # Cancellation
///
/// A future that was not ready is dropped with the timeout, and not before. To keep it, lend it:
///
/// ```
/// use std::pin::pin;
/// use std::time::Duration;
///
/// use drumline::task::{sleep, timeout};
///
/// drumline::block_on(async {
///     let mut work = pin!(async {
///         sleep(Duration::from_millis(20)).await;
///         7
///     });
///     let mut reminders = 0;
///     let result = loop {
///         match timeout(Duration::from_millis(5), &mut work).await {
///             Ok(result) => break result,
///             Err(_still_at_work) => reminders += 1,
///         }
///     };
///     assert!(result == 7 && reminders >= 1);
/// });
/// ```
///
/// # Blocking
///
/// A future that does not return from its poll cannot be stopped. Otherwise as for
/// [`sleep`](sleep()), which also says what a deadline costs.
pub fn timeout<F: IntoFuture>(duration: Duration, future: F) -> Timeout<F::IntoFuture> {
    Timeout {
        future: future.into_future(),
        sleep: sleep(duration),
    }
}

/// Waits for `future`, until `deadline` at most; as [`timeout`], which says how.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use drumline::task::{Elapsed, sleep, timeout_at};
///
/// // One deadline for all steps.
/// async fn steps(deadline: Instant) -> Result<u32, Elapsed> {
///     let first = timeout_at(deadline, async { 3 }).await?;
///     timeout_at(deadline, sleep(Duration::from_millis(1))).await?;
///     Ok(first + timeout_at(deadline, async { 4 }).await?)
/// }
/// let deadline = Instant::now() + Duration::from_secs(60);
/// assert_eq!(drumline::block_on(steps(deadline)), Ok(7));
/// ```
///
/// # Panics
///
/// A panic of the future's poll goes on to the caller.
///
/// # Cancellation
///
/// As [`timeout`].
pub fn timeout_at<F: IntoFuture>(deadline: Instant, future: F) -> Timeout<F::IntoFuture> {
    Timeout {
        future: future.into_future(),
        sleep: sleep_until(deadline),
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: `future` is not moved: it is only borrowed, below, under a pin of its own.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: it is a part of what `self` has pinned, and stays there until it is dropped in
        // place: the type has no `Drop`, is not packed, and has no method that moves the field or
        // lends it without a pin. It is `Unpin` only if `F` is.
        let future = unsafe { Pin::new_unchecked(&mut this.future) };
        let had_budget = budget::is_left();
        if let Poll::Ready(output) = future.poll(context) {
            // The timeout may be kept for long.
            this.sleep.unregister();
            return Poll::Ready(Ok(output));
        }
        let is_late = if had_budget {
            // The future may use up its budget in each poll.
            this.sleep.poll_deadline(context)
        } else {
            // It may be ready, and had nothing left to say so: its task has to yield first.
            Pin::new(&mut this.sleep).poll(context)
        };
        is_late.map(|()| Err(Elapsed))
    }
}

impl<F> fmt::Debug for Timeout<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timeout")
            .field("deadline", &self.sleep.deadline())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not ready by its deadline; give it more time, or try again")
    }
}

impl Error for Elapsed {}

/// As an error of kind [`TimedOut`](io::ErrorKind::TimedOut).
impl From<Elapsed> for io::Error {
    fn from(elapsed: Elapsed) -> Self {
        io::Error::new(io::ErrorKind::TimedOut, elapsed)
    }
}
