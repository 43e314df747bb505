//! How an actor is started.

use crate::actor::SharedScheduler;
use crate::actor::run_queue::RunQueue;
use crate::actor::schedulers::QueuedRun;
use crate::sync::Arc;

/// What an actor does after a message, if it has another one.
///
/// The names are those of the two ways in which an event-based actor of Scala waited for its next
/// message: the recursion of `react`, and `loop`.
///
/// ```
/// use drumline::actor::{ActorSystem, Style};
///
/// // Actors take turns after each message, so that none holds up the others.
/// let system = ActorSystem::builder().style(Style::Loop).build_here();
/// assert_eq!(system.actors(), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    /// It goes straight on to it. After 61 messages it is queued behind other work.
    #[default]
    Recursive,
    /// It is queued for each message.
    Loop,
}

/// Which threads run an actor, and in which order.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, Scheduler, SpawnOptions};
///
/// struct Idler;
/// impl Actor for Idler {}
///
/// let system = ActorSystem::builder().build_here();
/// let options = SpawnOptions::new().scheduler(Scheduler::Pinned);
/// let idler = system.spawn_with(Idler, options);
/// assert!(idler.is_alive());
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Scheduler {
    /// The threads of the pool. An actor that has no message holds none. If a handler blocks,
    /// another thread takes the place of the one that runs it.
    ///
    /// An actor that is told something by another one is the next that this worker runs, 16 times
    /// in a row at most. Others wait in the order in which they have got their messages.
    #[default]
    Managed,
    /// The threads of the pool, as those of a plain fork/join pool: each worker runs the actor
    /// first that has got a message last. The oldest has a turn now and then.
    ForkJoinLifo,
    /// The threads of the pool: each worker runs its actors in the order in which they have got
    /// messages.
    ForkJoinFifo,
    /// Threads of their own that share one queue.
    Shared(SharedScheduler),
    /// The thread of a test, step by step; made by [`HandScheduler`](crate::actor::HandScheduler).
    ByHand(HandQueue),
    /// A thread of its own, which may block as it likes. It costs a stack, and two context switches
    /// for each time that the actor gets a message and has none. If the system refuses the thread,
    /// the actor runs in the pool.
    Pinned,
}

/// The actors that a [`HandScheduler`](crate::actor::HandScheduler) runs; made by its
/// [`scheduler`](crate::actor::HandScheduler::scheduler).
#[derive(Clone, Debug)]
pub struct HandQueue(pub(crate) Arc<RunQueue<QueuedRun>>);

/// What becomes of a message for which there is no room.
///
/// ```
/// use drumline::actor::{
///     Actor, ActorSystem, Context, HandScheduler, Handler, Overflow, SpawnOptions,
/// };
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
/// let options = SpawnOptions::new().bounded(1, Overflow::DropOldest);
/// let doubler = system.spawn_with(Doubler, options);
/// let (first, second) = (doubler.ask(1), doubler.ask(2));
/// by_hand.run_until_idle();
/// assert!(first.recv().is_err()); // lost
/// assert_eq!(second.recv(), Ok(4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The sender waits until there is room.
    Wait,
    /// The message comes back.
    Fail,
    /// The oldest message in the mailbox is lost: a dead letter.
    /// The new one takes its place in the mailbox, also if the actor was told to stop in between.
    DropOldest,
    /// The message is lost: a dead letter.
    DropNewest,
}

/// How an actor is started.
///
/// ```
/// use drumline::actor::{Overflow, Scheduler, SpawnOptions, Style};
///
/// let options = SpawnOptions::new()
///     .name("printer")
///     .style(Style::Loop)
///     .scheduler(Scheduler::Pinned)
///     .bounded(100, Overflow::Wait);
/// # drop(options);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "options do nothing until an actor is spawned with them"]
pub struct SpawnOptions {
    pub(crate) name: Option<String>,
    pub(crate) style: Option<Style>,
    pub(crate) scheduler: Option<Scheduler>,
    pub(crate) bound: Option<(usize, Overflow)>,
    pub(crate) stash: Option<usize>,
    pub(crate) is_counted: bool,
}

impl SpawnOptions {
    /// Those of the system.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, SpawnOptions};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let options = SpawnOptions::new();
    /// let idler = system.spawn_with(Idler, options); // as `spawn` does
    /// assert!(idler.is_alive());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// What the actor is called, in dead letters, errors and reports. An actor without a name is
    /// called by its type. It is a label: several actors may have the same, and none is found by
    /// it. For that, see [`ActorSystem::register`](crate::actor::ActorSystem::register).
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, SpawnOptions};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let options = SpawnOptions::new().name("the idler");
    /// assert_eq!(system.spawn_with(Idler, options).name(), "the idler");
    /// ```
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// What the actor does after a message.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, SpawnOptions, Style};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let options = SpawnOptions::new().style(Style::Loop);
    /// let idler = system.spawn_with(Idler, options);
    /// assert!(idler.is_alive());
    /// ```
    pub fn style(mut self, style: Style) -> Self {
        self.style = Some(style);
        self
    }

    /// Which threads run the actor.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Scheduler, SpawnOptions};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let options = SpawnOptions::new().scheduler(Scheduler::ForkJoinFifo);
    /// let idler = system.spawn_with(Idler, options);
    /// assert!(idler.is_alive());
    /// ```
    pub fn scheduler(mut self, scheduler: Scheduler) -> Self {
        self.scheduler = Some(scheduler);
        self
    }

    /// At most `bound` messages wait in the mailbox, and what becomes of others. The one that is
    /// handled does not count.
    ///
    /// ```
    /// use drumline::actor::{
    ///     Actor, ActorSystem, Context, HandScheduler, Handler, Overflow, SpawnOptions, TellError,
    /// };
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
    /// let options = SpawnOptions::new().bounded(1, Overflow::Fail);
    /// let doubler = system.spawn_with(Doubler, options);
    /// assert_eq!(doubler.tell(1), Ok(()));
    /// assert_eq!(doubler.tell(2), Err(TellError::Full(2)));
    /// by_hand.run_until_idle();
    /// ```
    ///
    /// # Panics
    ///
    /// If `bound` is 0.
    pub fn bounded(mut self, bound: usize, overflow: Overflow) -> Self {
        assert!(bound > 0, "a mailbox without room is of no use");
        self.bound = Some((bound, overflow));
        self
    }

    /// The actor can [set aside](crate::actor::Context::stash) up to `bound` messages. Without
    /// this, none.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, SpawnOptions};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<()> for Worker {
    ///     type Reply = usize;
    ///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> usize {
    ///         context.stash(()).unwrap();
    ///         context.stashed()
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn_with(Worker, SpawnOptions::new().stash(1));
    /// assert_eq!(worker.ask(()).recv(), Ok(1));
    /// ```
    pub fn stash(mut self, bound: usize) -> Self {
        self.stash = Some(bound);
        self
    }

    /// The actor counts its messages and its runs, and measures how long those take: see
    /// [`ActorRef::stats`](crate::actor::ActorRef::stats). Without this it counts nothing.
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
    /// let idler = system.spawn_with(Idler, SpawnOptions::new().counted());
    /// assert_eq!(idler.stats().map(|stats| stats.handled), Some(0));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// It costs two looks at the clock for each run, and one more cache line for each message.
    pub fn counted(mut self) -> Self {
        self.is_counted = true;
        self
    }
}
