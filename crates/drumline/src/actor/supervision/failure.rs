//! What is known of a panic that has ended the state of an actor.

/// What a supervisor does about a failure; see
/// [`SupervisorOptions::on_failure`](super::SupervisorOptions::on_failure).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Directive {
    /// It starts actors again as its strategy says, unless there were too many restarts.
    #[default]
    Restart,
    /// The actor ends.
    Stop,
    /// It leaves the failure to the supervisor above, or gives up if there is none.
    Escalate,
}

/// What became of an actor that has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureOutcome {
    /// It goes on with another state, and with the messages that it has.
    Restarts,
    /// It ends.
    Ends,
}

/// A panic of an actor.
///
/// [`ActorSystem::on_failure`](crate::actor::ActorSystem::on_failure) has a function called with
/// each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub(super) actor: String,
    pub(super) message: Option<&'static str>,
    pub(super) panic: String,
}

impl Failure {
    pub(super) fn new(actor: String, message: Option<&'static str>, panic: String) -> Self {
        Failure {
            actor,
            message,
            panic,
        }
    }

    /// The name of the actor, or of its type if it has none.
    #[must_use]
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// The type of the message that was handled, and is lost with the state. `None`: the panic came
    /// from a hook, or from the function that makes the state.
    #[must_use]
    pub fn message_type(&self) -> Option<&'static str> {
        self.message
    }

    /// What the panic says.
    #[must_use]
    pub fn panic_message(&self) -> &str {
        &self.panic
    }
}
