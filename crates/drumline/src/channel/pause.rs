//! How long a receiver that has found nothing lets the senders go on before it looks again, and a
//! sender that has found no room the receivers.
//!
//! A look takes the lines of memory away from the other side. A receiver that is faster than the
//! sender would take each message as it comes, and slow both down. So as long as several messages
//! come between two looks, it looks less often; where each look finds one, as in a dialogue, at
//! once. With senders and room it is the same.

#[cfg(not(drumline_loom))]
use crate::sync::relax;

/// How long the next pause is, in calls of `relax`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pause(pub(super) u32);

impl Pause {
    /// The longest pause, in calls of `relax`: a microsecond, or up to four with slower ones.
    const MOST: u32 = 64;

    /// The same, for a queue with a bound.
    #[cfg(not(drumline_loom))]
    const MOST_OF_QUEUE: u32 = 160;

    /// Pauses before a look.
    #[cfg(not(drumline_loom))]
    pub(super) fn pass(self) {
        for _ in 0..self.0 {
            relax();
        }
    }

    /// As [`learn`](Self::learn), where there is room for `capacity` messages. In a pause that is
    /// too long the other side comes to the end of the room, or of the messages, and waits as well.
    /// A call of `relax` takes about as long as a message.
    #[cfg(not(drumline_loom))]
    pub(super) fn learn_of(&mut self, count: usize, capacity: usize) {
        if capacity == usize::MAX {
            return self.learn(count);
        }
        let most = capacity.min(Self::MOST_OF_QUEUE as usize) as u32;
        self.0 = if count > 1 {
            (2 * self.0 + 1).min(most)
        } else {
            self.0 / 2
        };
    }

    /// `count` messages came, or were sent, between two pauses.
    pub(super) fn learn(&mut self, count: usize) {
        self.0 = if count > 1 {
            (2 * self.0 + 1).min(Self::MOST)
        } else {
            self.0 / 2
        };
    }
}
