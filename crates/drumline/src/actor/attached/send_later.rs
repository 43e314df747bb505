//! How an actor asks for a message later.

use std::marker::PhantomData;
use std::time::{Duration, Instant};

use super::sealed_message::SealedMessage;
use super::tick::Tick;
use super::timer::ActorTimer;
use crate::actor::mail::ToldMessage;
use crate::actor::{Accept, Actor, ActorRef, AsyncContext, Context};

impl<A: Actor> Context<A> {
    /// Sends this actor a message when `delay` has passed.
    ///
    /// From then on it is a message like any other, except that it needs no room in a
    /// [bounded](crate::actor::SpawnOptions::bounded) mailbox. Until then it keeps the actor alive,
    /// as an [`ActorRef`](crate::actor::ActorRef) does. If the actor ends before, or its supervisor
    /// starts it again, the message is dropped: timers are those of a state.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    /// use std::time::{Duration, Instant};
    ///
    /// struct Kettle(Instant);
    /// struct Whistle;
    /// impl Actor for Kettle {
    ///     fn started(&mut self, context: &mut Context<Self>) {
    ///         context.send_after(Duration::from_millis(2), Whistle);
    ///     }
    /// }
    /// impl Handler<Whistle> for Kettle {
    ///     type Reply = ();
    ///     fn handle(&mut self, Whistle: Whistle, context: &mut Context<Self>) {
    ///         assert!(self.0.elapsed() >= Duration::from_millis(2));
    ///         context.stop();
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let kettle = system.spawn(Kettle(Instant::now()));
    /// kettle.ended().recv();
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Precision
    ///
    /// As for [`sleep`](crate::task::sleep()). A delay that ends later than the clock can say is
    /// one that never ends.
    ///
    /// # Complexity
    ///
    /// O(log n), for n timers, monitors and links of all actors, under one of 16 locks, and as for
    /// [`sleep`](crate::task::sleep()). The same when the time has come.
    pub fn send_after<M, K>(&self, delay: Duration, message: M) -> ActorTimer
    where
        A: Accept<M, K>,
        M: Send + 'static,
        K: 'static,
    {
        send_after(&self.actor_ref(), delay, message)
    }

    /// Sends this actor what `make` makes, again and again: for the first time when `period` has
    /// passed, and then at each multiple of it.
    ///
    /// `make` is called by the actor itself when it comes to the message, and the next time begins
    /// to count then. So at most one of these messages is in the mailbox, however slow the actor
    /// is. Times that have passed meanwhile are left out. The times that are left are still
    /// multiples of the period, and do not drift. The messages need no room in a
    /// [bounded](crate::actor::SpawnOptions::bounded) mailbox.
    ///
    /// It does not keep the actor alive. It ends with the actor, and when its supervisor starts
    /// the actor again: the hook [`started`](Actor::started) may begin it anew.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, ActorTimer, Context, Handler};
    /// use std::time::Duration;
    ///
    /// /// Beats three times.
    /// #[derive(Default)]
    /// struct Heart(u32);
    /// struct Beat;
    /// impl Actor for Heart {
    ///     fn started(&mut self, context: &mut Context<Self>) {
    ///         context.send_every(Duration::from_millis(1), || Beat);
    ///     }
    /// }
    /// impl Handler<Beat> for Heart {
    ///     type Reply = ();
    ///     fn handle(&mut self, Beat: Beat, context: &mut Context<Self>) {
    ///         self.0 += 1;
    ///         if self.0 == 3 {
    ///             context.stop();
    ///         }
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let heart = system.spawn(Heart::default());
    /// heart.ended().recv();
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the period is zero. A panic of `make` is one of a handler.
    ///
    /// # Precision
    ///
    /// As for [`sleep`](crate::task::sleep()).
    ///
    /// # Complexity
    ///
    /// As for [`send_after`](Self::send_after), each time.
    pub fn send_every<M, K, F>(&self, period: Duration, make: F) -> ActorTimer
    where
        A: Accept<M, K>,
        M: 'static,
        K: 'static,
        F: FnMut() -> M + Send + 'static,
    {
        send_every(&self.actor_ref(), period, make)
    }
}

impl<A: Actor> AsyncContext<A> {
    /// As [`Context::send_after`].
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, AsyncContext, AsyncHandler, Context, Handler};
    /// use std::time::Duration;
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl AsyncHandler<()> for Worker {
    ///     type Reply = ();
    ///     async fn handle(&mut self, (): (), context: AsyncContext<Self>) {
    ///         context.send_after(Duration::from_millis(1), "time to go");
    ///     }
    /// }
    /// impl Handler<&'static str> for Worker {
    ///     type Reply = ();
    ///     fn handle(&mut self, _: &'static str, context: &mut Context<Self>) {
    ///         context.stop();
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// worker.tell(()).unwrap();
    /// worker.ended().recv();
    /// assert!(!worker.is_alive());
    /// ```
    ///
    /// # Complexity
    ///
    /// As there.
    pub fn send_after<M, K>(&self, delay: Duration, message: M) -> ActorTimer
    where
        A: Accept<M, K>,
        M: Send + 'static,
        K: 'static,
    {
        send_after(&self.actor_ref(), delay, message)
    }

    /// As [`Context::send_every`].
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, AsyncContext, AsyncHandler, Context, Handler};
    /// use std::time::Duration;
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl AsyncHandler<()> for Worker {
    ///     type Reply = ();
    ///     async fn handle(&mut self, (): (), context: AsyncContext<Self>) {
    ///         context.send_every(Duration::from_millis(1), || "time to go");
    ///     }
    /// }
    /// impl Handler<&'static str> for Worker {
    ///     type Reply = ();
    ///     fn handle(&mut self, _: &'static str, context: &mut Context<Self>) {
    ///         context.stop();
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// worker.tell(()).unwrap();
    /// worker.ended().recv();
    /// assert!(!worker.is_alive());
    /// ```
    ///
    /// # Panics
    ///
    /// As there.
    ///
    /// # Complexity
    ///
    /// As there.
    pub fn send_every<M, K, F>(&self, period: Duration, make: F) -> ActorTimer
    where
        A: Accept<M, K>,
        M: 'static,
        K: 'static,
        F: FnMut() -> M + Send + 'static,
    {
        send_every(&self.actor_ref(), period, make)
    }
}

fn send_after<A, M, K>(own: &ActorRef<A>, delay: Duration, message: M) -> ActorTimer
where
    A: Accept<M, K>,
    M: Send + 'static,
    K: 'static,
{
    let core = own.core();
    let timer = ActorTimer::new(core);
    let due = SealedMessage::new::<A, _>(core.core(), ToldMessage::<M, K>::new(message));
    timer.start(core, due, true, Instant::now().checked_add(delay));
    timer
}

fn send_every<A, M, K, F>(own: &ActorRef<A>, period: Duration, make: F) -> ActorTimer
where
    A: Accept<M, K>,
    M: 'static,
    K: 'static,
    F: FnMut() -> M + Send + 'static,
{
    assert!(
        period > Duration::ZERO,
        "with a period of zero the actor would do nothing else: give a longer one"
    );
    let core = own.core();
    let timer = ActorTimer::new(core);
    let at = Instant::now().checked_add(period);
    let tick = Tick {
        number: timer.number,
        period,
        at,
        make,
        kind: PhantomData::<fn(K) -> M>,
    };
    let due = SealedMessage::new::<A, _>(core.core(), tick);
    timer.start(core, due, false, at);
    timer
}
