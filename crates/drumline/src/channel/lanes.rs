//! Many senders, one receiver, and a lane for each sender.
//!
//! ```
//! use drumline::channel::lanes;
//!
//! let (sender, mut receiver) = lanes::unbounded();
//! for client in 0..4u64 {
//!     let mut sender = sender.clone();
//!     std::thread::spawn(move || (0..100).try_for_each(|n| sender.send(client * 1_000 + n)));
//! }
//! drop(sender);
//! assert_eq!(receiver.iter().count(), 400);
//! ```
//!
//! # Order
//!
//! **Only the messages of one sender keep their order.** A message can be received before one that
//! was sent earlier by another sender, also where the first has told the second that it has sent.
//! This is the price of speed: senders share nothing with each other. The receiver takes up to 64
//! messages in a row from a lane, and then turns to the next one that has some.
//!
//! # Cost
//!
//! A message costs what it costs in [`spsc`](super::spsc), however many senders there are. A lane
//! that has nothing costs nothing but its memory (about half a kilobyte).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::Duration;

use super::hub::{Gatherer, Hub, Port};
use super::lane::{Nothing, Refused, Writer};
use super::{
    CloseReason, RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError,
    TrySendError,
};
use crate::sync::{Arc, Instant};
use crate::wait::{Interrupt, Watched, budget, watch};

/// A channel of lanes without a bound: a send never waits.
pub fn unbounded<T: Send>() -> (Sender<T>, Receiver<T>) {
    channel(usize::MAX)
}

/// A channel whose lanes hold `capacity` messages each: a send waits for room in its own lane.
///
/// ```
/// let (mut first, _receiver) = drumline::channel::lanes::per_lane(1);
/// let mut second = first.clone();
/// assert!(first.try_send(1).is_ok() && second.try_send(2).is_ok());
/// assert!(first.try_send(3).is_err());
/// ```
///
/// # Panics
///
/// If `capacity` is 0: such a channel passes nothing on.
pub fn per_lane<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    assert!(
        capacity > 0,
        "lanes of capacity 0 pass nothing on; ask for at least 1"
    );
    channel(capacity)
}

fn channel<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let hub = Arc::new(Hub::new(capacity));
    let sender = Sender::new(Arc::clone(&hub));
    let receiver = Receiver {
        hub,
        gatherer: Gatherer::new(),
        interrupt: OnceLock::new(),
    };
    (sender, receiver)
}

/// A sending end, with a lane of its own; a clone has another lane.
///
/// The channel ends when all senders are gone. The receiver then gets the gravest of their reasons:
/// [`Panicked`](CloseReason::Panicked) before [`Dropped`](CloseReason::Dropped) before
/// [`Finished`](CloseReason::Finished).
pub struct Sender<T: Send> {
    hub: Arc<Hub<T>>,
    port: Arc<Port<T>>,
    writer: Writer<T>,
}

impl<T: Send> Sender<T> {
    fn new(hub: Arc<Hub<T>>) -> Self {
        let port = hub.open_port();
        Sender {
            hub,
            port,
            writer: Writer::new(),
        }
    }

    #[inline]
    fn push(&mut self, message: T) -> Result<(), Refused<T>> {
        // SAFETY: the one sender of its lane, and borrowed mutably.
        let pushed = unsafe { self.writer.push(&self.port.lane, message) };
        if let Ok(told) | Err(Refused::Closed(_, told)) = &pushed {
            self.hub.note(&self.port, *told);
        }
        pushed.map(|_| ())
    }

    /// Sends a message; waits for room in its lane if there is none.
    ///
    /// # Errors
    ///
    /// If the receiver is gone, or has closed the channel. The message comes back.
    ///
    /// # Blocking
    ///
    /// While the lane is full, until the receiver takes a message from it, closes the channel or is
    /// dropped. Never in an unbounded channel.
    #[inline]
    pub fn send(&mut self, message: T) -> Result<(), SendError<T>> {
        match self.push(message) {
            Ok(()) => Ok(()),
            Err(Refused::Closed(message, _)) => Err(SendError(message)),
            Err(Refused::Full(message)) => {
                self.send_until(message, None).map_err(|error| match error {
                    SendTimeoutError::Closed(message) => SendError(message),
                    SendTimeoutError::Timeout(_) => unreachable!("there is no deadline"),
                })
            }
        }
    }

    #[cold]
    fn send_until(
        &mut self,
        mut message: T,
        deadline: Option<Instant>,
    ) -> Result<(), SendTimeoutError<T>> {
        loop {
            match self.push(message) {
                Ok(()) => return Ok(()),
                Err(Refused::Closed(message, _)) => return Err(SendTimeoutError::Closed(message)),
                Err(Refused::Full(back)) => message = back,
            }
            let Sender { port, writer, .. } = self;
            let has_room = || writer.has_room(&port.lane);
            if !port.lane.room().wait(deadline, has_room) {
                return Err(SendTimeoutError::Timeout(message));
            }
        }
    }

    /// Sends a message if there is room in its lane now.
    ///
    /// # Errors
    ///
    /// If the lane is full, and if the receiver is gone, or has closed the channel. The message
    /// comes back.
    #[inline]
    pub fn try_send(&mut self, message: T) -> Result<(), TrySendError<T>> {
        self.push(message).map_err(|refused| match refused {
            Refused::Full(message) => TrySendError::Full(message),
            Refused::Closed(message, _) => TrySendError::Closed(message),
        })
    }

    /// As [`send`](Self::send), but waits for `timeout` at most.
    ///
    /// # Errors
    ///
    /// If there was no room until then, and as [`send`](Self::send).
    ///
    /// # Blocking
    ///
    /// As [`send`](Self::send), for `timeout` at most.
    pub fn send_timeout(
        &mut self,
        message: T,
        timeout: Duration,
    ) -> Result<(), SendTimeoutError<T>> {
        match self.push(message) {
            Ok(()) => Ok(()),
            Err(Refused::Closed(message, _)) => Err(SendTimeoutError::Closed(message)),
            Err(Refused::Full(message)) => match Instant::now().checked_add(timeout) {
                Some(deadline) => self.send_until(message, Some(deadline)),
                None => self.send_until(message, None),
            },
        }
    }

    /// A future that sends a message when there is room in its lane.
    ///
    /// # Errors
    ///
    /// If the receiver is gone, or has closed the channel. The message comes back.
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready has sent nothing; its message is dropped with it.
    pub fn send_async(&mut self, message: T) -> SendAsync<'_, T> {
        SendAsync {
            sender: self,
            message: Some(message),
            is_listed: false,
        }
    }

    /// Says that all messages of this sender have been sent; see [`CloseReason::Finished`].
    pub fn finish(mut self) {
        self.end(CloseReason::Finished);
        // Its drop would say something else.
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: each is read once, and not used again. The writer needs no drop.
        unsafe {
            drop(std::ptr::read(&raw const this.port));
            drop(std::ptr::read(&raw const this.hub));
        }
    }

    fn end(&mut self, reason: CloseReason) {
        struct Leave<'a, T>(&'a Hub<T>, CloseReason);
        impl<T> Drop for Leave<'_, T> {
            fn drop(&mut self) {
                self.0.leave(self.1);
            }
        }
        // At the end, also if a waker panics.
        let _leave = Leave(&self.hub, reason);
        let told = self.writer.end(&self.port.lane, reason);
        self.hub.note(&self.port, told);
    }

    /// How many messages of this sender are in the channel, about.
    pub fn len(&self) -> usize {
        self.port.lane.len()
    }

    /// Whether no message of this sender is in the channel; see [`len`](Self::len).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many messages its lane holds at most. `None`: there is no bound.
    pub fn capacity(&self) -> Option<usize> {
        Some(self.port.lane.capacity()).filter(|&capacity| capacity != usize::MAX)
    }

    /// Whether the receiver is gone, or has closed the channel.
    pub fn is_closed(&self) -> bool {
        self.port.lane.is_closing()
    }
}

impl<T: Send> Clone for Sender<T> {
    /// A sender with a lane of its own, to the same receiver. Takes a lock, and allocates.
    fn clone(&self) -> Self {
        Sender::new(Arc::clone(&self.hub))
    }
}

impl<T: Send> Drop for Sender<T> {
    fn drop(&mut self) {
        self.end(CloseReason::of_drop());
    }
}

impl<T: Send> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender")
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("is_closed", &self.is_closed())
            .finish()
    }
}

/// A future that sends a message; made by [`Sender::send_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct SendAsync<'a, T: Send> {
    sender: &'a mut Sender<T>,
    /// `None` once it is ready.
    message: Option<T>,
    is_listed: bool,
}

// The message is moved, and never pinned.
impl<T: Send> Unpin for SendAsync<'_, T> {}

impl<T: Send> Future for SendAsync<'_, T> {
    type Output = Result<(), SendError<T>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let Sender { port, writer, .. } = &mut *this.sender;
        if !writer.has_room(&port.lane) {
            let has_room = || writer.has_room(&port.lane);
            let room = port.lane.room();
            if !room.list(cx.waker(), &mut this.is_listed, has_room) {
                return Poll::Pending;
            }
        }
        if budget::proceed(cx).is_pending() {
            return Poll::Pending;
        }
        let message = this.message.take().expect("it was ready before");
        Poll::Ready(this.sender.push(message).map_err(|refused| match refused {
            Refused::Closed(message, _) | Refused::Full(message) => SendError(message),
        }))
    }
}

impl<T: Send> Drop for SendAsync<'_, T> {
    fn drop(&mut self) {
        self.sender.port.lane.room().unlist(&mut self.is_listed);
    }
}

impl<T: Send> fmt::Debug for SendAsync<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendAsync").finish_non_exhaustive()
    }
}

/// The receiving end; made by [`unbounded`] or [`per_lane`].
///
/// When it is dropped, the messages that are in the channel are dropped, and each later send fails.
/// To have those that were sent already, [`close`](Self::close) it first.
pub struct Receiver<T: Send> {
    hub: Arc<Hub<T>>,
    gatherer: Gatherer<T>,
    /// Made when a stream first takes from it.
    interrupt: OnceLock<std::sync::Arc<Interrupt>>,
}

impl<T: Send> Receiver<T> {
    #[inline]
    fn take(&mut self) -> Result<T, Nothing> {
        // SAFETY: the one receiver of its hub, and borrowed mutably.
        unsafe { self.gatherer.take(&self.hub) }
    }

    fn wait(&mut self, deadline: Option<Instant>) -> bool {
        let Receiver { hub, gatherer, .. } = self;
        match watch(deadline, || gatherer.is_ready(hub)) {
            Watched::Ready => return true,
            Watched::TooLate => return false,
            Watched::Nothing => {}
        }
        !gatherer.rest_all(hub) || hub.arrivals().sleep_until(deadline, || hub.is_called())
    }

    /// Receives a message; waits for it if there is none.
    ///
    /// # Errors
    ///
    /// If all messages have been received, and no more will come; says why.
    ///
    /// # Blocking
    ///
    /// Until there is a message, or all senders are gone.
    #[inline]
    pub fn recv(&mut self) -> Result<T, RecvError> {
        loop {
            match self.take() {
                Ok(message) => return Ok(message),
                Err(Nothing::Ever(reason)) => return Err(RecvError::new(reason)),
                Err(Nothing::Yet) => self.wait(None),
            };
        }
    }

    /// Receives a message if there is one now.
    ///
    /// # Errors
    ///
    /// If there is none now, and if no more will come.
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.take().map_err(TryRecvError::from)
    }

    /// Receives what is there now, up to `max` messages, and adds it to `messages`.
    pub(super) fn try_recv_many(
        &mut self,
        messages: &mut Vec<T>,
        max: usize,
    ) -> Result<usize, TryRecvError> {
        // SAFETY: the one receiver of its hub, and borrowed mutably.
        let taken = unsafe { self.gatherer.take_many(&self.hub, messages, max) };
        taken.map_err(TryRecvError::from)
    }

    /// About how many messages are in some of the lanes; takes no lock.
    pub(super) fn count_near(&self) -> usize {
        self.gatherer.count_near(&self.hub)
    }

    /// Why no more messages come, once all were received.
    pub(super) fn end_reason(&self) -> Option<CloseReason> {
        self.gatherer.end_reason(&self.hub, self.hub.ended())
    }

    /// What ends the wait of a stream.
    pub(super) fn interrupt(&self) -> &std::sync::Arc<Interrupt> {
        self.interrupt.get_or_init(Interrupt::new)
    }

    /// As [`recv`](Self::recv), but waits for `timeout` at most.
    ///
    /// # Errors
    ///
    /// If no message came until then, and as [`recv`](Self::recv).
    ///
    /// # Blocking
    ///
    /// As [`recv`](Self::recv), for `timeout` at most.
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let deadline = Instant::now().checked_add(timeout);
        loop {
            match self.take() {
                Ok(message) => return Ok(message),
                Err(Nothing::Ever(reason)) => return Err(RecvTimeoutError::Closed(reason)),
                Err(Nothing::Yet) => {}
            }
            if !self.wait(deadline) {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    /// A future that receives a message.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// let (mut sender, mut receiver) = drumline::channel::lanes::unbounded();
    /// drumline::spawn(move || sender.send("hello"));
    /// assert_eq!(receiver.recv_async().await, Ok("hello"));
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready has received nothing.
    pub fn recv_async(&mut self) -> RecvAsync<'_, T> {
        RecvAsync {
            receiver: self,
            is_listed: false,
        }
    }

    /// Goes through all messages until no more will come; waits for each.
    ///
    /// # Blocking
    ///
    /// Each step as [`recv`](Self::recv).
    pub fn iter(&mut self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.recv().ok())
    }

    /// Goes through the messages that are there; waits for none.
    pub fn try_iter(&mut self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.try_recv().ok())
    }

    /// Closes the channel: each later send fails. What was sent before can still be received.
    ///
    /// ```
    /// use drumline::channel::{SendError, lanes};
    ///
    /// let (mut sender, mut receiver) = lanes::unbounded();
    /// let mut other = sender.clone();
    /// sender.send(1).unwrap();
    /// receiver.close();
    /// assert_eq!(other.send(2), Err(SendError(2)));
    /// assert_eq!(sender.clone().send(3), Err(SendError(3)));
    /// assert_eq!(receiver.iter().collect::<Vec<_>>(), [1]);
    /// ```
    ///
    /// For each message it is certain which of the two happens: a send that returns `Ok` has put its
    /// message before the end. Takes a lock.
    pub fn close(&mut self) {
        self.gatherer.close(&self.hub);
    }

    /// Closes the channel, and takes all messages out of it that were sent before.
    ///
    /// Messages that are left when the iterator is dropped stay in the channel.
    pub fn drain(&mut self) -> impl Iterator<Item = T> + '_ {
        self.close();
        self.try_iter()
    }

    /// How many messages are in all lanes, about. Looks at each lane, under a lock.
    pub fn len(&self) -> usize {
        self.hub.len()
    }

    /// Whether there is no message; see [`len`](Self::len).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether no more messages will be sent: all senders are gone, or this end has closed the
    /// channel. There may be some to receive.
    pub fn is_closed(&self) -> bool {
        self.close_reason().is_some()
    }

    /// Why no more messages will be sent, if that is so: the gravest reason of a sender.
    pub fn close_reason(&self) -> Option<CloseReason> {
        if self.gatherer.is_closed() {
            Some(CloseReason::ClosedByReceiver)
        } else {
            self.hub.ended()
        }
    }

    /// How many messages each lane holds at most. `None`: there is no bound.
    pub fn capacity_per_lane(&self) -> Option<usize> {
        Some(self.hub.capacity()).filter(|&capacity| capacity != usize::MAX)
    }
}

impl<T: Send> Drop for Receiver<T> {
    fn drop(&mut self) {
        // A message whose drop panics stops this drop. The next one goes on with the others.
        struct Rest<'a, T: Send>(&'a mut Receiver<T>);
        impl<T: Send> Drop for Rest<'_, T> {
            fn drop(&mut self) {
                while self.0.take().is_ok() {}
            }
        }
        self.close();
        let rest = Rest(self);
        while rest.0.take().is_ok() {}
    }
}

impl<T: Send> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("len", &self.len())
            .field("capacity_per_lane", &self.capacity_per_lane())
            .finish()
    }
}

/// A future that receives a message; made by [`Receiver::recv_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct RecvAsync<'a, T: Send> {
    receiver: &'a mut Receiver<T>,
    is_listed: bool,
}

impl<T: Send> Future for RecvAsync<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let RecvAsync {
            receiver,
            is_listed,
        } = &mut *self;
        loop {
            let Receiver { hub, gatherer, .. } = &mut **receiver;
            if gatherer.is_ready(hub) {
                if budget::proceed(cx).is_pending() {
                    return Poll::Pending;
                }
                match receiver.take() {
                    Ok(message) => return Poll::Ready(Ok(message)),
                    Err(Nothing::Ever(reason)) => return Poll::Ready(Err(RecvError::new(reason))),
                    // A lane had ended, and that was all.
                    Err(Nothing::Yet) => continue,
                }
            }
            let is_called = || hub.is_called();
            if gatherer.rest_all(hub) && !hub.arrivals().list(cx.waker(), is_listed, is_called) {
                return Poll::Pending;
            }
        }
    }
}

impl<T: Send> Drop for RecvAsync<'_, T> {
    fn drop(&mut self) {
        self.receiver.hub.arrivals().unlist(&mut self.is_listed);
    }
}

impl<T: Send> fmt::Debug for RecvAsync<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvAsync").finish_non_exhaustive()
    }
}
