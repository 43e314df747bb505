//! What can go wrong in a step. What was not sent comes back, and an endpoint that can go on.

use std::error::Error;
use std::fmt;

use super::PeerLeft;

/// The peer has left, so the message was not sent. It comes back.
///
/// Converts to [`PeerLeft`], so that a function with that error can use `?` in all steps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SendError<M> {
    message: M,
    left: PeerLeft,
}

/// The message was not sent at once, or not in time. It comes back.
pub enum NotSent<E, M> {
    /// There was no room. The endpoint comes back, too.
    Yet(E, M),
    /// The peer has left.
    Ever(SendError<M>),
}

/// No message was received at once, or none in time.
pub enum NotReceived<E> {
    /// None came. The endpoint comes back.
    Yet(E),
    /// The peer has left.
    Ever(PeerLeft),
}

impl<M> SendError<M> {
    pub(super) fn new(message: M, left: PeerLeft) -> Self {
        SendError { message, left }
    }

    /// Where and why the peer has left.
    pub fn left(&self) -> PeerLeft {
        self.left
    }

    /// The message.
    pub fn into_inner(self) -> M {
        self.message
    }
}

impl<E, M> NotSent<E, M> {
    /// The message.
    pub fn into_inner(self) -> M {
        match self {
            NotSent::Yet(_, message) => message,
            NotSent::Ever(error) => error.message,
        }
    }
}

impl<M> From<SendError<M>> for PeerLeft {
    fn from(error: SendError<M>) -> Self {
        error.left
    }
}

impl<M> fmt::Debug for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendError")
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

impl<M> fmt::Display for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; the message comes back", self.left)
    }
}

impl<E, M> fmt::Debug for NotSent<E, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotSent::Yet(..) => f.write_str("Yet(..)"),
            NotSent::Ever(error) => f.debug_tuple("Ever").field(error).finish(),
        }
    }
}

impl<E, M> fmt::Display for NotSent<E, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotSent::Yet(..) => {
                f.write_str("there is no room for the message; try later, or wait for room")
            }
            NotSent::Ever(error) => error.fmt(f),
        }
    }
}

impl<E> fmt::Debug for NotReceived<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotReceived::Yet(_) => f.write_str("Yet(..)"),
            NotReceived::Ever(left) => f.debug_tuple("Ever").field(left).finish(),
        }
    }
}

impl<E> fmt::Display for NotReceived<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotReceived::Yet(_) => f.write_str("no message has come"),
            NotReceived::Ever(left) => left.fmt(f),
        }
    }
}

impl<M> Error for SendError<M> {}
impl<E, M> Error for NotSent<E, M> {}
impl<E> Error for NotReceived<E> {}
