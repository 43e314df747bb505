//! What can go wrong when a message is told. The message comes back.

use std::error::Error;
use std::fmt;

use super::ask::AskError;

/// The message was not told. It comes back.
///
/// ```
/// use drumline::actor::{ActorSystem, Probe, TellError};
///
/// let system = ActorSystem::builder().build_here();
/// let probe = Probe::new(&system);
/// probe.actor_ref().stop();
/// probe.actor_ref().ended().recv();
/// match probe.actor_ref().tell("hello") {
///     Ok(()) => unreachable!("it has ended"),
///     Err(TellError::Dead(message)) => assert_eq!(message, "hello"),
///     Err(TellError::Full(message)) => unreachable!("no bound: {message}"),
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TellError<M> {
    /// The actor is dead.
    Dead(M),
    /// There is no room in its mailbox.
    Full(M),
}

impl<M> TellError<M> {
    /// The message.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Probe};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let probe = Probe::new(&system);
    /// probe.actor_ref().stop();
    /// probe.actor_ref().ended().recv();
    /// let message = probe.actor_ref().tell("come back").unwrap_err().into_inner();
    /// assert_eq!(message, "come back");
    /// ```
    #[must_use]
    pub fn into_inner(self) -> M {
        let (TellError::Dead(message) | TellError::Full(message)) = self;
        message
    }

    #[inline]
    pub(super) fn map<N>(self, change: impl FnOnce(M) -> N) -> TellError<N> {
        match self {
            TellError::Dead(message) => TellError::Dead(change(message)),
            TellError::Full(message) => TellError::Full(change(message)),
        }
    }

    /// What an asker gets instead.
    pub(super) fn ask_error(&self) -> AskError {
        match self {
            TellError::Dead(_) => AskError::Dead,
            TellError::Full(_) => AskError::Full,
        }
    }
}

impl<M> fmt::Debug for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TellError::Dead(_) => "Dead(..)",
            TellError::Full(_) => "Full(..)",
        })
    }
}

impl<M> fmt::Display for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TellError::Dead(_) => "the actor is dead; the message comes back",
            TellError::Full(_) => "there is no room in the mailbox of the actor; try later",
        })
    }
}

impl<M> Error for TellError<M> {}
