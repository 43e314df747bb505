//! A bounded queue from many senders to one stream.
//!
//! The queue is a channel, [`mpsc::bounded`]. The channel has the places, the order, and the lists
//! of what waits. Its receiver is one of the [sources that are receivers](super::source), which all
//! wait and stop in one way ([`Streamed`]).
//!
//! This module adds one thing: while a stream measures how long its items wait, each item carries
//! the time at which it was sent. An item that was sent before has no time, and is not counted.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use crate::channel::{
    CloseReason, RecvError, SendError, SendTimeoutError, Streamed, TryRecvError, TrySendError, mpsc,
};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Instant};
use crate::wait::Interrupt;

/// A queue for a stream, with room for `bound` items: any number of senders, one receiving end.
///
/// ```
/// use drumline::stream::{self, stream};
///
/// let (sender, receiver) = stream::queue(16);
/// let producer = std::thread::spawn(move || {
///     for number in 1..=1_000u64 {
///         sender.send(number).expect("the stream takes them all");
///     }
/// });
/// let sum = stream(receiver).reduce(|| 0, |a, b| a + b);
/// producer.join().unwrap();
/// assert_eq!(sum, 500_500);
/// ```
///
/// # What a queue is
///
/// A queue is the channel [`mpsc::bounded`], and keeps all that
/// [channels promise](crate::channel#what-is-promised). The items come in one order for all
/// senders, and the bound is exact. Senders that wait for room are served first in, first out, each
/// as soon as one place is free. [`waiters`](crate::channel::waiters) shows the ends that wait.
///
/// In addition a queue measures how long its items wait in it, for a stream with
/// [counts](crate::stream::Snapshot::wait).
///
/// # Panics
///
/// If `bound` is 0.
#[must_use]
pub fn queue<T: Send>(bound: usize) -> (Sender<T>, Receiver<T>) {
    assert!(
        bound > 0,
        "a queue without room passes nothing on; ask for at least 1"
    );
    let (sender, receiver) = mpsc::bounded(bound);
    let is_measured = Arc::new(AtomicBool::new(false));
    let sender = Sender {
        inner: sender,
        is_measured: Arc::clone(&is_measured),
    };
    let receiver = Receiver {
        inner: receiver,
        is_measured,
        waits: Vec::new(),
        taken: Vec::new(),
    };
    (sender, receiver)
}

/// The sending end of a [`queue`]; clones send to the same queue, which ends when all of them are
/// gone.
///
/// ```
/// use drumline::stream::{self, stream};
///
/// let (sender, receiver) = stream::queue(16);
/// let other = sender.clone();
/// sender.send(1).unwrap();
/// other.send(2).unwrap();
/// drop((sender, other));
/// assert_eq!(stream(receiver).count(), 2);
/// ```
pub struct Sender<T: Send> {
    inner: mpsc::Sender<Stamped<T>>,
    is_measured: Arc<AtomicBool>,
}

/// The receiving end of a [`queue`]: a [`Source`](super::Source).
///
/// When it is dropped, the items that are in the queue are dropped, and each later send fails.
///
/// ```
/// use drumline::stream::{self, stream};
///
/// let (sender, mut receiver) = stream::queue(16);
/// (1..=10u32).for_each(|number| sender.send(number).unwrap());
/// assert_eq!(receiver.recv(), Some(1)); // by hand,
/// drop(sender);
/// assert_eq!(stream(receiver).reduce_with(|a, b| a + b), Some(54)); // or by a stream
/// ```
pub struct Receiver<T: Send> {
    inner: mpsc::Receiver<Stamped<T>>,
    /// Whether senders note the time. Only the receiver sets it.
    is_measured: Arc<AtomicBool>,
    /// How long the items waited that a stream took lately, if that is measured.
    waits: Vec<Duration>,
    /// Empty. It keeps its memory from batch to batch.
    taken: Vec<Stamped<T>>,
}

/// An item, and when it was sent.
struct Stamped<T> {
    item: T,
    /// `None`: no stream measured at that time.
    sent: Option<Instant>,
}

impl<T> Stamped<T> {
    /// The item. `now`: notes how long it waited.
    fn open(self, now: Option<Instant>, waits: &mut Vec<Duration>) -> T {
        if let (Some(now), Some(sent)) = (now, self.sent) {
            waits.push(now.saturating_duration_since(sent));
        }
        self.item
    }
}

impl<T: Send> Sender<T> {
    #[inline]
    fn stamp(&self, item: T) -> Stamped<T> {
        Stamped {
            item,
            sent: now_if(&self.is_measured),
        }
    }

    /// Sends an item; waits for room if the queue is full.
    ///
    /// ```
    /// use drumline::stream::{self, SendError};
    ///
    /// let (sender, receiver) = stream::queue(1);
    /// sender.send(1)?;
    /// drop(receiver);
    /// assert_eq!(sender.send(2), Err(SendError(2)));
    /// # Ok::<(), SendError<i32>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the receiver is gone, or has closed the queue; the item comes back.
    ///
    /// # Blocking
    ///
    /// While the queue is full, and while senders that came earlier wait. In a pool the thread is
    /// replaced meanwhile, as by [`blocking`](crate::blocking()).
    #[inline]
    #[track_caller]
    pub fn send(&self, item: T) -> Result<(), SendError<T>> {
        self.inner.send(self.stamp(item)).map_err(unsent)
    }

    /// Sends an item if there is room now, and no sender waits.
    ///
    /// ```
    /// use drumline::stream::{self, TrySendError};
    ///
    /// let (sender, _receiver) = stream::queue(1);
    /// assert_eq!(sender.try_send(1), Ok(()));
    /// assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
    /// ```
    ///
    /// # Errors
    ///
    /// If it is full, or the receiver is gone, or has closed the queue; the item comes back.
    #[inline]
    pub fn try_send(&self, item: T) -> Result<(), TrySendError<T>> {
        let sent = self.inner.try_send(self.stamp(item));
        sent.map_err(|refused| match refused {
            TrySendError::Full(stamped) => TrySendError::Full(stamped.item),
            TrySendError::Closed(stamped) => TrySendError::Closed(stamped.item),
        })
    }

    /// As [`send`](Self::send), but waits for `timeout` at most.
    ///
    /// ```
    /// use drumline::channel::SendTimeoutError;
    /// use std::time::Duration;
    ///
    /// let (sender, _receiver) = drumline::stream::queue(1);
    /// let timeout = Duration::from_millis(1);
    /// assert_eq!(sender.send_timeout(1, timeout), Ok(()));
    /// assert_eq!(sender.send_timeout(2, timeout), Err(SendTimeoutError::Timeout(2)));
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
    pub fn send_timeout(&self, item: T, timeout: Duration) -> Result<(), SendTimeoutError<T>> {
        let sent = self.inner.send_timeout(self.stamp(item), timeout);
        sent.map_err(|refused| match refused {
            SendTimeoutError::Timeout(stamped) => SendTimeoutError::Timeout(stamped.item),
            SendTimeoutError::Closed(stamped) => SendTimeoutError::Closed(stamped.item),
        })
    }

    /// A future that sends an item when there is room.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// let (sender, mut receiver) = drumline::stream::queue(1);
    /// assert_eq!(sender.send_async("hello").await, Ok(()));
    /// assert_eq!(receiver.recv(), Some("hello"));
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready has sent all or nothing, as that of a
    /// [channel](mpsc::Sender::send_async).
    #[track_caller]
    pub fn send_async(&self, item: T) -> impl Future<Output = Result<(), SendError<T>>> + '_ {
        let sending = self.inner.send_async(self.stamp(item));
        async { sending.await.map_err(unsent) }
    }

    /// Says that all items of this sender have been sent. If all senders say so, the
    /// [`Report`](crate::stream::Report) of the stream has [`CloseReason::Finished`].
    ///
    /// ```
    /// use drumline::channel::CloseReason;
    /// use drumline::stream::{self, stream};
    ///
    /// let (sender, receiver) = stream::queue(16);
    /// sender.send("all there is").unwrap();
    /// sender.finish();
    /// assert_eq!(stream(receiver).for_each(|_| ()).close_reason, Some(CloseReason::Finished));
    /// ```
    pub fn finish(self) {
        self.inner.finish();
    }

    /// Whether the receiver is gone, or has closed the queue.
    ///
    /// ```
    /// let (sender, receiver) = drumline::stream::queue::<u8>(16);
    /// assert!(!sender.is_closed());
    /// drop(receiver);
    /// assert!(sender.is_closed());
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.inner.is_closed()
    }

    /// How many items wait to be taken, about: other threads may be at work.
    ///
    /// ```
    /// let (sender, _receiver) = drumline::stream::queue(16);
    /// sender.send(1).unwrap();
    /// sender.send(2).unwrap();
    /// assert_eq!(sender.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.len()
    }

    /// Whether no item waits to be taken; see [`len`](Self::len).
    ///
    /// ```
    /// let (sender, mut receiver) = drumline::stream::queue(16);
    /// sender.send(1).unwrap();
    /// assert!(!sender.is_empty());
    /// receiver.recv();
    /// assert!(sender.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }
}

fn unsent<T>(refused: SendError<Stamped<T>>) -> SendError<T> {
    SendError(refused.0.item)
}

/// The time, if waits are measured.
#[inline]
fn now_if(is_measured: &AtomicBool) -> Option<Instant> {
    // Relaxed: it publishes nothing. A sender that sees an old value sends an item without a time.
    is_measured.load(Ordering::Relaxed).then(Instant::now)
}

impl<T: Send> Receiver<T> {
    /// Waits for the next item by hand, without a stream; `None` when no more will come.
    ///
    /// ```
    /// let (sender, mut receiver) = drumline::stream::queue(1);
    /// assert_eq!(sender.try_send(1), Ok(()));
    /// drop(sender);
    /// assert_eq!((receiver.recv(), receiver.recv()), (Some(1), None));
    /// ```
    ///
    /// # Blocking
    ///
    /// Until there is an item, or none will come.
    #[inline]
    #[track_caller]
    pub fn recv(&mut self) -> Option<T> {
        self.inner.recv().ok().map(|stamped| stamped.item)
    }

    /// Closes the queue: each later send fails, and senders that wait get their items back. What
    /// was sent before can still be received.
    ///
    /// ```
    /// let (sender, mut receiver) = drumline::stream::queue(1);
    /// assert_eq!(sender.try_send(1), Ok(()));
    /// receiver.close();
    /// assert!(sender.send(2).is_err());
    /// assert_eq!((receiver.recv(), receiver.recv()), (Some(1), None));
    /// ```
    pub fn close(&mut self) {
        self.inner.close();
    }
}

/// By this the receiver is a [`Source`](super::Source).
impl<T: Send> Streamed for Receiver<T> {
    type Message = T;

    fn interrupt(&self) -> &std::sync::Arc<Interrupt> {
        Streamed::interrupt(&self.inner)
    }

    fn take(&mut self) -> Result<T, TryRecvError> {
        let stamped = self.inner.take()?;
        Ok(stamped.open(now_if(&self.is_measured), &mut self.waits))
    }

    fn take_many(&mut self, messages: &mut Vec<T>, most: usize) -> Result<usize, TryRecvError> {
        let count = self.inner.take_many(&mut self.taken, most)?;
        let now = now_if(&self.is_measured);
        let items = self.taken.drain(..);
        messages.extend(items.map(|stamped| stamped.open(now, &mut self.waits)));
        Ok(count)
    }

    fn receive(&mut self) -> impl Future<Output = Result<T, RecvError>> {
        let Receiver {
            inner,
            is_measured,
            waits,
            ..
        } = self;
        async {
            let stamped = inner.receive().await?;
            Ok(stamped.open(now_if(is_measured), waits))
        }
    }

    fn count(&self) -> Option<usize> {
        self.inner.count()
    }

    fn end_reason(&self) -> Option<CloseReason> {
        self.inner.end_reason()
    }

    fn measure_waits(&mut self, measures: bool) {
        // Relaxed: as in `now_if`.
        self.is_measured.store(measures, Ordering::Relaxed);
        // What an earlier stream has not asked for is not this one's.
        self.waits.clear();
    }

    fn waits(&mut self, waits: &mut Vec<Duration>) {
        waits.append(&mut self.waits);
    }
}

impl<T: Send> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender {
            inner: self.inner.clone(),
            is_measured: Arc::clone(&self.is_measured),
        }
    }
}

impl<T: Send> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T: Send> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
