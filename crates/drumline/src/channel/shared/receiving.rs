//! What receivers of `mpsc` and `mpmc` return: a future and iterators.

use std::fmt;
use std::future::Future;
use std::iter::FusedIterator;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::{ReceiverEnd, WaitKey};
use crate::channel::RecvError;
use crate::channel::recv_many::RecvFuture;
use crate::wait::WaiterEntry;

/// A future that receives a message; made by [`recv_async`] of a receiver.
///
/// [`recv_async`]: crate::channel::mpmc::Receiver::recv_async
///
/// To forget it (`std::mem::forget`) after it was polled keeps its place among those that wait: a
/// message that comes wakes it, and no other receiver, until one of them receives. In a rendezvous
/// the message is handed to it, and lost.
#[must_use = "a future does nothing unless it is awaited"]
pub struct RecvAsync<'a, T: Send> {
    end: &'a ReceiverEnd<T>,
    /// While it waits.
    key: Option<WaitKey>,
    entry: WaiterEntry,
    location: &'static Location<'static>,
}

impl<'a, T: Send> RecvAsync<'a, T> {
    #[track_caller]
    pub(in crate::channel) fn new(end: &'a ReceiverEnd<T>) -> Self {
        RecvAsync {
            end,
            key: None,
            entry: WaiterEntry::new(),
            location: Location::caller(),
        }
    }
}

impl<T: Send> Future for RecvAsync<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let RecvAsync {
            end,
            key,
            entry,
            location,
        } = &mut *self;
        end.poll_recv(cx, key, entry, location)
    }
}

impl<T: Send> RecvFuture for RecvAsync<'_, T> {
    type Message = T;

    fn take_more(&mut self, messages: &mut Vec<T>, most: usize) -> usize {
        self.end.try_recv_many(messages, most).unwrap_or(0)
    }
}

impl<T: Send> Drop for RecvAsync<'_, T> {
    fn drop(&mut self) {
        self.end.give_up(self.key.take());
    }
}

impl<T: Send> fmt::Debug for RecvAsync<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvAsync").finish_non_exhaustive()
    }
}

/// All messages; made by [`iter`](crate::channel::mpmc::Receiver::iter) of a receiver.
#[derive(Debug)]
pub struct Iter<'a, T: Send> {
    end: &'a ReceiverEnd<T>,
    location: &'static Location<'static>,
    /// After its end, a message may still come back from a future that is dropped.
    is_over: bool,
}

/// The messages that are there; made by [`try_iter`] of a receiver.
///
/// [`try_iter`]: crate::channel::mpmc::Receiver::try_iter
#[derive(Debug)]
pub struct TryIter<'a, T: Send>(pub(in crate::channel) &'a ReceiverEnd<T>);

/// The messages that were sent before the channel was closed; made by [`drain`] of a receiver.
///
/// [`drain`]: crate::channel::mpmc::Receiver::drain
#[derive(Debug)]
pub struct Drain<'a, T: Send> {
    end: &'a ReceiverEnd<T>,
    is_over: bool,
}

/// All messages, as [`iter`](crate::channel::mpmc::Receiver::iter) has them; made of a receiver.
#[derive(Debug)]
pub struct IntoIter<T: Send> {
    end: ReceiverEnd<T>,
    location: &'static Location<'static>,
    is_over: bool,
}

impl<'a, T: Send> Iter<'a, T> {
    #[track_caller]
    pub(in crate::channel) fn new(end: &'a ReceiverEnd<T>) -> Self {
        Iter {
            end,
            location: Location::caller(),
            is_over: false,
        }
    }
}

impl<'a, T: Send> Drain<'a, T> {
    pub(in crate::channel) fn new(end: &'a ReceiverEnd<T>) -> Self {
        Drain {
            end,
            is_over: false,
        }
    }
}

impl<T: Send> IntoIter<T> {
    #[track_caller]
    pub(in crate::channel) fn new(end: ReceiverEnd<T>) -> Self {
        IntoIter {
            end,
            location: Location::caller(),
            is_over: false,
        }
    }
}

/// What an iterator that has an end answers.
fn until_over<M>(is_over: &mut bool, next: impl FnOnce() -> Option<M>) -> Option<M> {
    if *is_over {
        return None;
    }
    let message = next();
    *is_over = message.is_none();
    message
}

impl<T: Send> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        until_over(&mut self.is_over, || self.end.recv(self.location).ok())
    }
}

impl<T: Send> Iterator for TryIter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.try_recv().ok()
    }
}

impl<T: Send> Iterator for Drain<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        until_over(&mut self.is_over, || self.end.try_recv().ok())
    }
}

impl<T: Send> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        until_over(&mut self.is_over, || self.end.recv(self.location).ok())
    }
}

impl<T: Send> FusedIterator for Iter<'_, T> {}
impl<T: Send> FusedIterator for Drain<'_, T> {}
impl<T: Send> FusedIterator for IntoIter<T> {}
