//! The futures of a sender of `mpsc` and `mpmc`.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::sender::{SendPermit, Sender};
use super::{Listed, Outgoing, Unsent, WaitKey};
use crate::channel::SendError;
use crate::wait::{WaiterEntry, WaitingFor, budget};

/// A future that sends a message; made by [`Sender::send_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct SendAsync<'a, T: Send> {
    sender: &'a Sender<T>,
    /// Before it waits.
    message: Option<T>,
    /// While it waits. Then the list has the message.
    key: Option<WaitKey>,
    entry: WaiterEntry,
    location: &'static Location<'static>,
}

// The message is moved, and never pinned.
impl<T: Send> Unpin for SendAsync<'_, T> {}

impl<'a, T: Send> SendAsync<'a, T> {
    #[track_caller]
    pub(super) fn new(sender: &'a Sender<T>, message: T) -> Self {
        SendAsync {
            sender,
            message: Some(message),
            key: None,
            entry: WaiterEntry::new(),
            location: Location::caller(),
        }
    }
}

impl<T: Send> Future for SendAsync<'_, T> {
    type Output = Result<(), SendError<T>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        ready!(budget::proceed(cx));
        let this = &mut *self;
        let shared = &this.sender.shared;
        let listed = if this.key.is_some() {
            // The program's code: should it panic, all stays as it is.
            let waker = cx.waker().clone();
            match shared.look_at_sender(&mut this.key, waker) {
                Some(outgoing) => Listed::Ready(outgoing),
                None => return Poll::Pending,
            }
        } else {
            let message = this.message.take().expect("it was ready before");
            match shared.try_send(message) {
                Ok(()) => return Poll::Ready(Ok(())),
                Err(Unsent::Closed(message)) => return Poll::Ready(Err(SendError(message))),
                Err(Unsent::Full(message)) => {
                    this.message = Some(message);
                    let waker = cx.waker().clone();
                    let message = this.message.take().expect("it was put there");
                    shared.line_up(Outgoing::Message(message), waker)
                }
            }
        };
        if let Listed::Ready(_) = listed {
            this.entry.clear();
        }
        match listed {
            Listed::Ready(Outgoing::Done) => Poll::Ready(Ok(())),
            Listed::Ready(Outgoing::Message(message)) => Poll::Ready(Err(SendError(message))),
            Listed::Ready(Outgoing::Permit) => unreachable!("it has a message"),
            Listed::Waits(key) => {
                this.key = Some(key);
                let site = shared.site(WaitingFor::Capacity, this.location);
                this.entry.pend(site);
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
///
/// To forget it (`std::mem::forget`) after it was polled keeps its place in the line, and takes the
/// permit that it gets there away from the channel for good.
#[must_use = "a future does nothing unless it is awaited"]
pub struct Reservation<'a, T: Send> {
    sender: &'a Sender<T>,
    /// While it waits.
    key: Option<WaitKey>,
    entry: WaiterEntry,
    location: &'static Location<'static>,
}

impl<'a, T: Send> Reservation<'a, T> {
    #[track_caller]
    pub(super) fn new(sender: &'a Sender<T>) -> Self {
        Reservation {
            sender,
            key: None,
            entry: WaiterEntry::new(),
            location: Location::caller(),
        }
    }
}

impl<'a, T: Send> Future for Reservation<'a, T> {
    type Output = Result<SendPermit<'a, T>, SendError<()>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        ready!(budget::proceed(cx));
        let sender = self.sender;
        let listed = if self.key.is_some() {
            let waker = cx.waker().clone();
            match sender.shared.look_at_sender(&mut self.key, waker) {
                Some(outgoing) => Listed::Ready(outgoing),
                None => return Poll::Pending,
            }
        } else {
            match sender.shared.try_reserve() {
                Ok(()) => return Poll::Ready(Ok(SendPermit::new(sender))),
                Err(Unsent::Closed(())) => return Poll::Ready(Err(SendError(()))),
                Err(Unsent::Full(())) => {
                    let waker = cx.waker().clone();
                    sender.shared.line_up(Outgoing::Permit, waker)
                }
            }
        };
        if let Listed::Ready(_) = listed {
            self.entry.clear();
        }
        match listed {
            Listed::Ready(Outgoing::Done) => Poll::Ready(Ok(SendPermit::new(sender))),
            Listed::Ready(_) => Poll::Ready(Err(SendError(()))),
            Listed::Waits(key) => {
                self.key = Some(key);
                let site = sender.shared.site(WaitingFor::Capacity, self.location);
                self.entry.pend(site);
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
    entry: WaiterEntry,
    location: &'static Location<'static>,
}

impl<'a, T: Send> Closed<'a, T> {
    #[track_caller]
    pub(super) fn new(sender: &'a Sender<T>) -> Self {
        Closed {
            sender,
            key: None,
            entry: WaiterEntry::new(),
            location: Location::caller(),
        }
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
            Some(_) => {
                let site = self.sender.shared.site(WaitingFor::Close, self.location);
                self.entry.pend(site);
                Poll::Pending
            }
            None => {
                self.entry.clear();
                Poll::Ready(())
            }
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
