//! What can go wrong in a step. What was not sent comes back, and an endpoint that can go on.

use std::error::Error;
use std::fmt;

use super::PeerLeft;

/// The peer has left, so the message was not sent. It comes back.
///
/// Converts to [`PeerLeft`], so that a function with that error can use `?` in all steps.
///
/// ```
/// drumline::protocol! {
///     mod news of paper with reader {
///         Morning = send String => end;
///     }
/// }
///
/// let (paper, reader) = news::unbounded();
/// drop(reader);
/// let error = paper.send("all is well".to_owned()).unwrap_err();
/// println!("{error}"); // which side has left, and in which step
/// assert_eq!(error.into_inner(), "all is well");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SendError<M> {
    message: M,
    left: PeerLeft,
}

/// The message was not sent at once, or not in time. It comes back.
///
/// ```
/// use drumline::protocol::NotSent;
///
/// drumline::protocol! {
///     mod tally of voter with counter {
///         Voting = send u32 => Voting;
///     }
/// }
///
/// let (voter, _counter) = tally::bounded(1);
/// let voter = voter.try_send(1).unwrap();
/// match voter.try_send(2) {
///     Ok(_voter) => unreachable!("there is no room"),
///     Err(NotSent::Yet(_voter, number)) => assert_eq!(number, 2), // both come back
///     Err(NotSent::Ever(error)) => unreachable!("the other side is there: {error}"),
/// }
/// ```
pub enum NotSent<E, M> {
    /// There was no room. The endpoint comes back, too.
    Yet(E, M),
    /// The peer has left.
    Ever(SendError<M>),
}

/// No message was received at once, or none in time.
///
/// ```
/// use drumline::protocol::NotReceived;
///
/// drumline::protocol! {
///     mod news of paper with reader {
///         Morning = send String => end;
///     }
/// }
///
/// let (paper, reader) = news::unbounded();
/// let reader = match reader.try_recv() {
///     Ok(_) => unreachable!("there is no news yet"),
///     Err(NotReceived::Yet(reader)) => reader,
///     Err(NotReceived::Ever(left)) => panic!("{left}"),
/// };
/// assert!(paper.send("all is well".to_owned()).is_ok());
/// assert_eq!(reader.try_recv().unwrap().0, "all is well");
/// ```
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
    ///
    /// ```
    /// drumline::protocol! {
    ///     mod news of paper with reader {
    ///         Morning = send String => end;
    ///     }
    /// }
    ///
    /// let (paper, reader) = news::unbounded();
    /// drop(reader);
    /// let error = paper.send("all is well".to_owned()).unwrap_err();
    /// assert_eq!(error.left().role(), "reader");
    /// ```
    #[must_use]
    pub fn left(&self) -> PeerLeft {
        self.left
    }

    /// The message.
    ///
    /// ```
    /// drumline::protocol! {
    ///     mod news of paper with reader {
    ///         Morning = send String => end;
    ///     }
    /// }
    ///
    /// let (paper, reader) = news::unbounded();
    /// drop(reader);
    /// let error = paper.send("all is well".to_owned()).unwrap_err();
    /// assert_eq!(error.into_inner(), "all is well");
    /// ```
    #[must_use]
    pub fn into_inner(self) -> M {
        self.message
    }
}

impl<E, M> NotSent<E, M> {
    /// The message.
    ///
    /// ```
    /// drumline::protocol! {
    ///     mod tally of voter with counter {
    ///         Voting = send u32 => Voting;
    ///     }
    /// }
    ///
    /// let (voter, _counter) = tally::bounded(1);
    /// let voter = voter.try_send(1).unwrap();
    /// assert_eq!(voter.try_send(2).unwrap_err().into_inner(), 2);
    /// ```
    #[must_use]
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
