//! What actors are: values that handle messages.

use std::fmt;
use std::marker::PhantomData;

use crate::actor::AskError;
use crate::actor::memory::RunFrame;
use crate::channel::oneshot;

/// A value that is reached by messages.
///
/// The messages that it accepts are those for which it has a [`Handler`].
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, Context};
/// use std::sync::mpsc;
///
/// /// Says when it begins and when it ends.
/// struct Loud(mpsc::Sender<&'static str>);
/// impl Actor for Loud {
///     fn started(&mut self, _: &mut Context<Self>) {
///         self.0.send("begun").unwrap();
///     }
///     fn stopped(&mut self, _: &mut Context<Self>) {
///         self.0.send("ended").unwrap();
///     }
/// }
///
/// let (send, said) = mpsc::channel();
/// let system = ActorSystem::builder().build_here();
/// system.spawn(Loud(send)).stop();
/// assert_eq!(said.iter().collect::<Vec<_>>(), ["begun", "ended"]);
/// ```
pub trait Actor: Sized + Send + 'static {
    /// Called before the first message.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context};
    ///
    /// /// Can be found by a name as soon as it has started.
    /// struct Clock;
    /// impl Actor for Clock {
    ///     fn started(&mut self, context: &mut Context<Self>) {
    ///         let registered = context.register("clock", &context.actor_ref());
    ///         registered.expect("there is one clock");
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let clock = system.spawn(Clock);
    /// clock.stop(); // after its start
    /// clock.ended().recv();
    /// ```
    ///
    /// # Panics
    ///
    /// A panic ends the actor, or its [supervisor](crate::actor::Supervisor) starts it again.
    fn started(&mut self, context: &mut Context<Self>) {
        let _ = context;
    }

    /// Called after the last message, if the actor was started and no panic has ended it. Also
    /// before a supervisor starts the actor again because of another one.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context};
    /// use std::sync::mpsc;
    ///
    /// /// Hands on what it has when it ends.
    /// struct Basket(Vec<u32>, mpsc::Sender<Vec<u32>>);
    /// impl Actor for Basket {
    ///     fn stopped(&mut self, _: &mut Context<Self>) {
    ///         let _ = self.1.send(std::mem::take(&mut self.0));
    ///     }
    /// }
    ///
    /// let (send, left) = mpsc::channel();
    /// let system = ActorSystem::builder().build_here();
    /// system.spawn(Basket(vec![1, 2, 3], send)).stop();
    /// assert_eq!(left.recv(), Ok(vec![1, 2, 3]));
    /// ```
    ///
    /// # Panics
    ///
    /// A panic is reported like that of a handler.
    fn stopped(&mut self, context: &mut Context<Self>) {
        let _ = context;
    }
}

/// What an actor can do about itself, in its handlers and hooks.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, Context, Handler};
///
/// struct Worker;
/// impl Actor for Worker {}
/// impl Handler<()> for Worker {
///     type Reply = String;
///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> String {
///         context.name()
///     }
/// }
///
/// let system = ActorSystem::builder().build_here();
/// let worker = system.spawn(Worker);
/// assert!(worker.ask(()).recv().unwrap().ends_with("Worker"));
/// ```
#[repr(transparent)]
pub struct Context<A: Actor> {
    pub(crate) frame: RunFrame,
    _actor: PhantomData<fn(A)>,
}

impl<A: Actor> Context<A> {
    /// The frame of a run of an actor of this type, as its handlers see it.
    #[inline]
    pub(crate) fn of(frame: &mut RunFrame) -> &mut Self {
        let frame: *mut RunFrame = frame;
        // SAFETY: a context is a frame, and borrows it for as long as the frame is borrowed.
        unsafe { &mut *frame.cast::<Self>() }
    }
}

/// What an actor does with messages of the type `M`.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, Context, Handler};
///
/// struct Doubler;
/// impl Actor for Doubler {}
/// impl Handler<u32> for Doubler {
///     type Reply = u32;
///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
///         2 * number
///     }
/// }
///
/// let system = ActorSystem::builder().build_here();
/// let doubler = system.spawn(Doubler);
/// assert_eq!(doubler.ask(21).recv(), Ok(42));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no handler for messages of the type `{M}`",
    label = "no handler for messages of the type `{M}`",
    note = "write `impl Handler<{M}> for {Self}`"
)]
pub trait Handler<M>: Actor {
    /// What comes of a message, for those that [ask](crate::actor::ActorRef::ask). Most often `()`.
    type Reply: Send + 'static;

    /// Handles a message.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    ///
    /// struct Counter(u32);
    /// impl Actor for Counter {}
    /// impl Handler<u32> for Counter {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, context: &mut Context<Self>) -> u32 {
    ///         self.0 += number;
    ///         if self.0 >= 10 {
    ///             context.stop();
    ///         }
    ///         self.0
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let counter = system.spawn(Counter(0));
    /// assert_eq!(counter.ask(7).recv(), Ok(7));
    /// assert_eq!(counter.ask(7).recv(), Ok(14));
    /// assert!(counter.ask(7).recv().is_err());
    /// ```
    ///
    /// # Panics
    ///
    /// A panic ends the actor, or its [supervisor](crate::actor::Supervisor) starts it again. It
    /// goes to the panic handler of the pool.
    fn handle(&mut self, message: M, context: &mut Context<Self>) -> Self::Reply;
}

/// Actors that accept messages of the type `M`, because they have a [`Handler`] or an
/// [`AsyncHandler`](crate::actor::AsyncHandler) for it. `K` says which: it is inferred.
///
/// ```
/// use drumline::actor::{Accept, Actor, ActorRef, ActorSystem, Context, Handler};
///
/// struct Doubler;
/// impl Actor for Doubler {}
/// impl Handler<u32> for Doubler {
///     type Reply = u32;
///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
///         2 * number
///     }
/// }
///
/// /// Tells any actor that takes numbers, however it handles them.
/// fn tell_all<A, K>(actor: &ActorRef<A>, numbers: &[u32]) -> bool
/// where
///     A: Accept<u32, K>,
///     K: 'static,
/// {
///     numbers.iter().all(|number| actor.tell(*number).is_ok())
/// }
///
/// let system = ActorSystem::builder().build_here();
/// assert!(tell_all(&system.spawn(Doubler), &[1, 2, 3]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no handler for this message",
    label = "no handler for messages of this type",
    note = "write `impl Handler<Type> for {Self}`, or `impl AsyncHandler<Type> for {Self}`, with \
            the type of the message"
)]
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
pub struct ReplyTo<R: Send>(pub(crate) Option<oneshot::Sender<Result<R, AskError>>>);

impl<R: Send> ReplyTo<R> {
    #[inline]
    pub(crate) fn send(self, answer: R) {
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
