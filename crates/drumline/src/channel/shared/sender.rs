//! The sending end of `mpsc` and `mpmc`.

use std::fmt;
use std::mem::ManuallyDrop;
use std::panic::Location;
use std::ptr;
use std::time::Duration;

use super::sending::{Closed, Reservation, SendAsync};
use super::{Listed, Outgoing, SharedQueue, Unsent};
use crate::channel::{CloseReason, SendError, SendTimeoutError, TrySendError};
use crate::sync::{Arc, Instant};
use crate::wait::{SleepingThread, WaiterEntry, WaitingFor, Watched};

/// The sending end of a channel; made by `bounded`, `unbounded` or `rendezvous`.
///
/// A clone sends to the same channel. What one thread sends comes in the order in which it was
/// sent, also through several clones, and across threads: if a send returns before another one
/// begins, its message comes first. When the last sender is dropped, the receivers get what was
/// sent, and then learn that no more comes.
///
/// ```
/// use drumline::channel::mpsc;
///
/// let (sender, mut receiver) = mpsc::unbounded();
/// let other = sender.clone();
/// std::thread::spawn(move || other.send(1u32));
/// sender.send(2).unwrap();
/// drop(sender);
/// assert_eq!(receiver.iter().sum::<u32>(), 3);
/// ```
pub struct Sender<T: Send> {
    pub(super) shared: Arc<SharedQueue<T>>,
}

impl<T: Send> Sender<T> {
    pub(in crate::channel) fn new(shared: Arc<SharedQueue<T>>) -> Self {
        Sender { shared }
    }

    /// Sends a message; waits for room if there is none, and in a rendezvous until a receiver has
    /// taken it.
    ///
    /// ```
    /// use drumline::channel::{SendError, mpsc};
    ///
    /// let (sender, mut receiver) = mpsc::unbounded();
    /// assert_eq!(sender.send("hello"), Ok(()));
    /// assert_eq!(receiver.recv(), Ok("hello"));
    /// drop(receiver);
    /// assert_eq!(sender.send("hello?"), Err(SendError("hello?")));
    /// ```
    ///
    /// # Errors
    ///
    /// If all receivers are gone, or one has closed the channel. The message comes back.
    ///
    /// # Blocking
    ///
    /// While the channel is full, and while senders that came earlier wait. They are served in the
    /// order in which they came. Never in an unbounded channel.
    #[inline]
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        match self.shared.try_send(message) {
            Ok(()) => Ok(()),
            Err(Unsent::Closed(message)) => Err(SendError(message)),
            Err(Unsent::Full(message)) => self
                .send_later(message, None, Location::caller())
                .map_err(|error| match error {
                    SendTimeoutError::Closed(message) => SendError(message),
                    SendTimeoutError::Timeout(_) => unreachable!("there is no deadline"),
                }),
        }
    }

    /// Sends a message if that can be done at once: there is room, and no sender waits. In a
    /// rendezvous, if a receiver waits.
    ///
    /// ```
    /// use drumline::channel::{TrySendError, mpsc};
    ///
    /// let (sender, receiver) = mpsc::bounded(1);
    /// assert_eq!(sender.try_send(1), Ok(()));
    /// assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
    /// drop(receiver);
    /// assert_eq!(sender.try_send(3), Err(TrySendError::Closed(3)));
    /// ```
    ///
    /// # Errors
    ///
    /// If it cannot, and if all receivers are gone, or one has closed the channel. The message
    /// comes back.
    #[inline]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        self.shared
            .try_send(message)
            .map_err(|refused| match refused {
                Unsent::Full(message) => TrySendError::Full(message),
                Unsent::Closed(message) => TrySendError::Closed(message),
            })
    }

    /// As [`send`](Self::send), but waits for `timeout` at most.
    ///
    /// ```
    /// use drumline::channel::{SendTimeoutError, mpsc};
    /// use std::time::Duration;
    ///
    /// let (sender, _receiver) = mpsc::bounded(1);
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
    pub fn send_timeout(&self, message: T, timeout: Duration) -> Result<(), SendTimeoutError<T>> {
        let deadline = Instant::now().checked_add(timeout);
        self.send_until(message, deadline, Location::caller())
    }

    /// As [`send`](Self::send), but waits until `deadline` at most.
    ///
    /// ```
    /// use drumline::channel::mpsc;
    /// use std::time::{Duration, Instant};
    ///
    /// let (sender, _receiver) = mpsc::bounded(1);
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
    pub fn send_deadline(&self, message: T, deadline: Instant) -> Result<(), SendTimeoutError<T>> {
        self.send_until(message, Some(deadline), Location::caller())
    }

    fn send_until(
        &self,
        message: T,
        deadline: Option<Instant>,
        location: &'static Location<'static>,
    ) -> Result<(), SendTimeoutError<T>> {
        match self.shared.try_send(message) {
            Ok(()) => Ok(()),
            Err(Unsent::Closed(message)) => Err(SendTimeoutError::Closed(message)),
            Err(Unsent::Full(message)) => self.send_later(message, deadline, location),
        }
    }

    #[cold]
    fn send_later(
        &self,
        mut message: T,
        deadline: Option<Instant>,
        location: &'static Location<'static>,
    ) -> Result<(), SendTimeoutError<T>> {
        // A sender to a rendezvous has to be on the list to be seen. Elsewhere it watches once;
        // then it takes its place in the line, where no other overtakes it.
        if self.shared.capacity() > 0 {
            self.shared.pause_for_room();
            match self.shared.watch(deadline, || self.shared.may_send()) {
                Watched::Ready => match self.shared.try_send(message) {
                    Ok(()) => return Ok(()),
                    Err(Unsent::Closed(message)) => return Err(SendTimeoutError::Closed(message)),
                    Err(Unsent::Full(back)) => message = back,
                },
                Watched::TooLate => return Err(SendTimeoutError::Timeout(message)),
                Watched::Nothing => {}
            }
        }
        let thread = SleepingThread::new();
        let outgoing = Outgoing::Message(message);
        let (was_woken, outgoing) = match self.shared.line_up(outgoing, thread.waker()) {
            Listed::Ready(outgoing) => (true, outgoing),
            Listed::Waits(key) => {
                let mut entry = WaiterEntry::new();
                let site = self.shared.site(WaitingFor::Capacity, location);
                let asleep = entry.sleep(site);
                let was_woken = thread.sleep(deadline);
                drop(asleep);
                (was_woken, self.shared.step_out(key))
            }
        };
        match outgoing {
            Outgoing::Done => Ok(()),
            Outgoing::Message(message) if was_woken || self.shared.is_closed() => {
                Err(SendTimeoutError::Closed(message))
            }
            Outgoing::Message(message) => Err(SendTimeoutError::Timeout(message)),
            Outgoing::Permit => unreachable!("it has a message"),
        }
    }

    /// What the ends of the channel share, for a select that listens.
    pub(in crate::channel) fn queue(&self) -> &SharedQueue<T> {
        &self.shared
    }

    /// A future that sends a message when there is room, and in a rendezvous when a receiver takes
    /// it.
    ///
    /// ```
    /// let (sender, mut receiver) = drumline::channel::mpsc::bounded(1);
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
    /// If all receivers are gone, or one has closed the channel. The message comes back.
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready has sent all or nothing. If it has waited, its
    /// message may have been sent meanwhile; otherwise it is dropped with the future. To keep the
    /// message, [reserve](Self::reserve) a place first.
    #[track_caller]
    pub fn send_async(&self, message: T) -> SendAsync<'_, T> {
        SendAsync::new(self, message)
    }

    /// A future that is ready when there is room, with the right to send one message.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// let (sender, mut receiver) = drumline::channel::mpsc::bounded(1);
    /// let permit = sender.reserve().await.unwrap();
    /// assert!(sender.try_send("the place is taken").is_err());
    /// permit.send("only made when there is room").unwrap();
    /// assert_eq!(receiver.recv(), Ok("only made when there is room"));
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// If all receivers are gone, or one has closed the channel.
    ///
    /// # Panics
    ///
    /// In a rendezvous, which has no place to reserve.
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready leaves nothing behind. A permit that is dropped
    /// gives its place back.
    #[track_caller]
    pub fn reserve(&self) -> Reservation<'_, T> {
        assert!(
            self.shared.capacity() > 0,
            "a rendezvous has no place to reserve; use `send_async`"
        );
        Reservation::new(self)
    }

    /// Takes the right to send one message, if there is room.
    ///
    /// ```
    /// use drumline::channel::{TrySendError, mpsc};
    ///
    /// let (sender, mut receiver) = mpsc::bounded(1);
    /// let permit = sender.try_reserve().unwrap();
    /// assert_eq!(sender.try_send("no place"), Err(TrySendError::Full("no place")));
    /// permit.send("the place that was kept").unwrap();
    /// assert_eq!(receiver.recv(), Ok("the place that was kept"));
    /// ```
    ///
    /// # Errors
    ///
    /// If there is none, and if all receivers are gone, or one has closed the channel.
    ///
    /// # Panics
    ///
    /// As [`reserve`](Self::reserve).
    pub fn try_reserve(&self) -> Result<SendPermit<'_, T>, TrySendError<()>> {
        assert!(
            self.shared.capacity() > 0,
            "a rendezvous has no place to reserve; use `try_send`"
        );
        match self.shared.try_reserve() {
            Ok(()) => Ok(SendPermit::new(self)),
            Err(Unsent::Full(())) => Err(TrySendError::Full(())),
            Err(Unsent::Closed(())) => Err(TrySendError::Closed(())),
        }
    }

    /// A future that is ready when all receivers are gone, or one has closed the channel.
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::mpsc::unbounded::<()>();
    /// drop(receiver);
    /// drumline::block_on(sender.closed());
    /// ```
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready leaves nothing behind.
    #[track_caller]
    pub fn closed(&self) -> Closed<'_, T> {
        Closed::new(self)
    }

    /// Says that all messages of this sender have been sent. If all senders say so, the receivers
    /// get [`CloseReason::Finished`] at the end.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, mpsc};
    ///
    /// let (sender, mut receiver) = mpsc::unbounded();
    /// sender.send("all").unwrap();
    /// sender.finish();
    /// assert_eq!(receiver.recv(), Ok("all"));
    /// assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Finished);
    /// ```
    pub fn finish(self) {
        // Its drop would say something else.
        let this = ManuallyDrop::new(self);
        // SAFETY: read once, and not used again.
        let shared = unsafe { ptr::read(&raw const this.shared) };
        shared.leave_sender(CloseReason::Finished);
    }

    /// How many messages are in the channel, about.
    ///
    /// ```
    /// let (sender, _receiver) = drumline::channel::mpsc::unbounded();
    /// sender.send("a").unwrap();
    /// sender.clone().send("b").unwrap();
    /// assert_eq!(sender.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.len()
    }

    /// Whether there is no message in the channel; see [`len`](Self::len).
    ///
    /// ```
    /// let (sender, _receiver) = drumline::channel::mpsc::unbounded();
    /// assert!(sender.is_empty());
    /// sender.send("a").unwrap();
    /// assert!(!sender.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many messages the channel holds at most; 0 for a rendezvous. `None`: there is no bound.
    ///
    /// ```
    /// use drumline::channel::mpsc;
    ///
    /// assert_eq!(mpsc::bounded::<u8>(16).0.capacity(), Some(16));
    /// assert_eq!(mpsc::rendezvous::<u8>().0.capacity(), Some(0));
    /// assert_eq!(mpsc::unbounded::<u8>().0.capacity(), None);
    /// ```
    #[must_use]
    pub fn capacity(&self) -> Option<usize> {
        Some(self.shared.capacity()).filter(|&capacity| capacity != usize::MAX)
    }

    /// Whether all receivers are gone, or one has closed the channel.
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::mpsc::unbounded::<u8>();
    /// assert!(!sender.is_closed());
    /// drop(receiver);
    /// assert!(sender.is_closed());
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.is_closed()
    }

    /// Whether both send to the same channel.
    ///
    /// ```
    /// use drumline::channel::mpsc;
    ///
    /// let (sender, _receiver) = mpsc::unbounded::<u8>();
    /// assert!(sender.is_same_channel(&sender.clone()));
    /// assert!(!sender.is_same_channel(&mpsc::unbounded().0));
    /// ```
    #[must_use]
    pub fn is_same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl<T: Send> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.shared.add_sender();
        Sender::new(Arc::clone(&self.shared))
    }
}

impl<T: Send> Drop for Sender<T> {
    fn drop(&mut self) {
        self.shared.leave_sender(CloseReason::of_drop());
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

/// The right to send one message; made by [`Sender::reserve`] and [`Sender::try_reserve`].
///
/// To forget it (`std::mem::forget`) takes its place away from the channel for good.
#[must_use = "a permit that is dropped gives its place back"]
pub struct SendPermit<'a, T: Send> {
    sender: &'a Sender<T>,
}

impl<'a, T: Send> SendPermit<'a, T> {
    pub(super) fn new(sender: &'a Sender<T>) -> Self {
        SendPermit { sender }
    }

    /// Sends the message.
    ///
    /// ```
    /// let (sender, mut receiver) = drumline::channel::mpsc::bounded(1);
    /// let permit = sender.try_reserve().unwrap();
    /// assert!(permit.send("made when there is room").is_ok());
    /// assert_eq!(receiver.recv(), Ok("made when there is room"));
    /// ```
    ///
    /// # Errors
    ///
    /// If all receivers are gone meanwhile, or one has closed the channel. The message comes back.
    pub fn send(self, message: T) -> Result<(), SendError<T>> {
        let permit = ManuallyDrop::new(self);
        permit
            .sender
            .shared
            .send_reserved(message)
            .map_err(SendError)
    }
}

impl<T: Send> Drop for SendPermit<'_, T> {
    fn drop(&mut self) {
        self.sender.shared.give_room_back();
    }
}

impl<T: Send> fmt::Debug for SendPermit<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendPermit").finish_non_exhaustive()
    }
}
