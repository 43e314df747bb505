//! What can go wrong at an end of a channel. A message that was not sent comes back.

use std::error::Error;
use std::fmt;

use super::CloseReason;
use super::lane::Nothing;

/// The receiver is gone, or has closed the channel. The message comes back.
///
/// ```
/// use drumline::channel::{SendError, mpsc};
///
/// let (sender, receiver) = mpsc::unbounded();
/// drop(receiver);
/// let Err(SendError(message)) = sender.send("come back") else { panic!("it is closed") };
/// assert_eq!(message, "come back");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SendError<T>(pub T);

/// The message was not sent at once. It comes back.
///
/// ```
/// use drumline::channel::{TrySendError, mpsc};
///
/// let (sender, _receiver) = mpsc::bounded(1);
/// sender.send(1).unwrap();
/// match sender.try_send(2) {
///     Ok(()) => panic!("there is no room"),
///     Err(TrySendError::Full(number)) => assert_eq!(number, 2),
///     Err(TrySendError::Closed(_)) => panic!("the receiver exists"),
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TrySendError<T> {
    /// There is no room now.
    Full(T),
    /// The receiver is gone, or has closed the channel.
    Closed(T),
}

/// The message was not sent in time. It comes back.
///
/// ```
/// use drumline::channel::{SendTimeoutError, mpsc};
/// use std::time::Duration;
///
/// let (sender, receiver) = mpsc::bounded(1);
/// let timeout = Duration::from_millis(1);
/// sender.send(1).unwrap();
/// assert_eq!(sender.send_timeout(2, timeout), Err(SendTimeoutError::Timeout(2)));
/// drop(receiver);
/// assert_eq!(sender.send_timeout(3, timeout), Err(SendTimeoutError::Closed(3)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SendTimeoutError<T> {
    /// There was no room until then.
    Timeout(T),
    /// The receiver is gone, or has closed the channel.
    Closed(T),
}

/// All messages have been received, and no more will come.
///
/// ```
/// let (sender, mut receiver) = drumline::channel::mpsc::unbounded::<u8>();
/// sender.finish();
/// let error = receiver.recv().unwrap_err();
/// assert_eq!(error.to_string(), "no more messages come: the sender has finished");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecvError {
    reason: CloseReason,
}

/// No message was received at once.
///
/// ```
/// use drumline::channel::{CloseReason, TryRecvError, mpsc};
///
/// let (sender, mut receiver) = mpsc::unbounded::<u8>();
/// assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
/// sender.finish();
/// assert_eq!(receiver.try_recv(), Err(TryRecvError::Closed(CloseReason::Finished)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TryRecvError {
    /// There is none now.
    Empty,
    /// All messages have been received, and no more will come.
    Closed(CloseReason),
}

/// No message was received in time.
///
/// ```
/// use drumline::channel::{CloseReason, RecvTimeoutError, mpsc};
/// use std::time::Duration;
///
/// let (sender, mut receiver) = mpsc::unbounded::<u8>();
/// let timeout = Duration::from_millis(1);
/// assert_eq!(receiver.recv_timeout(timeout), Err(RecvTimeoutError::Timeout));
/// sender.finish();
/// let closed = RecvTimeoutError::Closed(CloseReason::Finished);
/// assert_eq!(receiver.recv_timeout(timeout), Err(closed));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecvTimeoutError {
    /// None came until then.
    Timeout,
    /// All messages have been received, and no more will come.
    Closed(CloseReason),
}

impl RecvError {
    pub(super) fn new(reason: CloseReason) -> Self {
        RecvError { reason }
    }

    /// Why no more messages come.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, mpsc};
    ///
    /// let (sender, mut receiver) = mpsc::unbounded::<u8>();
    /// drop(sender);
    /// assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Dropped);
    /// ```
    #[must_use]
    pub fn reason(&self) -> CloseReason {
        self.reason
    }
}

impl<T> SendError<T> {
    /// The message.
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::mpsc::unbounded();
    /// drop(receiver);
    /// let message = sender.send("come back").unwrap_err().into_inner();
    /// assert_eq!(message, "come back");
    /// ```
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> TrySendError<T> {
    /// The message.
    ///
    /// ```
    /// let (sender, _receiver) = drumline::channel::mpsc::bounded(1);
    /// sender.send("takes the room").unwrap();
    /// let message = sender.try_send("come back").unwrap_err().into_inner();
    /// assert_eq!(message, "come back");
    /// ```
    #[must_use]
    pub fn into_inner(self) -> T {
        let (TrySendError::Full(message) | TrySendError::Closed(message)) = self;
        message
    }
}

impl<T> SendTimeoutError<T> {
    /// The message.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let (sender, _receiver) = drumline::channel::mpsc::bounded(1);
    /// sender.send("takes the room").unwrap();
    /// let late = sender.send_timeout("come back", Duration::from_millis(1)).unwrap_err();
    /// assert_eq!(late.into_inner(), "come back");
    /// ```
    #[must_use]
    pub fn into_inner(self) -> T {
        let (SendTimeoutError::Timeout(message) | SendTimeoutError::Closed(message)) = self;
        message
    }
}

const CLOSED: &str = "the receiver is gone, or has closed the channel; the message comes back";

impl<T> fmt::Debug for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SendError(..)")
    }
}

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(CLOSED)
    }
}

impl<T> fmt::Debug for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrySendError::Full(_) => "Full(..)",
            TrySendError::Closed(_) => "Closed(..)",
        })
    }
}

impl<T> fmt::Display for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrySendError::Full(_) => "the channel is full; try later, or use `send`, which waits",
            TrySendError::Closed(_) => CLOSED,
        })
    }
}

impl<T> fmt::Debug for SendTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendTimeoutError::Timeout(_) => "Timeout(..)",
            SendTimeoutError::Closed(_) => "Closed(..)",
        })
    }
}

impl<T> fmt::Display for SendTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendTimeoutError::Timeout(_) => "the channel was full until the deadline",
            SendTimeoutError::Closed(_) => CLOSED,
        })
    }
}

fn no_more(f: &mut fmt::Formatter<'_>, reason: CloseReason) -> fmt::Result {
    write!(f, "no more messages come: {reason}")
}

impl fmt::Display for RecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        no_more(f, self.reason)
    }
}

impl fmt::Display for TryRecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TryRecvError::Empty => f.write_str("there is no message now"),
            TryRecvError::Closed(reason) => no_more(f, *reason),
        }
    }
}

impl fmt::Display for RecvTimeoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecvTimeoutError::Timeout => f.write_str("no message came until the deadline"),
            RecvTimeoutError::Closed(reason) => no_more(f, *reason),
        }
    }
}

impl<T> Error for SendError<T> {}
impl<T> Error for TrySendError<T> {}
impl<T> Error for SendTimeoutError<T> {}
impl Error for RecvError {}
impl Error for TryRecvError {}
impl Error for RecvTimeoutError {}

impl<T> From<SendError<T>> for TrySendError<T> {
    fn from(error: SendError<T>) -> Self {
        TrySendError::Closed(error.0)
    }
}

impl From<Nothing> for TryRecvError {
    fn from(nothing: Nothing) -> Self {
        match nothing {
            Nothing::Yet => TryRecvError::Empty,
            Nothing::Ever(reason) => TryRecvError::Closed(reason),
        }
    }
}

impl From<RecvError> for TryRecvError {
    fn from(error: RecvError) -> Self {
        TryRecvError::Closed(error.reason)
    }
}
