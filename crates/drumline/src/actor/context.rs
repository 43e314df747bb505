//! What a handler knows of its own actor.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::actor_ref::{ActorRef, CoreRef};
use super::cell::ActorCore;
use super::envelope::Envelope;
use super::options::SpawnOptions;
use super::run::{self, Request, RunFrame};
use super::{Actor, system};

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
    pub(super) frame: RunFrame,
    _actor: PhantomData<fn(A)>,
}

impl<A: Actor> Context<A> {
    /// The frame of a run of an actor of this type, as its handlers see it.
    #[inline]
    pub(super) fn of(frame: &mut RunFrame) -> &mut Self {
        let frame: *mut RunFrame = frame;
        // SAFETY: a context is a frame, and borrows it for as long as the frame is borrowed.
        unsafe { &mut *frame.cast::<Self>() }
    }

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
        unsafe { ActorCore::notify(self.core(), Envelope::notice(run::open_stop)) };
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
        self.frame.request = Request::Stop;
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

    /// Starts another actor, in the same system, as
    /// [`ActorSystem::spawn`](super::ActorSystem::spawn) does.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Handler};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<()> for Worker {
    ///     type Reply = ActorRef<Idler>;
    ///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> ActorRef<Idler> {
    ///         context.spawn(Idler)
    ///     }
    /// }
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// assert!(worker.ask(()).recv().unwrap().is_alive());
    /// ```
    pub fn spawn<B: Actor>(&self, actor: B) -> ActorRef<B> {
        self.spawn_with(actor, SpawnOptions::new())
    }

    /// Starts another actor, in the same system, as
    /// [`ActorSystem::spawn_with`](super::ActorSystem::spawn_with) does.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Handler, SpawnOptions};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<()> for Worker {
    ///     type Reply = ActorRef<Idler>;
    ///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> ActorRef<Idler> {
    ///         context.spawn_with(Idler, SpawnOptions::new().name("help"))
    ///     }
    /// }
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// assert_eq!(worker.ask(()).recv().unwrap().name(), "help");
    /// ```
    pub fn spawn_with<B: Actor>(&self, actor: B, options: SpawnOptions) -> ActorRef<B> {
        // SAFETY: the run has the actor.
        system::spawn(unsafe { &(*self.frame.core).system }, actor, options)
    }
}

impl<A: Actor> fmt::Debug for Context<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("name", &self.name())
            .finish()
    }
}
