//! The receiving end.

use std::cell::OnceCell;
use std::fmt;
use std::future::Future;
use std::iter::FusedIterator;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::channel::lane::{Lane, Nothing, Reader};
use crate::channel::recv_many::{RecvFuture, RecvManyAsync};
use crate::channel::{
    ChannelKind, CloseReason, RecvError, RecvTimeoutError, TryRecvError, WaitingFor,
};
use crate::sync::{Arc, Instant};
use crate::wait::{Interrupt, WaitSite, WaiterEntry};

/// The receiving end of a channel; made by [`bounded`](super::bounded) or
/// [`unbounded`](super::unbounded).
///
/// When it is dropped, the messages that are in the channel are dropped, and each later send fails.
/// To have those that were sent already, [`close`](Self::close) it first.
///
/// ```
/// let (mut sender, mut receiver) = drumline::channel::spsc::unbounded();
/// sender.send("a job").unwrap();
/// receiver.close(); // takes no more, and finishes what it has
/// assert!(sender.send("another job").is_err());
/// assert_eq!(receiver.iter().collect::<Vec<_>>(), ["a job"]);
/// ```
pub struct Receiver<T: Send> {
    pub(super) lane: Arc<Lane<T>>,
    pub(super) reader: Reader<T>,
    pub(super) entry: WaiterEntry,
    /// Made when a stream first takes from it.
    interrupt: OnceCell<std::sync::Arc<Interrupt>>,
}

impl<T: Send> Receiver<T> {
    pub(super) fn new(lane: Arc<Lane<T>>) -> Self {
        Self::from_parts(lane, Reader::new())
    }

    pub(super) fn from_parts(lane: Arc<Lane<T>>, reader: Reader<T>) -> Self {
        Receiver {
            lane,
            reader,
            entry: WaiterEntry::new(),
            interrupt: OnceCell::new(),
        }
    }

    /// The lane is not closed.
    pub(super) fn into_parts(self) -> (Arc<Lane<T>>, Reader<T>) {
        // Its drop would close the lane.
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: each is read once, and not used again.
        unsafe {
            drop(std::ptr::read(&raw const this.entry));
            drop(std::ptr::read(&raw const this.interrupt));
            let reader = std::ptr::read(&raw const this.reader);
            (std::ptr::read(&raw const this.lane), reader)
        }
    }

    #[inline]
    pub(in crate::channel) fn pop(&mut self) -> Result<T, Nothing> {
        // SAFETY: the one receiver of its lane, and borrowed mutably.
        unsafe { self.reader.pop(&self.lane) }
    }

    fn wait(&mut self, deadline: Option<Instant>, location: &'static Location<'static>) -> bool {
        let site = site(&self.lane, location);
        let Receiver {
            lane,
            reader,
            entry,
            ..
        } = self;
        reader.pause();
        let is_ready = || reader.is_ready(lane);
        let is_ready = lane.messages().wait(deadline, entry, site, is_ready);
        reader.has_waited(lane);
        is_ready
    }

    /// Receives the next message; waits for it if there is none.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, spsc};
    ///
    /// let (mut sender, mut receiver) = spsc::unbounded();
    /// std::thread::spawn(move || sender.send("hello"));
    /// assert_eq!(receiver.recv(), Ok("hello"));
    /// assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Dropped);
    /// ```
    ///
    /// # Errors
    ///
    /// If all messages have been received, and no more will come; says why.
    ///
    /// # Blocking
    ///
    /// Until there is a message, or the sender is gone.
    #[inline]
    #[track_caller]
    pub fn recv(&mut self) -> Result<T, RecvError> {
        self.recv_at(Location::caller())
    }

    /// As [`recv`](Self::recv), called from `location`.
    #[inline]
    fn recv_at(&mut self, location: &'static Location<'static>) -> Result<T, RecvError> {
        match self.pop() {
            Ok(message) => Ok(message),
            Err(Nothing::Ever(reason)) => Err(RecvError::new(reason)),
            Err(Nothing::Yet) => self.recv_later(location),
        }
    }

    #[cold]
    fn recv_later(&mut self, location: &'static Location<'static>) -> Result<T, RecvError> {
        loop {
            self.wait(None, location);
            match self.pop() {
                Ok(message) => return Ok(message),
                Err(Nothing::Ever(reason)) => return Err(RecvError::new(reason)),
                Err(Nothing::Yet) => {}
            }
        }
    }

    /// Receives a message if there is one now.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, TryRecvError, spsc};
    ///
    /// let (mut sender, mut receiver) = spsc::unbounded();
    /// assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    /// sender.send(1).unwrap();
    /// drop(sender);
    /// assert_eq!(receiver.try_recv(), Ok(1));
    /// assert_eq!(receiver.try_recv(), Err(TryRecvError::Closed(CloseReason::Dropped)));
    /// ```
    ///
    /// # Errors
    ///
    /// If there is none now, and if no more will come.
    #[inline]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.pop().map_err(TryRecvError::from)
    }

    /// As [`recv`](Self::recv), but waits for `timeout` at most.
    ///
    /// ```
    /// use drumline::channel::RecvTimeoutError;
    /// use std::time::Duration;
    ///
    /// let (_sender, mut receiver) = drumline::channel::spsc::unbounded::<()>();
    /// let received = receiver.recv_timeout(Duration::from_millis(1));
    /// assert_eq!(received, Err(RecvTimeoutError::Timeout));
    /// ```
    ///
    /// # Errors
    ///
    /// If no message came until then, and as [`recv`](Self::recv).
    ///
    /// # Blocking
    ///
    /// As [`recv`](Self::recv), for `timeout` at most.
    #[track_caller]
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.recv_until(Instant::now().checked_add(timeout), Location::caller())
    }

    /// As [`recv`](Self::recv), but waits until `deadline` at most.
    ///
    /// ```
    /// use drumline::channel::spsc;
    /// use std::time::{Duration, Instant};
    ///
    /// let (mut sender, mut receiver) = spsc::unbounded();
    /// sender.send(1).unwrap();
    /// let deadline = Instant::now() + Duration::from_millis(1);
    /// let mut received = Vec::new();
    /// while let Ok(number) = receiver.recv_deadline(deadline) {
    ///     received.push(number); // what comes until then
    /// }
    /// assert_eq!(received, [1]);
    /// ```
    ///
    /// # Errors
    ///
    /// If no message came until then, and as [`recv`](Self::recv).
    ///
    /// # Blocking
    ///
    /// As [`recv`](Self::recv), until `deadline` at most.
    #[track_caller]
    pub fn recv_deadline(&mut self, deadline: Instant) -> Result<T, RecvTimeoutError> {
        self.recv_until(Some(deadline), Location::caller())
    }

    fn recv_until(
        &mut self,
        deadline: Option<Instant>,
        location: &'static Location<'static>,
    ) -> Result<T, RecvTimeoutError> {
        loop {
            match self.pop() {
                Ok(message) => return Ok(message),
                Err(Nothing::Ever(reason)) => return Err(RecvTimeoutError::Closed(reason)),
                Err(Nothing::Yet) => {}
            }
            if !self.wait(deadline, location) {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    /// A future that receives the next message.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// let (mut sender, mut receiver) = drumline::channel::spsc::unbounded();
    /// let task = drumline::spawn_future(async move { receiver.recv_async().await });
    /// sender.send("hello").unwrap();
    /// assert_eq!(task.await.unwrap(), Ok("hello"));
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
    #[track_caller]
    pub fn recv_async(&mut self) -> RecvAsync<'_, T> {
        RecvAsync {
            receiver: self,
            is_listed: false,
            location: Location::caller(),
        }
    }

    /// Receives what there is, up to `max` messages, and adds it to `messages`; waits if there is
    /// nothing. Returns how many it has received: at least one, unless `max` is 0.
    ///
    /// One wake-up and one look at what the sender has published serve all of them.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::spsc::unbounded();
    /// (0..5).for_each(|number| sender.send(number).unwrap());
    /// let mut messages = Vec::new();
    /// assert_eq!(receiver.recv_many(&mut messages, 3), Ok(3));
    /// assert_eq!(messages, [0, 1, 2]);
    /// ```
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    ///
    /// # Blocking
    ///
    /// As [`recv`](Self::recv).
    #[track_caller]
    pub fn recv_many(&mut self, messages: &mut Vec<T>, max: usize) -> Result<usize, RecvError> {
        if max == 0 {
            return Ok(0);
        }
        loop {
            match self.pop_many(messages, max) {
                Ok(count) => return Ok(count),
                Err(Nothing::Ever(reason)) => return Err(RecvError::new(reason)),
                Err(Nothing::Yet) => self.wait(None, Location::caller()),
            };
        }
    }

    /// A future that receives what there is, up to `max` messages, and adds it to `messages`; it
    /// waits if there is nothing. It returns how many it has received: at least one, unless `max`
    /// is 0.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// let (mut sender, mut receiver) = drumline::channel::spsc::unbounded();
    /// (0..5).for_each(|number| sender.send(number).unwrap());
    /// let mut messages = Vec::new();
    /// assert_eq!(receiver.recv_many_async(&mut messages, 3).await, Ok(3));
    /// assert_eq!(messages, [0, 1, 2]);
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
    #[track_caller]
    pub fn recv_many_async<'a>(
        &'a mut self,
        messages: &'a mut Vec<T>,
        max: usize,
    ) -> impl Future<Output = Result<usize, RecvError>> + Unpin + Send {
        RecvManyAsync::new(self.recv_async(), messages, max)
    }

    fn pop_many(&mut self, messages: &mut Vec<T>, max: usize) -> Result<usize, Nothing> {
        // SAFETY: the one receiver of its lane, and borrowed mutably.
        unsafe { self.reader.pop_many(&self.lane, messages, max) }
    }

    /// As [`recv_many`](Self::recv_many), for what is there now.
    pub(in crate::channel) fn try_recv_many(
        &mut self,
        messages: &mut Vec<T>,
        max: usize,
    ) -> Result<usize, TryRecvError> {
        self.pop_many(messages, max).map_err(TryRecvError::from)
    }

    /// Has `waker` called by what the sender does next. To be followed by [`settle`] if this says
    /// so, and then by a look. `is_listed` is its memory between two calls.
    ///
    /// [`settle`]: crate::wait::settle
    pub(in crate::channel) fn listen(&mut self, waker: &Waker, is_listed: &mut bool) -> bool {
        self.lane.messages().list_unsettled(waker, is_listed)
    }

    /// Listens no more.
    pub(in crate::channel) fn unlisten(&mut self, is_listed: &mut bool) {
        self.lane.unlist(is_listed);
    }

    /// What ends the wait of a stream.
    pub(in crate::channel) fn interrupt(&self) -> &std::sync::Arc<Interrupt> {
        self.interrupt.get_or_init(Interrupt::new)
    }

    /// Goes through all messages until no more will come; waits for each.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::spsc::unbounded();
    /// std::thread::spawn(move || (1..=3u32).try_for_each(|number| sender.send(number)));
    /// assert_eq!(receiver.iter().sum::<u32>(), 6);
    /// ```
    ///
    /// # Blocking
    ///
    /// Each step as [`recv`](Self::recv).
    #[track_caller]
    pub fn iter(&mut self) -> Iter<'_, T> {
        Iter(self, Location::caller())
    }

    /// Goes through the messages that are there; waits for none.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::spsc::unbounded();
    /// (1..=3).for_each(|number| sender.send(number).unwrap());
    /// assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1, 2, 3]);
    /// assert_eq!(receiver.try_iter().next(), None); // and `sender` still exists
    /// ```
    pub fn try_iter(&mut self) -> TryIter<'_, T> {
        TryIter(self)
    }

    /// Closes the channel: each later send fails. What was sent before can still be received.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, SendError};
    ///
    /// let (mut sender, mut receiver) = drumline::channel::spsc::unbounded();
    /// sender.send(1).unwrap();
    /// receiver.close();
    /// assert_eq!(sender.send(2), Err(SendError(2)));
    /// assert_eq!(receiver.recv(), Ok(1));
    /// assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::ClosedByReceiver);
    /// ```
    ///
    /// For each message it is certain which of the two happens: a send that returns `Ok` has put
    /// its message before the end.
    pub fn close(&mut self) {
        let _was_resting = self.reader.close(&self.lane);
    }

    /// Closes the channel, and takes all messages out of it that were sent before.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::spsc::unbounded();
    /// sender.send(1).unwrap();
    /// assert_eq!(receiver.drain().collect::<Vec<_>>(), [1]);
    /// assert!(sender.is_closed());
    /// ```
    ///
    /// Messages that are left when the iterator is dropped stay in the channel.
    pub fn drain(&mut self) -> Drain<'_, T> {
        self.close();
        Drain(self)
    }

    /// How many messages are in the channel, about: the sender may be at work.
    ///
    /// ```
    /// let (mut sender, receiver) = drumline::channel::spsc::unbounded();
    /// sender.send("a").unwrap();
    /// sender.send("b").unwrap();
    /// assert_eq!(receiver.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.lane.len()
    }

    /// Whether there is no message in the channel; see [`len`](Self::len).
    ///
    /// ```
    /// let (mut sender, receiver) = drumline::channel::spsc::unbounded();
    /// assert!(receiver.is_empty());
    /// sender.send("a").unwrap();
    /// assert!(!receiver.is_empty());
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
    /// assert_eq!(spsc::bounded::<u8>(16).1.capacity(), Some(16));
    /// assert_eq!(spsc::unbounded::<u8>().1.capacity(), None);
    /// ```
    #[must_use]
    pub fn capacity(&self) -> Option<usize> {
        Some(self.lane.capacity()).filter(|&capacity| capacity != usize::MAX)
    }

    /// Whether no more messages will be sent: the sender is gone, or this end has closed the
    /// channel. There may be some to receive.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::spsc::unbounded();
    /// sender.send("the last").unwrap();
    /// assert!(!receiver.is_closed());
    /// drop(sender);
    /// assert!(receiver.is_closed());
    /// assert_eq!(receiver.recv(), Ok("the last"));
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.close_reason().is_some()
    }

    /// Why no more messages will be sent, if that is so.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, spsc};
    ///
    /// let (sender, receiver) = spsc::unbounded::<u8>();
    /// assert_eq!(receiver.close_reason(), None);
    /// sender.finish();
    /// assert_eq!(receiver.close_reason(), Some(CloseReason::Finished));
    /// ```
    #[must_use]
    pub fn close_reason(&self) -> Option<CloseReason> {
        if self.lane.is_closing() {
            Some(CloseReason::ClosedByReceiver)
        } else {
            self.lane.ended()
        }
    }
}

/// Where a receiver waits.
pub(super) fn site<T>(lane: &Arc<Lane<T>>, location: &'static Location<'static>) -> WaitSite {
    let lane = Arc::as_ptr(lane);
    WaitSite::new(ChannelKind::Spsc, lane, WaitingFor::Message, location)
}

impl<T: Send> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.close();
        // A message that panics in its drop stops this drop. The next one goes on with the others.
        struct Rest<'a, T: Send>(&'a mut Receiver<T>);
        impl<T: Send> Drop for Rest<'_, T> {
            fn drop(&mut self) {
                while self.0.pop().is_ok() {}
            }
        }
        let rest = Rest(self);
        while rest.0.pop().is_ok() {}
    }
}

impl<T: Send> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("close_reason", &self.close_reason())
            .finish()
    }
}

/// A future that receives a message; made by [`Receiver::recv_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct RecvAsync<'a, T: Send> {
    receiver: &'a mut Receiver<T>,
    is_listed: bool,
    location: &'static Location<'static>,
}

impl<T: Send> Future for RecvAsync<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let RecvAsync {
            receiver,
            is_listed,
            location,
        } = &mut *self;
        receiver.poll_recv(cx, is_listed, location)
    }
}

impl<T: Send> RecvFuture for RecvAsync<'_, T> {
    type Message = T;

    fn take_more(&mut self, messages: &mut Vec<T>, most: usize) -> usize {
        self.receiver.pop_many(messages, most).unwrap_or(0)
    }
}

impl<T: Send> Drop for RecvAsync<'_, T> {
    fn drop(&mut self) {
        self.receiver.forget_poll(&mut self.is_listed);
    }
}

impl<T: Send> fmt::Debug for RecvAsync<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvAsync").finish_non_exhaustive()
    }
}

/// All messages; made by [`Receiver::iter`].
#[derive(Debug)]
pub struct Iter<'a, T: Send>(&'a mut Receiver<T>, &'static Location<'static>);

/// The messages that are there; made by [`Receiver::try_iter`].
#[derive(Debug)]
pub struct TryIter<'a, T: Send>(&'a mut Receiver<T>);

/// The messages that were sent before the channel was closed; made by [`Receiver::drain`].
#[derive(Debug)]
pub struct Drain<'a, T: Send>(&'a mut Receiver<T>);

/// All messages, as [`Receiver::iter`] has them; made of a [`Receiver`].
#[derive(Debug)]
pub struct IntoIter<T: Send>(Receiver<T>, &'static Location<'static>);

impl<T: Send> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv_at(self.1).ok()
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
        self.0.try_recv().ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.len();
        (len, Some(len))
    }
}

impl<T: Send> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv_at(self.1).ok()
    }
}

impl<T: Send> FusedIterator for Iter<'_, T> {}
impl<T: Send> FusedIterator for Drain<'_, T> {}
impl<T: Send> ExactSizeIterator for Drain<'_, T> {}
impl<T: Send> FusedIterator for IntoIter<T> {}

impl<T: Send> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    #[track_caller]
    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self, Location::caller())
    }
}

impl<'a, T: Send> IntoIterator for &'a mut Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    #[track_caller]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
