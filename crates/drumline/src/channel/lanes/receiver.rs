//! The receiving end.

use std::fmt;
use std::future::Future;
use std::iter::FusedIterator;
use std::panic::Location;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::site::site;
use crate::channel::hub::{Gatherer, Hub};
use crate::channel::lane::Nothing;
use crate::channel::recv_many::{RecvFuture, RecvManyAsync};
use crate::channel::{CloseReason, RecvError, RecvTimeoutError, TryRecvError, WaitingFor};
use crate::sync::{Arc, Instant};
use crate::wait::{Interrupt, WaiterEntry, Watched, budget, watch};

/// The receiving end; made by [`unbounded`](super::unbounded) or
/// [`per_lane`](super::per_lane).
///
/// When it is dropped, the messages that are in the channel are dropped, and each later send fails.
/// To have those that were sent already, [`close`](Self::close) it first.
///
/// ```
/// let (mut sender, mut receiver) = drumline::channel::lanes::unbounded();
/// sender.send("a job").unwrap();
/// receiver.close(); // takes no more, and finishes what it has
/// assert!(sender.send("another job").is_err());
/// assert_eq!(receiver.iter().collect::<Vec<_>>(), ["a job"]);
/// ```
pub struct Receiver<T: Send> {
    hub: Arc<Hub<T>>,
    gatherer: Gatherer<T>,
    entry: WaiterEntry,
    /// Made when a stream first takes from it.
    interrupt: OnceLock<std::sync::Arc<Interrupt>>,
}

impl<T: Send> Receiver<T> {
    pub(super) fn new(hub: Arc<Hub<T>>) -> Self {
        Receiver {
            hub,
            gatherer: Gatherer::new(),
            entry: WaiterEntry::new(),
            interrupt: OnceLock::new(),
        }
    }

    #[inline]
    fn take(&mut self) -> Result<T, Nothing> {
        // SAFETY: the one receiver of its hub, and borrowed mutably.
        unsafe { self.gatherer.take(&self.hub) }
    }

    fn take_many(&mut self, messages: &mut Vec<T>, max: usize) -> Result<usize, Nothing> {
        // SAFETY: as in `take`.
        unsafe { self.gatherer.take_many(&self.hub, messages, max) }
    }

    fn wait(&mut self, deadline: Option<Instant>, location: &'static Location<'static>) -> bool {
        let Receiver {
            hub,
            gatherer,
            entry,
            ..
        } = self;
        match watch(deadline, || gatherer.is_ready(hub)) {
            Watched::Ready => return true,
            Watched::TooLate => return false,
            Watched::Nothing => {}
        }
        let site = site(hub, WaitingFor::Message, location);
        let is_called = || hub.is_called();
        !gatherer.rest_all(hub) || hub.arrivals().sleep_until(deadline, entry, site, is_called)
    }

    /// Receives a message; waits for it if there is none.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, lanes};
    ///
    /// let (mut sender, mut receiver) = lanes::unbounded();
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
    /// Until there is a message, or all senders are gone.
    #[inline]
    #[track_caller]
    pub fn recv(&mut self) -> Result<T, RecvError> {
        self.recv_at(Location::caller())
    }

    /// As [`recv`](Self::recv), called from `location`.
    #[inline]
    fn recv_at(&mut self, location: &'static Location<'static>) -> Result<T, RecvError> {
        loop {
            match self.take() {
                Ok(message) => return Ok(message),
                Err(Nothing::Ever(reason)) => return Err(RecvError::new(reason)),
                Err(Nothing::Yet) => self.wait(None, location),
            };
        }
    }

    /// Receives a message if there is one now.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, TryRecvError, lanes};
    ///
    /// let (mut sender, mut receiver) = lanes::unbounded();
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
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.take().map_err(TryRecvError::from)
    }

    /// Receives what is there now, up to `max` messages, and adds it to `messages`.
    pub(in crate::channel) fn try_recv_many(
        &mut self,
        messages: &mut Vec<T>,
        max: usize,
    ) -> Result<usize, TryRecvError> {
        // SAFETY: the one receiver of its hub, and borrowed mutably.
        let taken = unsafe { self.gatherer.take_many(&self.hub, messages, max) };
        taken.map_err(TryRecvError::from)
    }

    /// About how many messages are in some of the lanes; takes no lock.
    pub(in crate::channel) fn count_near(&self) -> usize {
        self.gatherer.count_near(&self.hub)
    }

    /// Why no more messages come, once all were received.
    pub(in crate::channel) fn end_reason(&self) -> Option<CloseReason> {
        self.gatherer.end_reason(&self.hub, self.hub.ended())
    }

    /// Has `waker` called by what comes next. `false`: there is something to look at. `is_listed`
    /// is its memory between two calls.
    pub(in crate::channel) fn listen(&mut self, waker: &Waker, is_listed: &mut bool) -> bool {
        let Receiver { hub, gatherer, .. } = self;
        let is_called = || hub.is_called();
        gatherer.rest_all(hub) && !hub.arrivals().list(waker, is_listed, is_called)
    }

    /// Listens no more.
    pub(in crate::channel) fn unlisten(&mut self, is_listed: &mut bool) {
        self.hub.arrivals().unlist(is_listed);
    }

    /// What ends the wait of a stream.
    pub(in crate::channel) fn interrupt(&self) -> &std::sync::Arc<Interrupt> {
        self.interrupt.get_or_init(Interrupt::new)
    }

    /// As [`recv`](Self::recv), but waits for `timeout` at most.
    ///
    /// ```
    /// use drumline::channel::{RecvTimeoutError, lanes};
    /// use std::time::Duration;
    ///
    /// let (mut sender, mut receiver) = lanes::unbounded();
    /// let early = receiver.recv_timeout(Duration::from_millis(1));
    /// assert_eq!(early, Err(RecvTimeoutError::Timeout));
    /// sender.send(1).unwrap();
    /// assert_eq!(receiver.recv_timeout(Duration::from_millis(1)), Ok(1));
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
    /// use drumline::channel::lanes;
    /// use std::time::{Duration, Instant};
    ///
    /// let (mut sender, mut receiver) = lanes::unbounded();
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
            match self.take() {
                Ok(message) => return Ok(message),
                Err(Nothing::Ever(reason)) => return Err(RecvTimeoutError::Closed(reason)),
                Err(Nothing::Yet) => {}
            }
            if !self.wait(deadline, location) {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    /// Receives what there is, up to `max` messages, and adds it to `messages`; waits if there is
    /// nothing. Returns how many it has received: at least one, unless `max` is 0.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::lanes::unbounded();
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
            match self.take_many(messages, max) {
                Ok(count) => return Ok(count),
                Err(Nothing::Ever(reason)) => return Err(RecvError::new(reason)),
                Err(Nothing::Yet) => self.wait(None, Location::caller()),
            };
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
    #[track_caller]
    pub fn recv_async(&mut self) -> RecvAsync<'_, T> {
        RecvAsync {
            receiver: self,
            is_listed: false,
            location: Location::caller(),
        }
    }

    /// A future that receives what there is, up to `max` messages, and adds it to `messages`; it
    /// waits if there is nothing. It returns how many it has received: at least one, unless `max`
    /// is 0.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// let (mut sender, mut receiver) = drumline::channel::lanes::unbounded();
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

    /// Goes through all messages until no more will come; waits for each.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::lanes::unbounded();
    /// std::thread::spawn(move || (1..=3u32).try_for_each(|number| sender.send(number)));
    /// assert_eq!(receiver.iter().sum::<u32>(), 6);
    /// ```
    ///
    /// # Blocking
    ///
    /// Each step as [`recv`](Self::recv).
    #[track_caller]
    pub fn iter(&mut self) -> impl Iterator<Item = T> + '_ {
        let location = Location::caller();
        std::iter::from_fn(move || self.recv_at(location).ok())
    }

    /// Goes through the messages that are there; waits for none.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::lanes::unbounded();
    /// (1..=3).for_each(|number| sender.send(number).unwrap());
    /// assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1, 2, 3]);
    /// assert_eq!(receiver.try_iter().next(), None); // and `sender` still exists
    /// ```
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
    /// For each message it is certain which of the two happens: a send that returns `Ok` has put
    /// its message before the end. Takes a lock.
    pub fn close(&mut self) {
        self.gatherer.close(&self.hub);
    }

    /// Closes the channel, and takes all messages out of it that were sent before.
    ///
    /// Messages that are left when the iterator is dropped stay in the channel.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::lanes::unbounded();
    /// sender.send("unfinished").unwrap();
    /// assert_eq!(receiver.drain().collect::<Vec<_>>(), ["unfinished"]);
    /// assert!(sender.send("too late").is_err());
    /// ```
    pub fn drain(&mut self) -> impl Iterator<Item = T> + '_ {
        self.close();
        self.try_iter()
    }

    /// Whether no more messages will be sent: all senders are gone, or this end has closed the
    /// channel. There may be some to receive.
    ///
    /// ```
    /// let (mut sender, mut receiver) = drumline::channel::lanes::unbounded();
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
    /// use drumline::channel::{CloseReason, lanes};
    ///
    /// let (sender, receiver) = lanes::unbounded::<u8>();
    /// assert_eq!(receiver.close_reason(), None);
    /// sender.finish();
    /// assert_eq!(receiver.close_reason(), Some(CloseReason::Finished));
    /// ```
    #[must_use]
    pub fn close_reason(&self) -> Option<CloseReason> {
        if self.gatherer.is_closed() {
            Some(CloseReason::ClosedByReceiver)
        } else {
            self.hub.ended()
        }
    }

    /// How many messages are in all lanes, about. Looks at each lane, under a lock.
    ///
    /// ```
    /// let (mut sender, receiver) = drumline::channel::lanes::unbounded();
    /// let mut other = sender.clone();
    /// sender.send("a").unwrap();
    /// other.send("b").unwrap();
    /// assert_eq!(receiver.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.hub.len()
    }

    /// Whether there is no message; see [`len`](Self::len).
    ///
    /// ```
    /// let (mut sender, receiver) = drumline::channel::lanes::unbounded();
    /// assert!(receiver.is_empty());
    /// sender.send("a").unwrap();
    /// assert!(!receiver.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many messages each lane holds at most. `None`: there is no bound.
    ///
    /// ```
    /// use drumline::channel::lanes;
    ///
    /// assert_eq!(lanes::per_lane::<u8>(16).1.capacity_per_lane(), Some(16));
    /// assert_eq!(lanes::unbounded::<u8>().1.capacity_per_lane(), None);
    /// ```
    #[must_use]
    pub fn capacity_per_lane(&self) -> Option<usize> {
        Some(self.hub.capacity()).filter(|&capacity| capacity != usize::MAX)
    }
}

impl<T: Send> Drop for Receiver<T> {
    fn drop(&mut self) {
        // A message that panics in its drop stops this drop. The next one goes on with the others.
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
        let has_waited = *is_listed;
        loop {
            let Receiver {
                hub,
                gatherer,
                entry,
                ..
            } = &mut **receiver;
            if gatherer.is_ready(hub) {
                if has_waited {
                    entry.clear();
                }
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
                entry.pend(site(hub, WaitingFor::Message, location));
                return Poll::Pending;
            }
        }
    }
}

impl<T: Send> RecvFuture for RecvAsync<'_, T> {
    type Message = T;

    fn take_more(&mut self, messages: &mut Vec<T>, most: usize) -> usize {
        self.receiver.take_many(messages, most).unwrap_or(0)
    }
}

impl<T: Send> Drop for RecvAsync<'_, T> {
    fn drop(&mut self) {
        if self.is_listed {
            let Receiver { hub, entry, .. } = &mut *self.receiver;
            hub.arrivals().unlist(&mut self.is_listed);
            entry.clear();
        }
    }
}

impl<T: Send> fmt::Debug for RecvAsync<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvAsync").finish_non_exhaustive()
    }
}

/// All messages, as [`Receiver::iter`] has them; made of a [`Receiver`].
#[derive(Debug)]
pub struct IntoIter<T: Send> {
    receiver: Receiver<T>,
    location: &'static Location<'static>,
}

impl<T: Send> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.recv_at(self.location).ok()
    }
}

impl<T: Send> FusedIterator for IntoIter<T> {}

impl<T: Send> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    #[track_caller]
    fn into_iter(self) -> IntoIter<T> {
        IntoIter {
            receiver: self,
            location: Location::caller(),
        }
    }
}
