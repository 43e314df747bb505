//! The sending end.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use super::site::site;
use crate::channel::hub::{Hub, Port};
use crate::channel::lane::sending::{self, sending};
use crate::channel::lane::{Refused, Writer};
use crate::channel::{CloseReason, SendError, SendTimeoutError, TrySendError, WaitingFor};
use crate::sync::{Arc, Instant};
use crate::wait::WaiterEntry;

/// A sending end, with a lane of its own; a clone has another lane.
///
/// The channel ends when all senders are gone. The receiver then gets the gravest of their reasons:
/// [`Panicked`](CloseReason::Panicked) before [`Dropped`](CloseReason::Dropped) before
/// [`Finished`](CloseReason::Finished).
///
/// ```
/// use drumline::channel::{CloseReason, lanes};
///
/// let (mut sender, mut receiver) = lanes::unbounded();
/// let mut other = sender.clone(); // with a lane of its own
/// other.send(1).unwrap();
/// other.finish();
/// sender.send(2).unwrap();
/// drop(sender); // the graver reason
/// assert_eq!(receiver.iter().count(), 2);
/// assert_eq!(receiver.close_reason(), Some(CloseReason::Dropped));
/// ```
pub struct Sender<T: Send> {
    hub: Arc<Hub<T>>,
    port: Arc<Port<T>>,
    writer: Writer<T>,
    entry: WaiterEntry,
}

impl<T: Send> Sender<T> {
    pub(super) fn new(hub: Arc<Hub<T>>) -> Self {
        let port = hub.open_port();
        Sender {
            hub,
            port,
            writer: Writer::new(),
            entry: WaiterEntry::new(),
        }
    }

    #[inline(always)]
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
    /// ```
    /// use drumline::channel::{SendError, lanes};
    ///
    /// let (mut sender, mut receiver) = lanes::unbounded();
    /// assert_eq!(sender.send("hello"), Ok(()));
    /// assert_eq!(receiver.recv(), Ok("hello"));
    /// drop(receiver);
    /// assert_eq!(sender.send("hello?"), Err(SendError("hello?")));
    /// ```
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
    #[track_caller]
    pub fn send(&mut self, message: T) -> Result<(), SendError<T>> {
        match self.push(message) {
            Ok(()) => Ok(()),
            Err(Refused::Closed(message, _)) => Err(SendError(message)),
            Err(Refused::Full(message)) => {
                let sent = self.send_until(message, None, Location::caller());
                sent.map_err(|error| match error {
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
        location: &'static Location<'static>,
    ) -> Result<(), SendTimeoutError<T>> {
        loop {
            match self.push(message) {
                Ok(()) => return Ok(()),
                Err(Refused::Closed(message, _)) => return Err(SendTimeoutError::Closed(message)),
                Err(Refused::Full(back)) => message = back,
            }
            let site = site(&self.hub, WaitingFor::Capacity, location);
            let Sender {
                port,
                writer,
                entry,
                ..
            } = self;
            let has_room = || writer.has_room(&port.lane);
            if let Some(room) = port.lane.room()
                && !room.wait(deadline, entry, site, has_room)
            {
                return Err(SendTimeoutError::Timeout(message));
            }
        }
    }

    /// Sends a message if there is room in its lane now.
    ///
    /// ```
    /// use drumline::channel::{TrySendError, lanes};
    ///
    /// let (mut sender, receiver) = lanes::per_lane(1);
    /// assert_eq!(sender.try_send(1), Ok(()));
    /// assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
    /// drop(receiver);
    /// assert_eq!(sender.try_send(3), Err(TrySendError::Closed(3)));
    /// ```
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

    /// Whether a message would be sent or refused at once.
    pub(in crate::channel) fn has_room(&mut self) -> bool {
        self.writer.has_room(&self.port.lane)
    }

    /// Has `waker` called when there is room. To be followed by [`settle`](crate::wait::settle) if
    /// this says so, and then by a look. `is_listed` is its memory between two calls.
    pub(in crate::channel) fn listen(&mut self, waker: &Waker, is_listed: &mut bool) -> bool {
        let room = self.port.lane.room();
        room.is_some_and(|room| room.list_unsettled(waker, is_listed))
    }

    /// Listens no more.
    pub(in crate::channel) fn unlisten(&mut self, is_listed: &mut bool) {
        if let Some(room) = self.port.lane.room() {
            room.unlist(is_listed);
        }
    }

    /// As [`send`](Self::send), but waits for `timeout` at most.
    ///
    /// ```
    /// use drumline::channel::{SendTimeoutError, lanes};
    /// use std::time::Duration;
    ///
    /// let (mut sender, _receiver) = lanes::per_lane(1);
    /// let timeout = Duration::from_millis(1);
    /// assert_eq!(sender.send_timeout("first", timeout), Ok(()));
    /// let late = sender.send_timeout("second", timeout);
    /// assert_eq!(late, Err(SendTimeoutError::Timeout("second")));
    /// ```
    ///
    /// # Errors
    ///
    /// If there was no room until then, and as [`send`](Self::send).
    ///
    /// # Blocking
    ///
    /// As [`send`](Self::send), for `timeout` at most.
    #[track_caller]
    pub fn send_timeout(
        &mut self,
        message: T,
        timeout: Duration,
    ) -> Result<(), SendTimeoutError<T>> {
        match self.push(message) {
            Ok(()) => Ok(()),
            Err(Refused::Closed(message, _)) => Err(SendTimeoutError::Closed(message)),
            Err(Refused::Full(message)) => {
                let deadline = Instant::now().checked_add(timeout);
                self.send_until(message, deadline, Location::caller())
            }
        }
    }

    /// As [`send`](Self::send), but waits until `deadline` at most.
    ///
    /// ```
    /// use drumline::channel::lanes;
    /// use std::time::{Duration, Instant};
    ///
    /// let (mut sender, _receiver) = lanes::per_lane(1);
    /// let deadline = Instant::now() + Duration::from_millis(1);
    /// let mut sent = 0;
    /// while sender.send_deadline("as many as fit", deadline).is_ok() {
    ///     sent += 1;
    /// }
    /// assert_eq!(sent, 1);
    /// ```
    ///
    /// # Errors
    ///
    /// If there was no room until then, and as [`send`](Self::send).
    ///
    /// # Blocking
    ///
    /// As [`send`](Self::send), until `deadline` at most.
    #[track_caller]
    pub fn send_deadline(
        &mut self,
        message: T,
        deadline: Instant,
    ) -> Result<(), SendTimeoutError<T>> {
        self.send_until(message, Some(deadline), Location::caller())
    }

    /// A future that sends a message when there is room in its lane.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::lanes::per_lane(1);
    /// let sending = drumline::spawn_future(async move {
    ///     for number in 0..10 {
    ///         sender.send_async(number).await.unwrap();
    ///     }
    /// });
    /// assert_eq!(receiver.iter().sum::<i32>(), 45);
    /// sending.join().unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// If the receiver is gone, or has closed the channel. The message comes back.
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready has sent nothing; its message is dropped with
    /// it. To keep the message, [reserve](Self::reserve) a place first.
    #[track_caller]
    pub fn send_async(&mut self, message: T) -> SendAsync<'_, T> {
        SendAsync {
            reserve: self.reserve(),
            message: Some(message),
        }
    }

    /// A future that is ready when there is room in its lane, with the right to send one message.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// let (mut sender, mut receiver) = drumline::channel::lanes::per_lane(1);
    /// sender.reserve().await.unwrap().send("only made when there is room").unwrap();
    /// assert!(receiver.recv_async().await.is_ok());
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// If the receiver is gone, or has closed the channel.
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready leaves nothing behind. A permit that is dropped
    /// gives its place back.
    #[track_caller]
    pub fn reserve(&mut self) -> Reservation<'_, T> {
        Reservation {
            sender: Some(self),
            is_listed: false,
            location: Location::caller(),
        }
    }

    /// A future that is ready when the receiver is gone, or has closed the channel.
    ///
    /// ```
    /// let (mut sender, receiver) = drumline::channel::lanes::unbounded::<()>();
    /// drop(receiver);
    /// drumline::block_on(sender.closed());
    /// ```
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready leaves nothing behind.
    #[track_caller]
    pub fn closed(&mut self) -> Closed<'_, T> {
        Closed {
            sender: self,
            is_listed: false,
            location: Location::caller(),
        }
    }

    /// Says that all messages of this sender have been sent; see [`CloseReason::Finished`].
    ///
    /// ```
    /// use drumline::channel::{CloseReason, lanes};
    ///
    /// let (mut sender, mut receiver) = lanes::unbounded();
    /// sender.send("all").unwrap();
    /// sender.finish();
    /// assert_eq!(receiver.recv(), Ok("all"));
    /// assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Finished);
    /// ```
    pub fn finish(mut self) {
        self.end(CloseReason::Finished);
        // Its drop would say something else.
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: each is read once, and not used again. The writer needs no drop.
        unsafe {
            drop(std::ptr::read(&raw const this.entry));
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

    /// Waits for room.
    fn poll_room(
        &mut self,
        cx: &mut Context<'_>,
        is_listed: &mut bool,
        location: &'static Location<'static>,
    ) -> Poll<()> {
        let Sender {
            hub,
            port,
            writer,
            entry,
        } = self;
        let site = || site(hub, WaitingFor::Capacity, location);
        sending::poll_room(&port.lane, writer, entry, cx, is_listed, site)
    }

    /// Waits for the end of the receiver.
    fn poll_closed(
        &mut self,
        cx: &mut Context<'_>,
        is_listed: &mut bool,
        location: &'static Location<'static>,
    ) -> Poll<()> {
        let Sender {
            hub,
            port,
            writer,
            entry,
        } = self;
        let site = || site(hub, WaitingFor::Close, location);
        sending::poll_closed(&port.lane, writer, entry, cx, is_listed, site)
    }

    /// One of the two is given up, or is over.
    fn forget_poll(&mut self, is_listed: &mut bool) {
        if *is_listed {
            self.unlisten(is_listed);
            self.entry.clear();
        }
    }

    /// How many messages of this sender are in the channel, about.
    ///
    /// ```
    /// let (mut sender, _receiver) = drumline::channel::lanes::unbounded();
    /// let mut other = sender.clone();
    /// sender.send("a").unwrap();
    /// other.send("b").unwrap();
    /// assert_eq!(sender.len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.port.lane.len()
    }

    /// Whether no message of this sender is in the channel; see [`len`](Self::len).
    ///
    /// ```
    /// let (mut sender, _receiver) = drumline::channel::lanes::unbounded();
    /// sender.send("a").unwrap();
    /// assert!(!sender.is_empty());
    /// assert!(sender.clone().is_empty()); // another lane
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many messages its lane holds at most. `None`: there is no bound.
    ///
    /// ```
    /// use drumline::channel::lanes;
    ///
    /// assert_eq!(lanes::per_lane::<u8>(16).0.capacity(), Some(16));
    /// assert_eq!(lanes::unbounded::<u8>().0.capacity(), None);
    /// ```
    #[must_use]
    pub fn capacity(&self) -> Option<usize> {
        Some(self.port.lane.capacity()).filter(|&capacity| capacity != usize::MAX)
    }

    /// Whether the receiver is gone, or has closed the channel.
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::lanes::unbounded::<u8>();
    /// assert!(!sender.is_closed());
    /// drop(receiver);
    /// assert!(sender.is_closed());
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.port.lane.refuses()
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

sending!("lanes::per_lane(1)");
