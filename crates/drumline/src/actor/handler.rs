//! What actors are: values that handle messages.

use std::fmt;

use super::Context;
use super::ask::AskError;
use crate::channel::oneshot;

/// A value that is reached by messages.
///
/// The messages that it accepts are those for which it has a [`Handler`].
pub trait Actor: Sized + Send + 'static {
    /// Called before the first message.
    ///
    /// # Panics
    ///
    /// A panic ends the actor, or its [supervisor](super::Supervisor) starts it again.
    fn started(&mut self, context: &mut Context<Self>) {
        let _ = context;
    }

    /// Called after the last message, if the actor was started and no panic has ended it. Also
    /// before a supervisor starts the actor again because of another one.
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
    /// A panic ends the actor, or its [supervisor](super::Supervisor) starts it again. It goes to
    /// the panic handler of the pool.
    fn handle(&mut self, message: M, context: &mut Context<Self>) -> Self::Reply;
}

/// Actors that accept messages of the type `M`, because they have a [`Handler`] or an
/// [`AsyncHandler`](super::AsyncHandler) for it. `K` says which: it is inferred.
pub trait Accept<M, K>: Actor {
    /// What comes of a message.
    type Reply: Send + 'static;

    /// Handles a message, and sends the reply, now or later. For the library only.
    ///
    /// # Safety
    ///
    /// The caller is the run of this actor, and does not use the state any more: when this returns,
    /// a future may have it.
    #[doc(hidden)]
    unsafe fn accept(
        actor: *mut Self,
        message: M,
        reply: ReplyTo<Self::Reply>,
        context: &mut Context<Self>,
    );
}

/// Messages for which there is a [`Handler`]: see [`Accept`].
#[derive(Debug)]
pub enum Direct {}

impl<A: Handler<M>, M> Accept<M, Direct> for A {
    type Reply = <A as Handler<M>>::Reply;

    #[inline]
    unsafe fn accept(
        actor: *mut Self,
        message: M,
        reply: ReplyTo<Self::Reply>,
        context: &mut Context<Self>,
    ) {
        // SAFETY: the run has the state.
        let actor = unsafe { &mut *actor };
        // Should the handler panic, the place for the reply is dropped while the thread panics, and
        // the asker learns of it.
        let answer = actor.handle(message, context);
        reply.send(answer);
    }
}

/// Where a reply goes, if anywhere.
#[doc(hidden)]
pub struct ReplyTo<R: Send>(pub(super) Option<oneshot::Sender<Result<R, AskError>>>);

impl<R: Send> ReplyTo<R> {
    #[inline]
    pub(super) fn send(self, answer: R) {
        if let Some(reply) = self.0 {
            // The asker may be gone.
            let _ = reply.send(Ok(answer));
        }
    }
}

impl<R: Send> fmt::Debug for ReplyTo<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReplyTo").field(&self.0.is_some()).finish()
    }
}
