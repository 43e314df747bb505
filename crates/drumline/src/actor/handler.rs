//! What actors are: values that handle messages.

use super::Context;

/// A value that is reached by messages.
///
/// The messages that it accepts are those for which it has a [`Handler`].
pub trait Actor: Sized + Send + 'static {
    /// Called before the first message.
    ///
    /// # Panics
    ///
    /// A panic ends the actor.
    fn started(&mut self, context: &mut Context<Self>) {
        let _ = context;
    }

    /// Called after the last message, if the actor was started and no panic has ended it.
    ///
    /// # Panics
    ///
    /// A panic is reported like that of a handler.
    fn stopped(&mut self, context: &mut Context<Self>) {
        let _ = context;
    }
}

/// What an actor does with messages of the type `M`.
pub trait Handler<M>: Actor {
    /// What comes of a message, for those that [ask](super::ActorRef::ask). Most often `()`.
    type Reply: Send + 'static;

    /// Handles a message.
    ///
    /// # Panics
    ///
    /// A panic ends the actor. It goes to the panic handler of the pool.
    fn handle(&mut self, message: M, context: &mut Context<Self>) -> Self::Reply;
}
