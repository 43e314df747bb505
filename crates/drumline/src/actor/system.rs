//! Systems: the actors of a pool that begin and end together.
//!
//! # The end
//!
//! A system ends when it is shut down or dropped, and when its pool ends. For the latter it leaves
//! a future in the pool that never is ready. The end of the pool drops it, and that
//! [closes](SystemShared::close) the system on a thread of the pool. `close` tells each actor to
//! stop, and keeps the pool open until the last one has ended: threads outside may be about to
//! queue a run. As long as an actor is alive, that future is in the pool, or its end is under way,
//! so there is a pool to be kept open.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use super::Actor;
use super::actor_list::ActorList;
use super::actor_ref::ActorRef;
use super::actor_stats::ActorStats;
use super::cell::{ActorCell, ActorCore};
use super::dead_letter::{DeadLetter, Loss};
use super::envelope::{Envelope, OpenFn};
use super::extra::{Extra, Place};
use super::life_word::RunOrder;
use super::message;
use super::options::{Scheduler, SpawnOptions, Style};
use super::own_thread::OwnThread;
use super::run::{self, RunFrame};
use super::run_end;
use crate::channel::oneshot;
use crate::job::Header;
use crate::pool::{self, HeldOpen, Pool, Registry, SharedRegistry, WakeOrigin, local};
use crate::spawn::{JoinHandle, spawn_future_in};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Arc, Instant, Mutex, lock};

/// Called with each dead letter.
type DeadLetterListener = dyn Fn(&DeadLetter) + Send + Sync;

/// What the actors of a system share.
pub(super) struct SystemShared {
    registry: SharedRegistry,
    list: ActorList,
    style: Style,
    scheduler: Scheduler,
    dead_letters: AtomicUsize,
    panicked: AtomicUsize,
    listener: Mutex<Option<Arc<DeadLetterListener>>>,
    end: Mutex<SystemEnd>,
}

/// What the end of the last actor is waited for by.
#[derive(Default)]
struct SystemEnd {
    /// The pool is open until then.
    held_open: Option<HeldOpen>,
    waiting: Vec<oneshot::Sender<()>>,
}

impl SystemShared {
    #[inline]
    pub(super) fn registry(&self) -> &SharedRegistry {
        &self.registry
    }

    /// A message is lost.
    pub(super) fn lose(&self, actor: impl FnOnce() -> String, message: &'static str, loss: Loss) {
        // Relaxed: a count, beside which nothing is published.
        self.dead_letters.fetch_add(1, Ordering::Relaxed);
        let listener = lock(&self.listener).clone();
        if let Some(listener) = listener {
            listener(&DeadLetter::new(actor(), message, loss));
        }
    }

    /// A panic ends an actor.
    pub(super) fn count_panic(&self) {
        // Relaxed: as above.
        self.panicked.fetch_add(1, Ordering::Relaxed);
    }

    /// An actor has ended: takes it out of the list, if it is there.
    ///
    /// # Safety
    ///
    /// It is an actor of this system, and alive.
    pub(super) unsafe fn let_go(&self, core: *const ActorCore) {
        // SAFETY: the caller's obligation.
        let is_closed = unsafe { self.list.unlink(core) };
        if is_closed {
            // What comes back lets the pool end.
            self.end_if_empty(&mut None);
        }
    }

    /// With a closed list: if all actors have ended, lets the pool end, and wakes those that wait.
    /// Otherwise keeps the pool open from now on.
    fn end_if_empty(&self, held_open: &mut Option<HeldOpen>) {
        let mut end = lock(&self.end);
        let mut waiting = Vec::new();
        if self.list.len() == 0 {
            *held_open = end.held_open.take();
            waiting = std::mem::take(&mut end.waiting);
        } else if held_open.is_some() {
            // That of an earlier close does the same, and comes back.
            std::mem::swap(&mut end.held_open, held_open);
        }
        drop(end);
        for waiter in waiting {
            // It may have gone.
            let _ = waiter.send(());
        }
    }

    /// Tells all actors to stop when they have handled what they have, and lets no further one in.
    fn close(&self) {
        let mut held_open = HeldOpen::new(&self.registry);
        self.list.close();
        self.notify_all(run::open_stop, false);
        self.end_if_empty(&mut held_open);
    }

    fn notify_all(&self, notice: OpenFn, is_kill: bool) {
        for (core, envelope) in self.list.notify_all(notice, is_kill) {
            // SAFETY: the actor was idle, and there is a reference.
            if let Some(envelope) = unsafe { ActorCore::schedule(core.as_ptr(), envelope) } {
                // SAFETY: the actor is dead and was idle, and there is a reference.
                unsafe { run_end::give_up(core.as_ptr(), envelope, false) };
            }
        }
    }
}

/// Starts an actor.
pub(super) fn spawn<A: Actor>(
    system: &Arc<SystemShared>,
    actor: A,
    options: SpawnOptions,
) -> ActorRef<A> {
    system.registry().forbid_fork();
    let scheduler = options.scheduler.as_ref().unwrap_or(&system.scheduler);
    let place = match scheduler {
        Scheduler::Managed => Place::Pool(RunOrder::Managed),
        Scheduler::ForkJoinLifo => Place::Pool(RunOrder::NewestFirst),
        Scheduler::ForkJoinFifo => Place::Pool(RunOrder::OldestFirst),
        Scheduler::Shared(shared) => Place::Shared(shared.clone()),
        Scheduler::ByHand(queue) => Place::ByHand(queue.clone()),
        Scheduler::Pinned => {
            let (name, pool) = (options.name.as_deref(), system.registry().id());
            OwnThread::start(name, pool, OwnThread::run)
                .map_or(Place::Pool(RunOrder::Managed), Place::Thread)
        }
    };
    spawn_on(system, actor, options, place)
}

/// Starts an actor where it is to run. A thread of its own waits for it.
pub(super) fn spawn_on<A: Actor>(
    system: &Arc<SystemShared>,
    actor: A,
    options: SpawnOptions,
    place: Place,
) -> ActorRef<A> {
    let registry = system.registry();
    let style = options.style.unwrap_or(system.style);
    let has_extra = options.name.is_some()
        || options.bound.is_some()
        || options.stash.is_some()
        || options.is_counted
        || place.is_elsewhere();
    let order = place.order();
    let is_elsewhere = place.is_elsewhere();
    let is_queued = is_elsewhere || order != RunOrder::Managed;
    let thread = place.thread();
    let extra = has_extra.then(|| {
        Box::new(Extra {
            name: options.name,
            bounded: options
                .bound
                .map(|(bound, overflow)| super::bounded::BoundedMail::new(bound, overflow)),
            place,
            stash: options.stash.map(super::stash::Stash::new),
            counter: options
                .is_counted
                .then(|| Arc::new(super::message_counts::MessageCounter::default())),
        })
    });
    let start = Envelope::notice(message::open_start::<A>);
    if is_elsewhere {
        registry.runs_elsewhere();
    }
    let core = ActorCell::allocate(actor, start, Arc::clone(system), style, order, extra);
    // SAFETY: the actor is fresh, and its run takes it out.
    let is_linked = unsafe { system.list.link(core.as_ptr()) };
    if !is_linked {
        if let Some(thread) = thread {
            thread.begin(None);
        }
        // SAFETY: the actor is fresh, so this thread acts for it. The reference keeps it.
        unsafe { RunFrame::end_unstarted(core.as_ptr()) };
    } else if let Some(thread) = thread {
        thread.begin(Some(core.as_ptr()));
    } else if is_queued {
        // SAFETY: the first run is the caller's to queue. The reference and the caller keep the
        // rest.
        unsafe { ActorCore::queue(core.as_ptr(), WakeOrigin::Woken) };
    } else {
        // SAFETY: the core begins with its job, and lives until that has been run.
        let job = unsafe { Header::job_ref(core.as_ptr().as_ptr().cast()) };
        pool::submit(registry, job, false);
    }
    ActorRef::new(core)
}

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
        spawn(&self.shared, actor, options)
    }

    pub(super) fn shared(&self) -> &Arc<SystemShared> {
        &self.shared
    }

    /// How many actors are alive.
    #[must_use]
    pub fn actors(&self) -> usize {
        self.shared.list.len()
    }

    /// How many messages were told to actors that did not come to them, or had no room.
    #[must_use]
    pub fn dead_letters(&self) -> usize {
        // Relaxed: a count, beside which nothing is published.
        self.shared.dead_letters.load(Ordering::Relaxed)
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
            // Relaxed: a count, beside which nothing is published.
            panicked: self.shared.panicked.load(Ordering::Relaxed),
            dead_letters: self.dead_letters(),
        }
    }

    /// Has `listener` called with each dead letter from now on, in place of the one before.
    ///
    /// It runs on the thread that finds the letter. A panic in it is reported to the pool. A
    /// listener that keeps a reference to an actor of the same system keeps the memory of both.
    pub fn on_dead_letter(&self, listener: impl Fn(&DeadLetter) + Send + Sync + 'static) {
        let before = lock(&self.shared.listener).replace(Arc::new(listener));
        drop(before);
    }

    /// Tells all actors to stop, and waits for their end, until `deadline` at most.
    ///
    /// Each actor handles what it was told before. No further one can be started. What is not at
    /// its end by then is abandoned, and reported: it ends after the message at hand.
    ///
    /// # Blocking
    ///
    /// Until all actors have ended, or until `deadline`. A handler that calls it waits for its own
    /// actor, and so until the deadline.
    pub fn shutdown(&self, deadline: Instant) -> ShutdownReport {
        self.shared.close();
        let ended = {
            let mut end = lock(&self.shared.end);
            if self.shared.list.len() == 0 {
                return ShutdownReport::default();
            }
            let (sender, receiver) = oneshot::channel();
            end.waiting.push(sender);
            receiver
        };
        let mut ended = ended;
        if ended.recv_deadline(deadline).is_ok() {
            return ShutdownReport::default();
        }
        self.shared.notify_all(run::open_nudge, true);
        ShutdownReport {
            abandoned: self.shared.list.names(),
        }
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
#[derive(Clone, Debug, Default)]
#[must_use = "it has to be built"]
pub struct ActorSystemBuilder {
    style: Style,
    scheduler: Scheduler,
}

impl ActorSystemBuilder {
    /// What actors do after a message, unless they are spawned with another style.
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// Which threads run actors, unless they are spawned with another scheduler.
    pub fn scheduler(mut self, scheduler: Scheduler) -> Self {
        self.scheduler = scheduler;
        self
    }

    /// Makes the system, in `pool`.
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
        let shared = Arc::new(SystemShared {
            registry: SharedRegistry::clone(&registry),
            list: ActorList::new(),
            style: self.style,
            scheduler: self.scheduler,
            dead_letters: AtomicUsize::new(0),
            panicked: AtomicUsize::new(0),
            listener: Mutex::new(None),
            end: Mutex::new(SystemEnd::default()),
        });
        let end = spawn_future_in(registry, PoolEnd(Arc::clone(&shared)));
        ActorSystem { shared, _end: end }
    }
}

/// What became of the actors of a system that was shut down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShutdownReport {
    abandoned: Vec<String>,
}

impl ShutdownReport {
    /// Whether all actors have ended.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.abandoned.is_empty()
    }

    /// The names of those that have not.
    #[must_use]
    pub fn abandoned(&self) -> &[String] {
        &self.abandoned
    }
}

/// A future that never is ready. The end of its pool drops it.
struct PoolEnd(Arc<SystemShared>);

impl Future for PoolEnd {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<()> {
        Poll::Pending
    }
}

impl Drop for PoolEnd {
    fn drop(&mut self) {
        self.0.close();
    }
}
