//! Futures that are ready when a token is cancelled.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::cancel::CancellationToken;
use super::request::ListedWaker;
use crate::wait::budget;

/// A future that is ready when a token is cancelled; made by
/// [`CancellationToken::cancelled`].
///
/// It holds no thread up. Polled again after it was ready, it is ready again. So it can be waited
/// for in a loop together with other futures.
///
/// # Cancellation
///
/// A future that is dropped is gone at once: the token keeps nothing of it.
#[must_use = "a future does nothing unless it is awaited"]
pub struct Cancelled<'a> {
    token: &'a CancellationToken,
    /// There once it has been polled too early.
    listed: Option<ListedWaker>,
}

/// As [`Cancelled`], with a token of its own; made by [`CancellationToken::cancelled_owned`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct CancelledOwned {
    token: CancellationToken,
    listed: Option<ListedWaker>,
}

impl<'a> Cancelled<'a> {
    pub(super) fn new(token: &'a CancellationToken) -> Self {
        Cancelled {
            token,
            listed: None,
        }
    }
}

impl CancelledOwned {
    pub(super) fn new(token: CancellationToken) -> Self {
        CancelledOwned {
            token,
            listed: None,
        }
    }
}

fn poll(
    token: &CancellationToken,
    listed: &mut Option<ListedWaker>,
    context: &mut Context<'_>,
) -> Poll<()> {
    match token.request().poll(listed, context.waker()) {
        true => budget::proceed(context),
        false => Poll::Pending,
    }
}

impl Future for Cancelled<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        poll(this.token, &mut this.listed, context)
    }
}

impl Future for CancelledOwned {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        poll(&this.token, &mut this.listed, context)
    }
}

impl Drop for Cancelled<'_> {
    fn drop(&mut self) {
        self.token.request().leave(&mut self.listed);
    }
}

impl Drop for CancelledOwned {
    fn drop(&mut self) {
        self.token.request().leave(&mut self.listed);
    }
}

impl fmt::Debug for Cancelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancelled")
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for CancelledOwned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelledOwned")
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}
