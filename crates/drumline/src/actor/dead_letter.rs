//! Messages that no actor handles.

use std::fmt;

use super::ask::AskError;

/// Why a message is discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// The actor has stopped.
    Dead,
    /// A handler of the actor has panicked.
    Panicked,
    /// There was no room.
    Full,
}

impl Loss {
    /// What the asker gets, if the message was one.
    pub(super) fn ask_error(self) -> AskError {
        match self {
            Loss::Dead => AskError::Dead,
            Loss::Panicked => AskError::Panicked,
            Loss::Full => AskError::Full,
        }
    }
}

/// A message that was told to an actor and that the actor will not handle.
///
/// [`ActorSystem::on_dead_letter`](super::ActorSystem::on_dead_letter) has a function called with
/// each.
#[derive(Clone, PartialEq, Eq)]
pub struct DeadLetter {
    actor: String,
    message: &'static str,
    loss: Loss,
}

impl DeadLetter {
    pub(super) fn new(actor: String, message: &'static str, loss: Loss) -> Self {
        DeadLetter {
            actor,
            message,
            loss,
        }
    }

    /// The name of the actor, or of its type if it has none.
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// The type of the message.
    pub fn message_type(&self) -> &'static str {
        self.message
    }

    /// Whether there was no room in the mailbox. Otherwise the actor is dead.
    pub fn is_overflow(&self) -> bool {
        self.loss == Loss::Full
    }
}

impl fmt::Debug for DeadLetter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeadLetter")
            .field("actor", &self.actor)
            .field("message_type", &self.message)
            .field("is_overflow", &self.is_overflow())
            .finish()
    }
}
