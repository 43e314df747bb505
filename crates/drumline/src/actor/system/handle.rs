//! Systems: the actors of a pool that begin and end together.

use std::fmt;

use super::SystemShared;
use crate::actor::life::start;
use crate::actor::supervision::{Failure, FailureOutcome};
use crate::actor::{Actor, ActorRef, ActorStats, DeadLetter, Scheduler, SpawnOptions, Style};
use crate::pool::{self, Pool, Registry, SharedRegistry, local};
use crate::spawn::JoinHandle;
use crate::sync::{Arc, Instant};

/// The actors of a pool that begin and end together.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{Actor, ActorSystem, Context, Handler};
/// use std::time::{Duration, Instant};
///
/// struct Greeter;
/// impl Actor for Greeter {}
/// impl Handler<&'static str> for Greeter {
///     type Reply = String;
///     fn handle(&mut self, name: &'static str, _: &mut Context<Self>) -> String {
///         format!("hello, {name}")
///     }
/// }
///
/// let pool = Pool::builder().jobs(2).build()?;
/// let system = ActorSystem::new(&pool);
/// let greeter = system.spawn(Greeter);
/// assert_eq!(greeter.ask("ada").recv().as_deref(), Ok("hello, ada"));
/// let report = system.shutdown(Instant::now() + Duration::from_secs(10));
/// assert!(report.is_complete());
/// # Ok::<(), drumline::BuildError>(())
/// ```
///
/// # Dropping
///
/// When the system is dropped, each actor stops when it has handled what it was told before. So it
/// is when the pool ends. The drop does not wait for that; the end of the pool does.
pub struct ActorSystem {
    shared: Arc<SystemShared>,
    /// The future that the end of the pool drops.
    _end: JoinHandle<()>,
}

impl ActorSystem {
    /// A system of actors that run in `pool`.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::ActorSystem;
    ///
    /// let pool = Pool::builder().jobs(2).build().unwrap();
    /// let system = ActorSystem::new(&pool);
    /// assert_eq!(system.actors(), 0);
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    #[must_use = "the actors of a system stop when it is dropped"]
    pub fn new(pool: &Pool) -> Self {
        Self::builder().build(pool)
    }

    /// Starts to describe a system.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{ActorSystem, Style};
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::builder().style(Style::Loop).build(&pool);
    /// assert_eq!(system.actors(), 0);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn builder() -> ActorSystemBuilder {
        ActorSystemBuilder::default()
    }

    /// Starts an actor.
    ///
    /// Its hook [`started`](Actor::started) is called before it gets a message. It lives until it
    /// is stopped, panics, or no reference to it is left. If the system has been shut down, or its
    /// pool has ended, the actor is dead at once.
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
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn<A: Actor>(&self, actor: A) -> ActorRef<A> {
        self.spawn_with(actor, SpawnOptions::new())
    }

    /// Starts an actor with a name, a bound, or the like.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, SpawnOptions};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let idler = system.spawn_with(Idler, SpawnOptions::new().name("the idler"));
    /// assert_eq!(idler.name(), "the idler");
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn_with<A: Actor>(&self, actor: A, options: SpawnOptions) -> ActorRef<A> {
        start::spawn(&self.shared, actor, options)
    }

    pub(crate) fn shared(&self) -> &Arc<SystemShared> {
        &self.shared
    }

    /// How many actors are alive.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let idlers = [system.spawn(Idler), system.spawn(Idler)];
    /// assert_eq!(system.actors(), 2);
    /// for idler in idlers {
    ///     idler.stop();
    ///     idler.ended().recv();
    /// }
    /// assert_eq!(system.actors(), 0);
    /// ```
    #[must_use]
    pub fn actors(&self) -> usize {
        self.shared.list.len()
    }

    /// How many messages were told to actors that did not come to them, or had no room.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, HandScheduler, Handler};
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
    /// let by_hand = HandScheduler::new(1);
    /// let system = ActorSystem::builder().scheduler(by_hand.scheduler()).build_here();
    /// let doubler = system.spawn(Doubler);
    /// doubler.tell(1).unwrap();
    /// doubler.stop_now();
    /// by_hand.run_until_idle();
    /// assert_eq!(system.dead_letters(), 1);
    /// ```
    #[must_use]
    pub fn dead_letters(&self) -> usize {
        self.shared.dead_letters()
    }

    /// What the system has counted so far.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let idlers = [system.spawn(Idler), system.spawn(Idler)];
    /// let stats = system.stats();
    /// assert_eq!((stats.started, stats.alive, stats.panicked), (2, 2, 0));
    /// # drop(idlers);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> ActorStats {
        // The living first: there are no more of them than were started then.
        let alive = self.actors();
        ActorStats {
            alive,
            started: self.shared.list.linked(),
            panicked: self.shared.panicked(),
            restarts: self.shared.restarts(),
            dead_letters: self.dead_letters(),
        }
    }

    /// Has `listener` called with each dead letter from now on, in place of the one before.
    ///
    /// It runs on the thread that finds the letter. A panic in it is reported to the pool. A
    /// listener that keeps a reference to an actor of the same system keeps the memory of both.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, HandScheduler, Handler};
    /// use std::sync::mpsc;
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
    /// let by_hand = HandScheduler::new(1);
    /// let system = ActorSystem::builder().scheduler(by_hand.scheduler()).build_here();
    /// let (send, letters) = mpsc::channel();
    /// system.on_dead_letter(move |letter| drop(send.send(letter.message_type())));
    /// let doubler = system.spawn(Doubler);
    /// doubler.tell(1).unwrap();
    /// doubler.stop_now();
    /// by_hand.run_until_idle();
    /// assert_eq!(letters.recv(), Ok("u32"));
    /// ```
    pub fn on_dead_letter(&self, listener: impl Fn(&DeadLetter) + Send + Sync + 'static) {
        self.shared.listen(Arc::new(listener));
    }

    /// Has `listener` called with each panic of an actor from now on, in place of the listener
    /// before, and with what becomes of the actor.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, Context, FailureOutcome, Handler};
    /// use std::sync::mpsc;
    ///
    /// struct Fuse;
    /// impl Actor for Fuse {}
    /// impl Handler<u32> for Fuse {
    ///     type Reply = ();
    ///     fn handle(&mut self, ampere: u32, _: &mut Context<Self>) {
    ///         assert!(ampere <= 16, "{ampere} A are too much");
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(1).panic_handler(|_| {}).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let (send, failures) = mpsc::channel();
    /// system.on_failure(move |failure, outcome| {
    ///     let _ = send.send((failure.clone(), outcome));
    /// });
    /// system.spawn(Fuse).tell(20)?;
    /// let (failure, outcome) = failures.recv()?;
    /// assert_eq!(failure.actor(), "Fuse");
    /// assert_eq!(failure.message_type(), Some("u32"));
    /// assert_eq!(failure.panic_message(), "20 A are too much");
    /// assert_eq!(outcome, FailureOutcome::Ends);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A panic of the hook [`stopped`](Actor::stopped), or of the drop of a state, is no failure:
    /// it goes to the panic handler of the pool only.
    ///
    /// # Blocking
    ///
    /// It runs on the thread on which the actor has failed, and the actor goes on after it. So it
    /// is not to wait for that actor, or for the end of its supervisor. A panic in it is reported
    /// to the pool.
    pub fn on_failure(&self, listener: impl Fn(&Failure, FailureOutcome) + Send + Sync + 'static) {
        self.shared.listen_to_failures(Arc::new(listener));
    }

    /// Tells all actors to stop, and waits for their end, until `deadline` at most.
    ///
    /// Each actor handles what it was told before. No further one can be started. What is not at
    /// its end by then is abandoned, and reported: it ends after the message at hand.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    /// use std::time::{Duration, Instant};
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
    /// let answer = system.spawn(Doubler).ask(21);
    /// let report = system.shutdown(Instant::now() + Duration::from_secs(10));
    /// assert!(report.is_complete());
    /// assert_eq!(answer.recv(), Ok(42)); // asked before
    /// ```
    ///
    /// # Blocking
    ///
    /// Until all actors have ended, or until `deadline`. A handler that calls it waits for its own
    /// actor, and so until the deadline.
    pub fn shutdown(&self, deadline: Instant) -> ShutdownReport {
        ShutdownReport::of(self.shared.shut_down(deadline))
    }
}

impl Drop for ActorSystem {
    fn drop(&mut self) {
        self.shared.close();
    }
}

impl fmt::Debug for ActorSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActorSystem")
            .field("actors", &self.actors())
            .field("dead_letters", &self.dead_letters())
            .finish_non_exhaustive()
    }
}

/// How a system is to be; made by [`ActorSystem::builder`].
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{ActorSystem, Scheduler, Style};
///
/// let pool = Pool::builder().jobs(2).build().unwrap();
/// let system = ActorSystem::builder()
///     .style(Style::Loop)
///     .scheduler(Scheduler::ForkJoinFifo)
///     .build(&pool);
/// assert_eq!(system.actors(), 0);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "it has to be built"]
pub struct ActorSystemBuilder {
    style: Style,
    scheduler: Scheduler,
}

impl ActorSystemBuilder {
    /// What actors do after a message, unless they are spawned with another style.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Style};
    ///
    /// let system = ActorSystem::builder().style(Style::Loop).build_here();
    /// assert_eq!(system.actors(), 0);
    /// ```
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// Which threads run actors, unless they are spawned with another scheduler.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Scheduler};
    ///
    /// let system = ActorSystem::builder().scheduler(Scheduler::Pinned).build_here();
    /// assert_eq!(system.actors(), 0);
    /// ```
    pub fn scheduler(mut self, scheduler: Scheduler) -> Self {
        self.scheduler = scheduler;
        self
    }

    /// Makes the system, in `pool`.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::ActorSystem;
    ///
    /// let pool = Pool::builder().jobs(2).build().unwrap();
    /// let system = ActorSystem::builder().build(&pool);
    /// assert_eq!(system.actors(), 0);
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    #[must_use = "the actors of a system stop when it is dropped"]
    pub fn build(self, pool: &Pool) -> ActorSystem {
        self.build_in(SharedRegistry::clone(pool.registry()))
    }

    /// Makes the system, in the pool that the calling thread is in, or else in the global pool.
    ///
    /// ```
    /// let system = drumline::actor::ActorSystem::builder().build_here();
    /// assert_eq!(system.actors(), 0);
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child, inside a pool of the parent.
    #[must_use = "the actors of a system stop when it is dropped"]
    pub fn build_here(self) -> ActorSystem {
        let registry = local::seat().map_or_else(pool::global_registry, |seat| seat.registry());
        self.build_in(Registry::share(registry))
    }

    fn build_in(self, registry: SharedRegistry) -> ActorSystem {
        let (shared, end) = SystemShared::begin(registry, self.style, self.scheduler);
        ActorSystem { shared, _end: end }
    }
}

/// What became of the actors of a system that was shut down.
///
/// ```
/// use drumline::actor::ActorSystem;
/// use std::time::{Duration, Instant};
///
/// let system = ActorSystem::builder().build_here();
/// let report = system.shutdown(Instant::now() + Duration::from_secs(10));
/// assert!(report.is_complete(), "still at work: {}", report.abandoned().join(", "));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShutdownReport {
    abandoned: Vec<String>,
}

impl ShutdownReport {
    pub(crate) fn of(abandoned: Vec<String>) -> Self {
        ShutdownReport { abandoned }
    }

    /// Whether all actors have ended.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Inbox, SpawnOptions};
    /// use std::sync::mpsc;
    /// use std::time::Instant;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let (release, released) = mpsc::channel::<()>();
    /// let options = SpawnOptions::new().name("late");
    /// let late = system.spawn_thread_with(options, move |_: &mut Inbox<u32>| {
    ///     let _ = released.recv();
    /// }).unwrap();
    /// let report = system.shutdown(Instant::now());
    /// assert!(!report.is_complete());
    /// drop(release); // now it ends
    /// late.ended().recv();
    /// ```
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.abandoned.is_empty()
    }

    /// The names of those that have not.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Inbox, SpawnOptions};
    /// use std::sync::mpsc;
    /// use std::time::Instant;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let (release, released) = mpsc::channel::<()>();
    /// let options = SpawnOptions::new().name("late");
    /// let late = system.spawn_thread_with(options, move |_: &mut Inbox<u32>| {
    ///     let _ = released.recv();
    /// }).unwrap();
    /// let report = system.shutdown(Instant::now());
    /// assert_eq!(report.abandoned(), ["late"]);
    /// drop(release); // now it ends
    /// late.ended().recv();
    /// ```
    #[must_use]
    pub fn abandoned(&self) -> &[String] {
        &self.abandoned
    }
}
