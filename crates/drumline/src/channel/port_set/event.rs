//! What comes through a port.

use crate::channel::CloseReason;

/// The name of a port in its set. No other port has it, in no set, also later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortKey(pub(super) u64);

/// What a [`PortSet`](super::PortSet) receives.
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
    pub fn port(&self) -> PortKey {
        let (PortEvent::Message(port, _) | PortEvent::Closed(port, _)) = self;
        *port
    }

    /// The message, if it is one.
    pub fn into_message(self) -> Option<T> {
        match self {
            PortEvent::Message(_, message) => Some(message),
            PortEvent::Closed(..) => None,
        }
    }
}
