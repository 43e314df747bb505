//! What comes through a port.

use crate::channel::CloseReason;

/// The name of a port in its set. No other port has it, in no set, also later.
///
/// ```
/// use drumline::channel::{PortSet, spsc};
/// use std::collections::HashMap;
///
/// let mut set = PortSet::new();
/// let (mut sender, receiver) = spsc::unbounded();
/// let names = HashMap::from([(set.add(receiver), "the first client")]);
/// sender.send("hello").unwrap();
/// assert_eq!(names[&set.recv().unwrap().port()], "the first client");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortKey(pub(super) u64);

/// What a [`PortSet`](super::PortSet) receives.
///
/// ```
/// use drumline::channel::{CloseReason, PortEvent, PortSet, spsc};
///
/// let mut set = PortSet::new();
/// let (mut sender, receiver) = spsc::unbounded();
/// let port = set.add(receiver);
/// sender.send("hello").unwrap();
/// sender.finish();
/// assert_eq!(set.recv(), Ok(PortEvent::Message(port, "hello")));
/// assert_eq!(set.recv(), Ok(PortEvent::Closed(port, CloseReason::Finished)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortEvent<T> {
    /// A message, and the port that it came through.
    Message(PortKey, T),
    /// All messages of this port have been received, and no more will come. It is not in the set
    /// any more.
    Closed(PortKey, CloseReason),
}

impl<T> PortEvent<T> {
    /// The port.
    ///
    /// ```
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::<u8>::new();
    /// let (sender, receiver) = spsc::unbounded();
    /// let port = set.add(receiver);
    /// drop(sender);
    /// assert_eq!(set.recv().unwrap().port(), port);
    /// ```
    #[must_use]
    pub fn port(&self) -> PortKey {
        let (PortEvent::Message(port, _) | PortEvent::Closed(port, _)) = self;
        *port
    }

    /// The message, if it is one.
    ///
    /// ```
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let (mut sender, receiver) = spsc::unbounded();
    /// set.add(receiver);
    /// sender.send("hello").unwrap();
    /// drop(sender);
    /// assert_eq!(set.recv().unwrap().into_message(), Some("hello"));
    /// assert_eq!(set.recv().unwrap().into_message(), None); // the end of the port
    /// ```
    #[must_use]
    pub fn into_message(self) -> Option<T> {
        match self {
            PortEvent::Message(_, message) => Some(message),
            PortEvent::Closed(..) => None,
        }
    }
}
