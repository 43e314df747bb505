//! The sending end.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use crate::channel::lane::sending::sending;
use crate::channel::lane::{Lane, Refused, Writer};
use crate::channel::{
    ChannelKind, CloseReason, SendError, SendTimeoutError, TrySendError, WaitingFor,
};
use crate::sync::{Arc, Instant};
use crate::wait::{Told, WaitSite, WaiterEntry};

/// The sending end of a channel; made by [`bounded`](super::bounded) or
/// [`unbounded`](super::unbounded).
///
/// When it is dropped, the receiver gets what was sent, and then [`CloseReason::Dropped`], or
/// [`CloseReason::Panicked`] if the thread panics. [`finish`](Self::finish) says that nothing is
/// missing.
///
/// ```
/// use drumline::channel::{CloseReason, spsc};
///
/// let (mut sender, mut receiver) = spsc::unbounded();
/// sender.send("a part").unwrap();
/// drop(sender); // without `finish`: something may be missing
/// assert_eq!(receiver.recv(), Ok("a part"));
/// assert_eq!(receiver.close_reason(), Some(CloseReason::Dropped));
/// ```
pub struct Sender<T: Send> {
    pub(super) lane: Arc<Lane<T>>,
    pub(super) writer: Writer<T>,
    pub(super) entry: WaiterEntry,
}

impl<T: Send> Sender<T> {
    pub(super) fn new(lane: Arc<Lane<T>>) -> Self {
        Sender {
            lane,
            writer: Writer::new(),
            entry: WaiterEntry::new(),
        }
    }

    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), Refused<T>> {
        // SAFETY: the one sender of its lane, and borrowed mutably.
        let told = unsafe { self.writer.push(&self.lane, message) };
        told.map(|told| debug_assert_eq!(told, Told::Done, "the receiver has one lane"))
    }

    pub(super) fn lane(&self) -> &Arc<Lane<T>> {
        &self.lane
    }

    fn end(&mut self, reason: CloseReason) {
        let told = self.writer.end(&self.lane, reason);
        debug_assert_eq!(told, Told::Done, "the receiver has one lane");
    }

    /// Sends a message; waits for room if there is none.
    ///
    /// ```
    /// use drumline::channel::{SendError, spsc};
    ///
    /// let (mut sender, mut receiver) = spsc::unbounded();
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
    /// While the channel is full, until the receiver takes a message, closes the channel or is
    /// dropped. Never in an unbounded channel.
    #[inline]
    #[track_caller]
    pub fn send(&mut self, message: T) -> Result<(), SendError<T>> {
        match self.push(message) {
            Ok(()) => Ok(()),
            Err(Refused::Closed(message, _)) => Err(SendError(message)),
            Err(Refused::Full(message)) => self.send_later(message, Location::caller()),
        }
    }

    #[cold]
    pub(super) fn send_later(
        &mut self,
        mut message: T,
        location: &'static Location<'static>,
    ) -> Result<(), SendError<T>> {
        loop {
            self.wait_for_room(None, location);
            match self.push(message) {
                Ok(()) => return Ok(()),
                Err(Refused::Closed(message, _)) => return Err(SendError(message)),
                Err(Refused::Full(back)) => message = back,
            }
        }
    }

    fn wait_for_room(
        &mut self,
        deadline: Option<Instant>,
        location: &'static Location<'static>,
    ) -> bool {
        let site = site(&self.lane, WaitingFor::Capacity, location);
        let Sender {
            lane,
            writer,
            entry,
        } = self;
        let mut has_room = || writer.has_room(lane);
        match lane.room() {
            Some(room) => room.wait(deadline, entry, site, has_room),
            None => has_room(),
        }
    }

    /// Sends a message if there is room now.
    ///
    /// ```
    /// use drumline::channel::{TrySendError, spsc};
    ///
    /// let (mut sender, receiver) = spsc::bounded(1);
    /// assert_eq!(sender.try_send(1), Ok(()));
    /// assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
    /// drop(receiver);
    /// assert_eq!(sender.try_send(3), Err(TrySendError::Closed(3)));
    /// ```
    ///
    /// # Errors
    ///
    /// If the channel is full, and if the receiver is gone, or has closed the channel. The message
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
    /// ```
    /// use std::time::Duration;
    ///
    /// let (mut sender, _receiver) = drumline::channel::spsc::bounded(1);
    /// let timeout = Duration::from_millis(1);
    /// assert!(sender.send_timeout("first", timeout).is_ok());
    /// assert_eq!(sender.send_timeout("second", timeout).unwrap_err().into_inner(), "second");
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
        let deadline = Instant::now().checked_add(timeout);
        self.send_until(message, deadline, Location::caller())
    }

    /// As [`send`](Self::send), but waits until `deadline` at most.
    ///
    /// ```
    /// use drumline::channel::{SendTimeoutError, spsc};
    /// use std::time::{Duration, Instant};
    ///
    /// let (mut sender, _receiver) = spsc::bounded(1);
    /// let deadline = Instant::now() + Duration::from_millis(1);
    /// let mut number = 0;
    /// while sender.send_deadline(number, deadline).is_ok() {
    ///     number += 1; // what fits until then
    /// }
    /// assert_eq!(number, 1);
    /// assert_eq!(sender.send_deadline(2, deadline), Err(SendTimeoutError::Timeout(2)));
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
            if !self.wait_for_room(deadline, location) {
                return Err(SendTimeoutError::Timeout(message));
            }
        }
    }

    /// Whether a message would be sent or refused at once.
    pub(in crate::channel) fn has_room(&mut self) -> bool {
        self.writer.has_room(&self.lane)
    }

    /// Has `waker` called when there is room. To be followed by [`settle`](crate::wait::settle) if
    /// this says so, and then by a look. `is_listed` is its memory between two calls.
    pub(in crate::channel) fn listen(&mut self, waker: &Waker, is_listed: &mut bool) -> bool {
        let room = self.lane.room();
        room.is_some_and(|room| room.list_unsettled(waker, is_listed))
    }

    /// Listens no more.
    pub(in crate::channel) fn unlisten(&mut self, is_listed: &mut bool) {
        if let Some(room) = self.lane.room() {
            room.unlist(is_listed);
        }
    }

    /// A future that sends a message when there is room.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::spsc::bounded(1);
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

    /// A future that is ready when there is room, with the right to send one message.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// let (mut sender, mut receiver) = drumline::channel::spsc::bounded(1);
    /// sender.reserve().await.unwrap().send("only made when there is room");
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
    /// let (mut sender, receiver) = drumline::channel::spsc::unbounded::<()>();
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

    /// Says that all messages have been sent. The receiver gets them, and then
    /// [`CloseReason::Finished`].
    ///
    /// ```
    /// use drumline::channel::{CloseReason, spsc};
    ///
    /// let (mut sender, mut receiver) = spsc::unbounded();
    /// sender.send("all").unwrap();
    /// sender.finish();
    /// assert_eq!(receiver.recv(), Ok("all"));
    /// assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Finished);
    /// ```
    pub fn finish(self) {
        self.finish_as(CloseReason::Finished);
    }

    /// Ends for this reason.
    pub(super) fn finish_as(mut self, reason: CloseReason) {
        self.end(reason);
        // Its drop would say something else.
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: each is read once, and not used again. The writer needs no drop.
        unsafe {
            drop(std::ptr::read(&raw const this.entry));
            drop(std::ptr::read(&raw const this.lane));
        }
    }

    /// How many messages are in the channel, about: the receiver may be at work.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::spsc::unbounded();
    /// sender.send("a").unwrap();
    /// sender.send("b").unwrap();
    /// assert_eq!(sender.len(), 2);
    /// assert_eq!(receiver.recv(), Ok("a"));
    /// assert_eq!(sender.len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.lane.len()
    }

    /// Whether there is no message in the channel; see [`len`](Self::len).
    ///
    /// ```
    /// let (mut sender, _receiver) = drumline::channel::spsc::unbounded();
    /// assert!(sender.is_empty());
    /// sender.send("a").unwrap();
    /// assert!(!sender.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many messages the channel holds at most. `None`: there is no bound.
    ///
    /// ```
    /// use drumline::channel::spsc;
    ///
    /// assert_eq!(spsc::bounded::<u8>(16).0.capacity(), Some(16));
    /// assert_eq!(spsc::unbounded::<u8>().0.capacity(), None);
    /// ```
    #[must_use]
    pub fn capacity(&self) -> Option<usize> {
        Some(self.lane.capacity()).filter(|&capacity| capacity != usize::MAX)
    }

    /// Whether the receiver is gone, or has closed the channel.
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::spsc::unbounded::<u8>();
    /// assert!(!sender.is_closed());
    /// drop(receiver);
    /// assert!(sender.is_closed());
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.lane.refuses()
    }
}

/// Where a sender waits.
pub(super) fn site<T>(
    lane: &Arc<Lane<T>>,
    waiting_for: WaitingFor,
    location: &'static Location<'static>,
) -> WaitSite {
    let lane = Arc::as_ptr(lane);
    WaitSite::new(ChannelKind::Spsc, lane, waiting_for, location)
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

sending!("spsc::bounded(1)");
