//! What can go wrong at an end of a channel. A message that was not sent comes back.

use std::error::Error;
use std::fmt;

use super::CloseReason;
use super::lane::Nothing;

/// The receiver is gone, or has closed the channel. The message comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SendError<T>(pub T);

/// The message was not sent at once. It comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TrySendError<T> {
    /// There is no room now.
    Full(T),
    /// The receiver is gone, or has closed the channel.
    Closed(T),
}

/// The message was not sent in time. It comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SendTimeoutError<T> {
    /// There was no room until then.
    Timeout(T),
    /// The receiver is gone, or has closed the channel.
    Closed(T),
}

/// All messages have been received, and no more will come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecvError {
    reason: CloseReason,
}

/// No message was received at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TryRecvError {
    /// There is none now.
    Empty,
    /// All messages have been received, and no more will come.
    Closed(CloseReason),
}

/// No message was received in time.
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
    pub fn reason(&self) -> CloseReason {
        self.reason
    }
}

impl<T> SendError<T> {
    /// The message.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> TrySendError<T> {
    /// The message.
    pub fn into_inner(self) -> T {
        let (TrySendError::Full(message) | TrySendError::Closed(message)) = self;
        message
    }
}

impl<T> SendTimeoutError<T> {
    /// The message.
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
