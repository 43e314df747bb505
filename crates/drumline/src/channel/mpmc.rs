//! Many senders, many receivers, in one order.
//!
//! ```
//! use drumline::channel::mpmc;
//!
//! let (sender, receiver) = mpmc::bounded(16);
//! let consumers: Vec<_> = (0..2)
//!     .map(|_| {
//!         let receiver = receiver.clone();
//!         std::thread::spawn(move || receiver.iter().sum::<u64>())
//!     })
//!     .collect();
//! (0..1_000u64).try_for_each(|number| sender.send(number)).unwrap();
//! drop(sender);
//! let sums = consumers.into_iter().map(|consumer| consumer.join().unwrap());
//! assert_eq!(sums.sum::<u64>(), 499_500);
//! ```
//!
//! Each message goes to one receiver.
//!
//! # Order
//!
//! Messages are taken in the order in which they were sent: if one send returns before another one
//! begins, its message is taken first. Two receivers may of course finish with theirs in any order.
//! Which of the receivers that wait gets a message is not promised.
//!
//! # Cost
//!
//! As in [`mpsc`](super::mpsc). The receivers share a lock for a few instructions,
//! and `recv_many` has it for its batch: the others wait meanwhile.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::time::Duration;

use super::recv_many::RecvManyAsync;
use super::shared::{ReceiverEnd, SharedQueue};
use super::{CloseReason, RecvError, RecvTimeoutError, TryRecvError};
use crate::sync::{Arc, Instant};

pub use super::shared::{
    Closed, Drain, IntoIter, Iter, RecvAsync, Reservation, SendAsync, SendPermit, Sender, TryIter,
};

/// A channel without a bound: a send never waits.
///
/// ```
/// let (sender, receiver) = drumline::channel::mpmc::unbounded();
/// (1..=3).for_each(|number| sender.send(number).unwrap());
/// drop(sender);
/// assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2, 3]);
/// ```
///
/// # Memory
///
/// A channel without messages has no slots: it takes less than a kilobyte. Messages lie in segments
/// of about 2 KiB, which are freed when they are empty, but for one.
#[must_use]
pub fn unbounded<T: Send>() -> (Sender<T>, Receiver<T>) {
    channel(usize::MAX)
}

/// A channel that holds at most `capacity` messages, of all senders together: a send waits for
/// room.
///
/// ```
/// use drumline::channel::TrySendError;
///
/// let (sender, receiver) = drumline::channel::mpmc::bounded(1);
/// sender.try_send("first").unwrap();
/// assert_eq!(sender.clone().try_send("second"), Err(TrySendError::Full("second")));
/// assert_eq!(receiver.recv(), Ok("first"));
/// sender.try_send("second").unwrap();
/// ```
///
/// # Panics
///
/// If `capacity` is 0: ask for a [`rendezvous`].
#[must_use]
pub fn bounded<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    assert!(
        capacity > 0,
        "a channel of capacity 0 holds nothing; ask for at least 1, or for a rendezvous"
    );
    channel(capacity)
}

/// A channel that holds nothing: a send waits until a receiver takes the message.
///
/// A future of `recv_async` that waits counts as a receiver. If it is dropped when a message has
/// been handed to it, the next receive gets that message.
///
/// ```
/// use drumline::channel::TrySendError;
///
/// let (sender, receiver) = drumline::channel::mpmc::rendezvous();
/// assert_eq!(sender.try_send(1), Err(TrySendError::Full(1)));
/// let sending = std::thread::spawn(move || sender.send(2));
/// assert_eq!(receiver.recv(), Ok(2));
/// assert_eq!(sending.join().unwrap(), Ok(()));
/// ```
///
/// A future of [`Receiver::recv_async`] can have a message in its hands that it has not returned.
/// Dropped then, it gives the message to another receive. Meanwhile the channel may have ended for
/// other receivers.
///
/// # Cost
///
/// Each message takes a lock, and, as a rule, a wake-up.
#[must_use]
pub fn rendezvous<T: Send>() -> (Sender<T>, Receiver<T>) {
    channel(0)
}

fn channel<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(SharedQueue::new(capacity, true));
    let sender = Sender::new(Arc::clone(&shared));
    // SAFETY: it says that there may be several.
    let end = unsafe { ReceiverEnd::new(shared) };
    (sender, Receiver { end })
}

/// A receiving end; made by [`unbounded`], [`bounded`] or [`rendezvous`], or cloned.
///
/// When the last one is dropped, the messages that are in the channel are dropped, and each later
/// send fails.
///
/// ```
/// use drumline::channel::mpmc;
///
/// let (sender, receiver) = mpmc::unbounded();
/// let other = receiver.clone();
/// sender.send("a job").unwrap();
/// sender.send("another job").unwrap();
/// assert_eq!(receiver.recv(), Ok("a job"));
/// assert_eq!(other.recv(), Ok("another job"));
/// ```
pub struct Receiver<T: Send> {
    pub(super) end: ReceiverEnd<T>,
}

impl<T: Send> Receiver<T> {
    /// Receives the next message; waits for it if there is none.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, mpmc};
    ///
    /// let (sender, receiver) = mpmc::unbounded();
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
    pub fn recv(&self) -> Result<T, RecvError> {
        self.end.recv(Location::caller())
    }

    /// Receives a message if there is one now. In a rendezvous, if a sender waits.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, TryRecvError, mpmc};
    ///
    /// let (sender, receiver) = mpmc::unbounded();
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
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.end.try_recv()
    }

    /// As [`recv`](Self::recv), but waits for `timeout` at most.
    ///
    /// ```
    /// use drumline::channel::{RecvTimeoutError, mpmc};
    /// use std::time::Duration;
    ///
    /// let (sender, receiver) = mpmc::unbounded();
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
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.end
            .recv_until(Instant::now().checked_add(timeout), Location::caller())
    }

    /// As [`recv`](Self::recv), but waits until `deadline` at most.
    ///
    /// ```
    /// use drumline::channel::mpmc;
    /// use std::time::{Duration, Instant};
    ///
    /// let (sender, receiver) = mpmc::unbounded();
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
    pub fn recv_deadline(&self, deadline: Instant) -> Result<T, RecvTimeoutError> {
        self.end.recv_until(Some(deadline), Location::caller())
    }

    /// A future that receives the next message.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// let (sender, receiver) = drumline::channel::mpmc::unbounded();
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
    pub fn recv_async(&self) -> RecvAsync<'_, T> {
        RecvAsync::new(&self.end)
    }

    /// Receives what there is, up to `max` messages, and adds it to `messages`; waits if there is
    /// nothing. Returns how many it has received: at least one, unless `max` is 0.
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::mpmc::unbounded();
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
    pub fn recv_many(&self, messages: &mut Vec<T>, max: usize) -> Result<usize, RecvError> {
        self.end.recv_many(messages, max, Location::caller())
    }

    /// A future that receives what there is, up to `max` messages, and adds it to `messages`; it
    /// waits if there is nothing. It returns how many it has received: at least one, unless `max`
    /// is 0.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// let (sender, receiver) = drumline::channel::mpmc::unbounded();
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
        &'a self,
        messages: &'a mut Vec<T>,
        max: usize,
    ) -> impl Future<Output = Result<usize, RecvError>> + Unpin + Send {
        RecvManyAsync::new(self.recv_async(), messages, max)
    }

    /// Goes through all messages until no more will come; waits for each.
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::mpmc::unbounded();
    /// std::thread::spawn(move || (1..=3u32).try_for_each(|number| sender.send(number)));
    /// assert_eq!(receiver.iter().sum::<u32>(), 6);
    /// ```
    ///
    /// # Blocking
    ///
    /// Each step as [`recv`](Self::recv).
    #[track_caller]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(&self.end)
    }

    /// Goes through the messages that are there; waits for none.
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::mpmc::unbounded();
    /// (1..=3).for_each(|number| sender.send(number).unwrap());
    /// assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1, 2, 3]);
    /// assert_eq!(receiver.try_iter().next(), None); // and `sender` still exists
    /// ```
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter(&self.end)
    }

    /// Closes the channel for all receivers: each later send fails, and those that wait get their
    /// messages back. What was sent before can still be received.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, SendError};
    ///
    /// let (sender, receiver) = drumline::channel::mpmc::unbounded();
    /// sender.send(1).unwrap();
    /// receiver.close();
    /// assert_eq!(sender.send(2), Err(SendError(2)));
    /// assert_eq!(receiver.recv(), Ok(1));
    /// assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::ClosedByReceiver);
    /// ```
    ///
    /// For each message it is certain which of the two happens: a send that returns `Ok` has put
    /// its message before the end.
    pub fn close(&self) {
        self.end.close();
    }

    /// Closes the channel, and takes all messages out of it that were sent before.
    ///
    /// Messages that are left when the iterator is dropped stay in the channel.
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::mpmc::unbounded();
    /// sender.send("unfinished").unwrap();
    /// assert_eq!(receiver.drain().collect::<Vec<_>>(), ["unfinished"]);
    /// assert!(sender.send("too late").is_err());
    /// ```
    pub fn drain(&self) -> Drain<'_, T> {
        self.end.close();
        Drain::new(&self.end)
    }

    /// How many messages are in the channel, about: others may be at work.
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::mpmc::unbounded();
    /// sender.send("a").unwrap();
    /// sender.send("b").unwrap();
    /// assert_eq!(receiver.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.end.len()
    }

    /// Whether there is no message in the channel; see [`len`](Self::len).
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::mpmc::unbounded();
    /// assert!(receiver.is_empty());
    /// sender.send("a").unwrap();
    /// assert!(!receiver.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many messages the channel holds at most; 0 for a rendezvous. `None`: there is no bound.
    ///
    /// ```
    /// use drumline::channel::mpmc;
    ///
    /// assert_eq!(mpmc::bounded::<u8>(16).1.capacity(), Some(16));
    /// assert_eq!(mpmc::rendezvous::<u8>().1.capacity(), Some(0));
    /// assert_eq!(mpmc::unbounded::<u8>().1.capacity(), None);
    /// ```
    #[must_use]
    pub fn capacity(&self) -> Option<usize> {
        self.end.capacity()
    }

    /// Whether no more messages will be sent: all senders are gone, or the channel was closed.
    /// There may be some to receive.
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::mpmc::unbounded();
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
    /// use drumline::channel::{CloseReason, mpmc};
    ///
    /// let (sender, receiver) = mpmc::unbounded::<u8>();
    /// assert_eq!(receiver.close_reason(), None);
    /// sender.finish();
    /// assert_eq!(receiver.close_reason(), Some(CloseReason::Finished));
    /// ```
    #[must_use]
    pub fn close_reason(&self) -> Option<CloseReason> {
        self.end.close_reason()
    }

    /// Whether both receive from the same channel.
    ///
    /// ```
    /// use drumline::channel::mpmc;
    ///
    /// let (_sender, receiver) = mpmc::unbounded::<u8>();
    /// assert!(receiver.is_same_channel(&receiver.clone()));
    /// assert!(!receiver.is_same_channel(&mpmc::unbounded().1));
    /// ```
    #[must_use]
    pub fn is_same_channel(&self, other: &Self) -> bool {
        self.end.is_same_channel(&other.end)
    }
}

impl<T: Send> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Receiver {
            end: self.end.share(),
        }
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

impl<T: Send> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    #[track_caller]
    fn into_iter(self) -> IntoIter<T> {
        IntoIter::new(self.end)
    }
}

impl<'a, T: Send> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    #[track_caller]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
