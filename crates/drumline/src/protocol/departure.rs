//! How a side that leaves in the middle says so, and what its peer reads.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::thread;

use crate::channel::CloseReason;

/// A step of a protocol, as one role sees it.
#[doc(hidden)]
#[derive(Debug, PartialEq, Eq)]
pub struct Step {
    pub protocol: &'static str,
    pub role: &'static str,
    pub state: &'static str,
}

/// The peer has left the session in the middle: its endpoint was dropped before the end.
///
/// Says which role has left, in which step, and why. The step is the one in which the *peer* was.
/// It may lie behind that of the side that gets this error: then the peer has not received the last
/// messages of that side.
///
/// ```
/// use drumline::channel::CloseReason;
///
/// drumline::protocol! {
///     mod greeting of guest with host {
///         Arrival = send String => Welcome;
///         Welcome = recv String => end;
///     }
/// }
///
/// let (guest, host) = greeting::unbounded();
/// drop(host);
/// let left = match guest.send("good evening".to_owned()) {
///     Ok(welcome) => welcome.recv().unwrap_err(),
///     Err(error) => error.left(),
/// };
/// assert_eq!((left.role(), left.step()), ("host", "Arrival"));
/// assert_eq!(left.reason(), CloseReason::Dropped);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PeerLeft {
    step: &'static Step,
    is_panic: bool,
}

impl PeerLeft {
    /// The name of the protocol.
    ///
    /// ```
    /// drumline::protocol! {
    ///     mod news of paper with reader {
    ///         Morning = send String => end;
    ///     }
    /// }
    ///
    /// let (paper, reader) = news::unbounded();
    /// drop(paper);
    /// let left = reader.recv().unwrap_err();
    /// assert_eq!(left.protocol(), "news");
    /// ```
    #[must_use]
    pub fn protocol(&self) -> &'static str {
        self.step.protocol
    }

    /// The role of the peer that has left.
    ///
    /// ```
    /// drumline::protocol! {
    ///     mod news of paper with reader {
    ///         Morning = send String => end;
    ///     }
    /// }
    ///
    /// let (paper, reader) = news::unbounded();
    /// drop(paper);
    /// let left = reader.recv().unwrap_err();
    /// assert_eq!(left.role(), "paper");
    /// ```
    #[must_use]
    pub fn role(&self) -> &'static str {
        self.step.role
    }

    /// The step in which the peer was.
    ///
    /// ```
    /// drumline::protocol! {
    ///     mod news of paper with reader {
    ///         Morning = send String => end;
    ///     }
    /// }
    ///
    /// let (paper, reader) = news::unbounded();
    /// drop(paper);
    /// let left = reader.recv().unwrap_err();
    /// assert_eq!(left.step(), "Morning");
    /// ```
    #[must_use]
    pub fn step(&self) -> &'static str {
        self.step.state
    }

    /// Why it left: [`Dropped`](CloseReason::Dropped) or [`Panicked`](CloseReason::Panicked).
    ///
    /// ```
    /// use drumline::channel::CloseReason;
    ///
    /// drumline::protocol! {
    ///     mod news of paper with reader {
    ///         Morning = send String => end;
    ///     }
    /// }
    ///
    /// let (paper, reader) = news::unbounded();
    /// drop(paper);
    /// let left = reader.recv().unwrap_err();
    /// assert_eq!(left.reason(), CloseReason::Dropped);
    /// ```
    #[must_use]
    pub fn reason(&self) -> CloseReason {
        if self.is_panic {
            CloseReason::Panicked
        } else {
            CloseReason::Dropped
        }
    }
}

impl fmt::Display for PeerLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Step {
            protocol,
            role,
            state,
        } = self.step;
        write!(
            f,
            "the {role} left the protocol `{protocol}` in the step `{state}`: "
        )?;
        f.write_str(if self.is_panic {
            "its thread panicked"
        } else {
            "its endpoint was dropped"
        })
    }
}

impl fmt::Debug for PeerLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerLeft")
            .field("protocol", &self.protocol())
            .field("role", &self.role())
            .field("step", &self.step())
            .field("reason", &self.reason())
            .finish()
    }
}

impl Error for PeerLeft {}

/// Where one side writes down that it leaves, and reads whether its peer has.
///
/// A side writes before it ends its lanes. The peer reads after it has seen such an end, so it
/// finds what was written.
#[derive(Debug)]
pub(super) struct Departures {
    both: Arc<[OnceLock<PeerLeft>; 2]>,
    own: usize,
}

impl Departures {
    pub(super) fn new() -> [Self; 2] {
        let both = Arc::new([OnceLock::new(), OnceLock::new()]);
        [0, 1].map(|own| Departures {
            both: Arc::clone(&both),
            own,
        })
    }

    /// This side leaves in `step`, here and now.
    pub(super) fn leave(&self, step: &'static Step) {
        let left = PeerLeft {
            step,
            is_panic: thread::panicking(),
        };
        let written = self.both[self.own].set(left);
        debug_assert!(written.is_ok(), "a side leaves once");
    }

    /// What the peer has written.
    pub(super) fn of_peer(&self) -> Option<PeerLeft> {
        self.both[1 - self.own].get().copied()
    }
}
