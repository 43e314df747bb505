//! What became of a message to all members of a group.

use std::fmt;

use super::WeakRecipient;

/// What became of a message to all members of a group; returned by
/// [`ActorGroup::tell_all`](super::ActorGroup::tell_all).
#[must_use = "some members may not have been told"]
pub struct Broadcast<M> {
    pub(super) told: usize,
    pub(super) no_room: Vec<WeakRecipient<M>>,
    pub(super) ended: usize,
}

impl<M> Broadcast<M> {
    /// How many members were told.
    ///
    /// A member with a mailbox that [loses](super::Overflow) the oldest or the newest message is
    /// among them, also when it had no room: the message that is lost is a dead letter.
    #[must_use]
    pub fn told(&self) -> usize {
        self.told
    }

    /// The members that had no room. Their messages have been dropped, and are no dead letters.
    #[must_use]
    pub fn no_room(&self) -> &[WeakRecipient<M>] {
        &self.no_room
    }

    /// How many members had ended. They are not in the group any more.
    #[must_use]
    pub fn ended(&self) -> usize {
        self.ended
    }
}

impl<M> fmt::Debug for Broadcast<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Broadcast")
            .field("told", &self.told)
            .field("no_room", &self.no_room.len())
            .field("ended", &self.ended)
            .finish()
    }
}
