//! Futures that an actor has started, and what it does with their output.
//!
//! The future is a task of the pool and has nothing of the actor. Its output comes back as a
//! message, with the function that takes it: the *continuation*, which has the state. The mailbox
//! is open meanwhile.

use std::future::Future;
use std::ptr::NonNull;

use super::cell::{ActorCell, ActorCore};
use super::envelope::Envelope;
use super::run::RunFrame;
use super::{Actor, Context};
use crate::pool::SharedRegistry;
use crate::spawn::spawn_future_in;

/// An output, and the function that takes it.
struct Continued<T, C> {
    output: T,
    then: C,
}

/// Opens a continuation.
///
/// # Safety
///
/// As for [`OpenFn`](super::envelope::OpenFn), with this content; the actor is of this type.
unsafe fn open_continued<A, T, C>(envelope: NonNull<Envelope>, frame: &mut RunFrame)
where
    A: Actor,
    C: FnOnce(&mut A, T, &mut Context<A>),
{
    // SAFETY: the content is of this type.
    let Continued { output, then } = unsafe { Envelope::unseal::<Continued<T, C>>(envelope) };
    if frame.loss.is_some() {
        return frame.lose(output);
    }
    // SAFETY: the run has the state, which is of this type.
    let actor = unsafe { &mut *ActorCell::<A>::state(frame.core) };
    then(actor, output, Context::of(frame));
}

impl<A: Actor> Context<A> {
    /// Starts a future in the pool, and has `then` called with its output, the state of this actor
    /// and its context. Other messages are handled meanwhile.
    ///
    /// The output comes as a message does, except that it needs no room in a
    /// [bounded](super::SpawnOptions::bounded) mailbox. Until then the future keeps a reference to
    /// the actor. If the actor is stopped before, the future goes on, and its output is a
    /// [dead letter](super::DeadLetter).
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Handler};
    /// use std::sync::mpsc;
    ///
    /// /// Asks another actor without waiting for it.
    /// struct Front {
    ///     back: ActorRef<Back>,
    ///     answers: mpsc::Sender<u32>,
    /// }
    /// impl Actor for Front {}
    /// impl Handler<u32> for Front {
    ///     type Reply = ();
    ///     fn handle(&mut self, number: u32, context: &mut Context<Self>) {
    ///         context.spawn_then(self.back.ask(number), |front, answer, _| {
    ///             let _ = front.answers.send(answer.unwrap_or(0));
    ///         });
    ///     }
    /// }
    ///
    /// struct Back;
    /// impl Actor for Back {}
    /// impl Handler<u32> for Back {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
    ///         number * number
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(2).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let (send, receive) = mpsc::channel();
    /// let back = system.spawn(Back);
    /// let front = system.spawn(Front { back, answers: send });
    /// front.tell(7)?;
    /// assert_eq!(receive.recv(), Ok(49));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child. A panic of the future is reported as that of a task that nothing joins,
    /// and `then` is not called. A panic of `then` ends the actor.
    pub fn spawn_then<F, C>(&self, future: F, then: C)
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
        C: FnOnce(&mut A, F::Output, &mut Context<A>) + Send + 'static,
    {
        let own = self.actor_ref();
        // SAFETY: the run has the actor.
        let registry = unsafe { SharedRegistry::clone((*self.frame.core).system.registry()) };
        let task = spawn_future_in(registry, async move {
            let output = future.await;
            let content = Continued { output, then };
            let envelope = Envelope::seal(content, open_continued::<A, F::Output, C>);
            // SAFETY: the reference stays meanwhile. What a dead actor gets is discarded.
            unsafe { ActorCore::notify(own.core().as_ptr(), envelope) };
        });
        // It goes on by itself.
        drop(task);
    }
}
