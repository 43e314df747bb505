//! Receiving what there is, in a task.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::RecvError;

/// A future that receives one message, of an end that may have more.
pub(in crate::channel) trait RecvFuture:
    Future<Output = Result<Self::Message, RecvError>> + Unpin
{
    type Message;

    /// Takes what there is now, up to `most`, after the future was ready. Returns how many.
    fn take_more(&mut self, messages: &mut Vec<Self::Message>, most: usize) -> usize;
}

/// A future that receives at least one message, and what there is besides: the first one by
/// `first`, which is all that waits. So it has received nothing as long as it is not ready.
pub(in crate::channel) struct RecvManyAsync<'a, F: RecvFuture> {
    first: F,
    messages: &'a mut Vec<F::Message>,
    max: usize,
}

impl<'a, F: RecvFuture> RecvManyAsync<'a, F> {
    pub(in crate::channel) fn new(first: F, messages: &'a mut Vec<F::Message>, max: usize) -> Self {
        RecvManyAsync {
            first,
            messages,
            max,
        }
    }
}

impl<F: RecvFuture> Future for RecvManyAsync<'_, F> {
    type Output = Result<usize, RecvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let RecvManyAsync {
            first,
            messages,
            max,
        } = &mut *self;
        let Some(further) = max.checked_sub(1) else {
            return Poll::Ready(Ok(0));
        };
        // Before anything is taken: it may panic.
        messages.reserve(1);
        let message = ready!(Pin::new(&mut *first).poll(cx))?;
        messages.push(message);
        let more = match further {
            0 => 0,
            further => first.take_more(messages, further),
        };
        Poll::Ready(Ok(1 + more))
    }
}

impl<F: RecvFuture> fmt::Debug for RecvManyAsync<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvManyAsync").finish_non_exhaustive()
    }
}
