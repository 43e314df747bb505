//! Handlers that await, with the mailbox closed meanwhile.

use std::fmt;
use std::future::Future;

use super::ReplyTo;
use crate::actor::life::held;
use crate::actor::system::trace;
use crate::actor::{Accept, Actor, ActorRef, Context};

/// What an actor does with messages of the type `M`, if it has to await something for it.
///
/// The future has the state of the actor, and no other message is handled before it is done: the
/// mailbox is closed meanwhile. No thread waits: the future is a task of the pool. (To go on with
/// other messages meanwhile, start a future with [`Context::spawn_then`].)
///
/// An actor accepts messages of the type `M` if it has this or a
/// [`Handler`](crate::actor::Handler). It can have a `Handler` for some types and an `AsyncHandler`
/// for others, but not both for one.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{Actor, ActorRef, ActorSystem, AsyncContext, AsyncHandler};
/// # use drumline::actor::{Context, Handler};
///
/// struct Rates;
/// # impl Actor for Rates {}
/// # impl Handler<&'static str> for Rates {
/// #     type Reply = f64;
/// #     fn handle(&mut self, _: &'static str, _: &mut Context<Self>) -> f64 { 2.0 }
/// # }
///
/// /// Asks another actor for the rate of each currency, once.
/// struct Exchange {
///     rates: ActorRef<Rates>,
///     known: Vec<(&'static str, f64)>,
/// }
/// impl Actor for Exchange {}
///
/// struct Convert(f64, &'static str);
/// impl AsyncHandler<Convert> for Exchange {
///     type Reply = Option<f64>;
///
///     async fn handle(&mut self, message: Convert, _: AsyncContext<Self>) -> Option<f64> {
///         let Convert(amount, currency) = message;
///         if let Some((_, rate)) = self.known.iter().find(|known| known.0 == currency) {
///             return Some(amount * rate);
///         }
///         let rate = self.rates.ask(currency).await.ok()?;
///         self.known.push((currency, rate));
///         Some(amount * rate)
///     }
/// }
///
/// let pool = Pool::builder().jobs(1).build()?;
/// let system = ActorSystem::new(&pool);
/// let rates = system.spawn(Rates);
/// let exchange = system.spawn(Exchange { rates, known: Vec::new() });
/// assert_eq!(exchange.ask(Convert(1.5, "EUR")).recv(), Ok(Some(3.0)));
/// assert_eq!(exchange.ask(Convert(2.0, "EUR")).recv(), Ok(Some(4.0)));
/// # Ok::<(), drumline::BuildError>(())
/// ```
///
/// # Circles of asks
///
/// Actors that await each other's replies in a circle would wait for ever, as those that block for
/// them would: the last of them gets [`AskError::Cycle`](crate::actor::AskError::Cycle).
///
/// # The end
///
/// The future is the message at hand: an actor that is stopped ends after it, and so do
/// [`stop_now`](ActorRef::stop_now) and the end of the system. If the pool ends before, the future
/// is dropped where it is, and one that asked is told
/// [`AskError::Dead`](crate::actor::AskError::Dead). So it is if nothing can wake the future any
/// more, as in [`spawn_future`](crate::spawn_future()); the actor goes on with the next message
/// then.
pub trait AsyncHandler<M>: Actor {
    /// What comes of a message, for those that [ask](ActorRef::ask). Most often `()`.
    type Reply: Send + 'static;

    /// Handles a message. Write it as an `async fn`.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, AsyncContext, AsyncHandler};
    /// use std::time::Duration;
    ///
    /// struct Sleeper;
    /// impl Actor for Sleeper {}
    /// impl AsyncHandler<Duration> for Sleeper {
    ///     type Reply = &'static str;
    ///     async fn handle(&mut self, time: Duration, _: AsyncContext<Self>) -> &'static str {
    ///         drumline::task::sleep(time).await;
    ///         "rested"
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let sleeper = system.spawn(Sleeper);
    /// assert_eq!(sleeper.ask(Duration::from_millis(1)).recv(), Ok("rested"));
    /// ```
    ///
    /// # Panics
    ///
    /// A panic ends the actor. It goes to the panic handler of the pool.
    fn handle(
        &mut self,
        message: M,
        context: AsyncContext<Self>,
    ) -> impl Future<Output = Self::Reply> + Send;
}

/// Messages for which there is an [`AsyncHandler`]: see [`Accept`].
#[derive(Debug)]
pub enum Awaiting {}

impl<A, M> Accept<M, Awaiting> for A
where
    A: AsyncHandler<M>,
    M: Send + 'static,
{
    type Reply = <A as AsyncHandler<M>>::Reply;

    unsafe fn accept(
        _: *mut Self,
        message: M,
        reply: ReplyTo<Self::Reply>,
        context: &mut Context<Self>,
    ) {
        let own = context.actor_ref();
        held::close_for(
            context,
            std::any::type_name::<M>,
            move |actor: &'static mut A| {
                trace::in_current(async move {
                    let answer = actor.handle(message, AsyncContext::new(own)).await;
                    reply.send(answer);
                })
            },
        );
    }
}

/// What an actor can do about itself in an [`AsyncHandler`].
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, AsyncContext, AsyncHandler};
///
/// struct Worker;
/// impl Actor for Worker {}
/// impl AsyncHandler<()> for Worker {
///     type Reply = String;
///     async fn handle(&mut self, (): (), context: AsyncContext<Self>) -> String {
///         context.name()
///     }
/// }
///
/// let system = ActorSystem::builder().build_here();
/// let worker = system.spawn(Worker);
/// assert!(worker.ask(()).recv().unwrap().ends_with("Worker"));
/// ```
pub struct AsyncContext<A: Actor> {
    pub(crate) own: ActorRef<A>,
}

impl<A: Actor> AsyncContext<A> {
    fn new(own: ActorRef<A>) -> Self {
        AsyncContext { own }
    }

    /// A reference to this actor, as [`Context::actor_ref`].
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorRef, ActorSystem, AsyncContext, AsyncHandler};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl AsyncHandler<()> for Worker {
    ///     type Reply = ActorRef<Self>;
    ///     async fn handle(&mut self, (): (), context: AsyncContext<Self>) -> ActorRef<Self> {
    ///         context.actor_ref()
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// assert_eq!(worker.ask(()).recv(), Ok(worker.clone()));
    /// ```
    #[must_use]
    pub fn actor_ref(&self) -> ActorRef<A> {
        self.own.clone()
    }

    /// Has the actor stop when it has handled what it was told before this call.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, AsyncContext, AsyncHandler, ExitReason};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl AsyncHandler<()> for Worker {
    ///     type Reply = ();
    ///     async fn handle(&mut self, (): (), context: AsyncContext<Self>) {
    ///         context.stop();
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// worker.tell(()).unwrap();
    /// assert_eq!(worker.ended().recv().reason(), ExitReason::Stopped);
    /// ```
    pub fn stop(&self) {
        self.own.stop();
    }

    /// Has the actor stop after this message. What else it was told is discarded.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, AsyncContext, AsyncHandler};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl AsyncHandler<()> for Worker {
    ///     type Reply = ();
    ///     async fn handle(&mut self, (): (), context: AsyncContext<Self>) {
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
    pub fn stop_now(&self) {
        self.own.stop_now();
    }

    /// The name of this actor, or of its type if it has none.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, AsyncContext, AsyncHandler, SpawnOptions};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl AsyncHandler<()> for Worker {
    ///     type Reply = String;
    ///     async fn handle(&mut self, (): (), context: AsyncContext<Self>) -> String {
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
        self.own.name()
    }
}

impl<A: Actor> fmt::Debug for AsyncContext<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncContext")
            .field("name", &self.name())
            .finish()
    }
}
