//! Why a channel is closed.

use std::fmt;

/// Why no more messages come.
///
/// ```
/// use drumline::channel::{CloseReason, spsc};
///
/// let (mut sender, mut receiver) = spsc::unbounded();
/// sender.send("the last").unwrap();
/// sender.finish();
/// assert_eq!(receiver.recv().unwrap(), "the last");
/// assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Finished);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CloseReason {
    /// The sender has said that it is done, by `finish`.
    Finished,
    /// The sender was dropped.
    Dropped,
    /// The sender was dropped while its thread panicked.
    Panicked,
    /// The receiver has closed the channel.
    ClosedByReceiver,
}

impl CloseReason {
    /// The reason of a sender that is dropped here and now.
    pub(super) fn of_drop() -> Self {
        if std::thread::panicking() {
            CloseReason::Panicked
        } else {
            CloseReason::Dropped
        }
    }

    /// A number other than 0.
    pub(super) fn code(self) -> usize {
        usize::from(self.byte())
    }

    /// The same number.
    pub(super) fn byte(self) -> u8 {
        self as u8 + 1
    }

    /// The reason with this [code](Self::code); `None` for 0.
    #[inline]
    pub(super) fn from_code(code: usize) -> Option<Self> {
        if code == 0 {
            // The usual answer, for each message that is waited for.
            return None;
        }
        [
            CloseReason::Finished,
            CloseReason::Dropped,
            CloseReason::Panicked,
            CloseReason::ClosedByReceiver,
        ]
        .into_iter()
        .find(|reason| reason.code() == code)
    }
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CloseReason::Finished => "the sender has finished",
            CloseReason::Dropped => "the sender was dropped",
            CloseReason::Panicked => "the thread of the sender panicked",
            CloseReason::ClosedByReceiver => "the receiver has closed the channel",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::CloseReason;

    #[test]
    fn codes_are_those_of_their_reasons() {
        assert_eq!(CloseReason::from_code(0), None);
        for code in 1..=4 {
            assert_eq!(
                CloseReason::from_code(code).map(CloseReason::code),
                Some(code)
            );
        }
        assert_eq!(CloseReason::from_code(5), None);
    }
}
