//! What an actor can do about itself.
//!
//! A future that it has started is a task of the pool and has nothing of the actor. Its output
//! comes back as a message, with the function that takes it: the *continuation*, which has the
//! state. The mailbox is open meanwhile.

use std::fmt;
use std::future::Future;
use std::ptr::NonNull;

use crate::actor::mail::{Envelope, envelope};
use crate::actor::memory::{ActorCell, ActorCore, CoreRef, RunFrame, RunRequest};
use crate::actor::{Actor, ActorRef, Context};
use crate::pool::SharedRegistry;
use crate::spawn::spawn_future_in;

impl<A: Actor> Context<A> {
    fn core(&self) -> NonNull<ActorCore> {
        // SAFETY: the core of a run is not null.
        unsafe { NonNull::new_unchecked(self.frame.core.cast_mut()) }
    }

    /// A reference to this actor.
    ///
    /// An actor that keeps one in its state lives until it stops itself, or its system ends.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    ///
    /// struct Countdown;
    /// impl Actor for Countdown {}
    /// impl Handler<u32> for Countdown {
    ///     type Reply = ();
    ///     fn handle(&mut self, left: u32, context: &mut Context<Self>) {
    ///         if left > 0 {
    ///             let _ = context.actor_ref().tell(left - 1);
    ///         }
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// system.spawn(Countdown).tell(10)?;
    /// # drop(system);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn actor_ref(&self) -> ActorRef<A> {
        // SAFETY: the run may make a reference.
        let core = unsafe {
            (*self.frame.core).word.add_ref_in_run();
            CoreRef::from_raw(self.core())
        };
        ActorRef::new(core)
    }

    /// Has the actor stop when it has handled what it was told before this call.
    ///
    /// ```
    /// # use drumline::Pool;
    /// # use drumline::actor::{Actor, ActorSystem, AskError, Context, Handler};
    /// struct Once;
    /// impl Actor for Once {}
    /// impl Handler<u32> for Once {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, context: &mut Context<Self>) -> u32 {
    ///         context.stop();
    ///         number
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let once = system.spawn(Once);
    /// assert_eq!(once.ask(1).recv(), Ok(1));
    /// assert_eq!(once.ask(2).recv(), Err(AskError::Dead));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn stop(&mut self) {
        // SAFETY: the run has the actor.
        unsafe { ActorCore::notify(self.core(), Envelope::notice(envelope::open_stop)) };
    }

    /// Has the actor stop after this message. What else it was told is discarded.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<()> for Worker {
    ///     type Reply = ();
    ///     fn handle(&mut self, (): (), context: &mut Context<Self>) {
    ///         context.stop_now();
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// worker.tell(()).unwrap();
    /// worker.ended().recv();
    /// assert!(!worker.is_alive());
    /// ```
    pub fn stop_now(&mut self) {
        self.frame.request = RunRequest::Stop;
    }

    /// The name of this actor, or of its type if it has none.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, SpawnOptions};
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
    /// let worker = system.spawn_with(Worker, SpawnOptions::new().name("a worker"));
    /// assert_eq!(worker.ask(()).recv().as_deref(), Ok("a worker"));
    /// ```
    #[must_use]
    pub fn name(&self) -> String {
        // SAFETY: the run has the actor.
        unsafe { &*self.frame.core }.name()
    }

    /// Starts a future in the pool, and has `then` called with its output, the state of this actor
    /// and its context. Other messages are handled meanwhile.
    ///
    /// The output comes as a message does, except that it needs no room in a
    /// [bounded](crate::actor::SpawnOptions::bounded) mailbox. Until then the future keeps a
    /// reference to the actor. If the actor is stopped before, the future goes on, and its output
    /// is a [dead letter](crate::actor::DeadLetter).
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

/// An output, and the function that takes it.
struct Continued<T, C> {
    output: T,
    then: C,
}

/// Opens a continuation.
///
/// # Safety
///
/// As for [`OpenFn`](crate::actor::mail::envelope::OpenFn), with this content; the actor is of this
/// type.
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

impl<A: Actor> fmt::Debug for Context<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("name", &self.name())
            .finish()
    }
}
