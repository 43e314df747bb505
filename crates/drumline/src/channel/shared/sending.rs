//! The futures of a sender of `mpsc` and `mpmc`.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::sender::{SendPermit, Sender};
use super::{Listed, Outgoing, Unsent, WaitKey};
use crate::channel::SendError;
use crate::wait::budget;

/// A future that sends a message; made by [`Sender::send_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct SendAsync<'a, T: Send> {
    sender: &'a Sender<T>,
    /// Before it waits.
    message: Option<T>,
    /// While it waits. Then the list has the message.
    key: Option<WaitKey>,
}

// The message is moved, and never pinned.
impl<T: Send> Unpin for SendAsync<'_, T> {}

impl<'a, T: Send> SendAsync<'a, T> {
    pub(super) fn new(sender: &'a Sender<T>, message: T) -> Self {
        SendAsync {
            sender,
            message: Some(message),
            key: None,
        }
    }
}

impl<T: Send> Future for SendAsync<'_, T> {
    type Output = Result<(), SendError<T>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        ready!(budget::proceed(cx));
        let this = &mut *self;
        let shared = &this.sender.shared;
        let listed = match this.key.take() {
            Some(key) => shared.look_at_sender(key, cx.waker()),
            None => {
                let message = this.message.take().expect("it was ready before");
                match shared.try_send(message) {
                    Ok(()) => return Poll::Ready(Ok(())),
                    Err(Unsent::Closed(message)) => return Poll::Ready(Err(SendError(message))),
                    Err(Unsent::Full(message)) => {
                        // The program's code: should it panic, the message is still here.
                        this.message = Some(message);
                        let waker = cx.waker().clone();
                        let message = this.message.take().expect("it was put there");
                        shared.line_up(Outgoing::Message(message), waker)
                    }
                }
            }
        };
        match listed {
            Listed::Ready(Outgoing::Done) => Poll::Ready(Ok(())),
            Listed::Ready(Outgoing::Message(message)) => Poll::Ready(Err(SendError(message))),
            Listed::Ready(Outgoing::Permit) => unreachable!("it has a message"),
            Listed::Waits(key) => {
                this.key = Some(key);
                Poll::Pending
            }
        }
    }
}

impl<T: Send> Drop for SendAsync<'_, T> {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            drop(self.sender.shared.step_out(key));
        }
    }
}

impl<T: Send> fmt::Debug for SendAsync<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendAsync").finish_non_exhaustive()
    }
}

/// A future that waits for room; made by [`Sender::reserve`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Reservation<'a, T: Send> {
    sender: &'a Sender<T>,
    /// While it waits.
    key: Option<WaitKey>,
}

impl<'a, T: Send> Reservation<'a, T> {
    pub(super) fn new(sender: &'a Sender<T>) -> Self {
        Reservation { sender, key: None }
    }
}

impl<'a, T: Send> Future for Reservation<'a, T> {
    type Output = Result<SendPermit<'a, T>, SendError<()>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        ready!(budget::proceed(cx));
        let sender = self.sender;
        let listed = match self.key.take() {
            Some(key) => sender.shared.look_at_sender(key, cx.waker()),
            None => match sender.shared.try_reserve() {
                Ok(()) => return Poll::Ready(Ok(SendPermit::new(sender))),
                Err(Unsent::Closed(())) => return Poll::Ready(Err(SendError(()))),
                Err(Unsent::Full(())) => {
                    let waker = cx.waker().clone();
                    sender.shared.line_up(Outgoing::Permit, waker)
                }
            },
        };
        match listed {
            Listed::Ready(Outgoing::Done) => Poll::Ready(Ok(SendPermit::new(sender))),
            Listed::Ready(_) => Poll::Ready(Err(SendError(()))),
            Listed::Waits(key) => {
                self.key = Some(key);
                Poll::Pending
            }
        }
    }
}

impl<T: Send> Drop for Reservation<'_, T> {
    fn drop(&mut self) {
        if let Some(key) = self.key.take()
            && let Outgoing::Done = self.sender.shared.step_out(key)
        {
            // The permit that it was given at the last moment.
            self.sender.shared.give_room_back();
        }
    }
}

impl<T: Send> fmt::Debug for Reservation<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reservation").finish_non_exhaustive()
    }
}

/// A future that waits for the end of the receivers; made by [`Sender::closed`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Closed<'a, T: Send> {
    sender: &'a Sender<T>,
    /// While it waits.
    key: Option<WaitKey>,
}

impl<'a, T: Send> Closed<'a, T> {
    pub(super) fn new(sender: &'a Sender<T>) -> Self {
        Closed { sender, key: None }
    }

    fn unlist(&mut self) {
        if let Some(key) = self.key.take() {
            self.sender.shared.unlist_closer(key);
        }
    }
}

impl<T: Send> Future for Closed<'_, T> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        ready!(budget::proceed(cx));
        let waker = cx.waker().clone();
        self.unlist();
        self.key = self.sender.shared.list_closer(waker);
        match self.key {
            Some(_) => Poll::Pending,
            None => Poll::Ready(()),
        }
    }
}

impl<T: Send> Drop for Closed<'_, T> {
    fn drop(&mut self) {
        self.unlist();
    }
}

impl<T: Send> fmt::Debug for Closed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Closed").finish_non_exhaustive()
    }
}
