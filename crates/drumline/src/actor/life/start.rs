//! The start of an actor: where it runs, what it is made of, and its first run.

use std::ptr::NonNull;

use super::{RunEnd, run};
use crate::actor::life_word::RunOrder;
use crate::actor::mail::{BoundedMail, Envelope, message};
use crate::actor::memory::{
    ActorCell, ActorCore, CellPlan, CoreRef, Extra, Place, RunFrame, Stash,
};
use crate::actor::schedulers::OwnThread;
use crate::actor::system::{MessageCounter, SystemShared};
use crate::actor::{Actor, ActorRef, AsyncContext, Context, Scheduler, SpawnOptions};
use crate::job::Header;
use crate::pool::{self, WakeOrigin};
use crate::sync::Arc;

/// Starts an actor.
pub(crate) fn spawn<A: Actor>(
    system: &Arc<SystemShared>,
    actor: A,
    options: SpawnOptions,
) -> ActorRef<A> {
    let place = place_of(system, &options);
    spawn_on(system, actor, options, place)
}

/// Where an actor is to run that is started with these options.
pub(crate) fn place_of(system: &Arc<SystemShared>, options: &SpawnOptions) -> Place {
    system.registry().forbid_fork();
    let scheduler = options.scheduler.as_ref().unwrap_or(&system.scheduler);
    match scheduler {
        Scheduler::Managed => Place::Pool(RunOrder::Managed),
        Scheduler::ForkJoinLifo => Place::Pool(RunOrder::NewestFirst),
        Scheduler::ForkJoinFifo => Place::Pool(RunOrder::OldestFirst),
        Scheduler::Shared(shared) => Place::Shared(shared.clone()),
        Scheduler::ByHand(queue) => Place::ByHand(queue.clone()),
        Scheduler::Pinned => {
            let (name, pool) = (options.name.as_deref(), system.registry().id());
            OwnThread::start(name, pool, live).map_or(Place::Pool(RunOrder::Managed), Place::Thread)
        }
    }
}

/// Runs an actor that has handlers on its own thread, until it ends.
fn live(thread: Arc<OwnThread>, job: NonNull<Header>) {
    loop {
        // SAFETY: the thread was called by the sender that found the actor idle.
        match unsafe { run::run_and_count(job.cast(), u32::MAX) } {
            RunEnd::Idle | RunEnd::Held => thread.thread_call().await_call(),
            RunEnd::More => {}
            RunEnd::Ended => return,
        }
    }
}

/// Starts an actor where it is to run. A thread of its own waits for it.
pub(crate) fn spawn_on<A: Actor>(
    system: &Arc<SystemShared>,
    actor: A,
    options: SpawnOptions,
    place: Place,
) -> ActorRef<A> {
    let start = Envelope::notice(message::open_start::<A>);
    let cell = |plan| (ActorCell::allocate(actor, plan), true);
    ActorRef::new(spawn_cell(system, options, place, start, cell))
}

/// Starts an actor in a cell that `allocate` makes. `allocate` says whether the actor may live.
pub(crate) fn spawn_cell(
    system: &Arc<SystemShared>,
    options: SpawnOptions,
    place: Place,
    first: NonNull<Envelope>,
    allocate: impl FnOnce(CellPlan) -> (CoreRef, bool),
) -> CoreRef {
    let registry = system.registry();
    let run = run::run_of(options.style.unwrap_or(system.style), options.is_counted);
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
                .map(|(bound, overflow)| BoundedMail::new(bound, overflow)),
            place,
            stash: options.stash.map(Stash::new),
            counter: options
                .is_counted
                .then(|| Arc::new(MessageCounter::default())),
        })
    });
    if is_elsewhere {
        registry.runs_elsewhere();
    }
    let (core, may_live) = allocate(CellPlan {
        first,
        system: Arc::clone(system),
        run,
        order,
        extra,
    });
    // SAFETY: the actor is fresh, and its run takes it out.
    let is_linked = may_live && unsafe { system.list.link(core.as_ptr()) };
    if !is_linked {
        if let Some(thread) = thread {
            thread.begin(None);
        }
        // SAFETY: the actor is fresh, so this thread acts for it. The reference keeps it.
        unsafe { RunFrame::end_unstarted(core.as_ptr()) };
    } else if let Some(thread) = thread {
        thread.begin(Some(core.as_ptr().cast()));
    } else if is_queued {
        // SAFETY: the first run is the caller's to queue. The reference and the caller keep the
        // rest.
        unsafe { ActorCore::queue(core.as_ptr(), WakeOrigin::Woken) };
    } else {
        // SAFETY: the core begins with its job, and lives until that has been run.
        let job = unsafe { Header::job_ref(core.as_ptr().as_ptr().cast()) };
        pool::submit(registry, job, false);
    }
    core
}

impl<A: Actor> Context<A> {
    /// Starts another actor, in the same system, as
    /// [`ActorSystem::spawn`](crate::actor::ActorSystem::spawn) does.
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
    /// [`ActorSystem::spawn_with`](crate::actor::ActorSystem::spawn_with) does.
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
        spawn(unsafe { &(*self.frame.core).system }, actor, options)
    }
}

impl<A: Actor> AsyncContext<A> {
    /// Starts another actor, in the same system, as
    /// [`ActorSystem::spawn`](crate::actor::ActorSystem::spawn) does.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorRef, ActorSystem, AsyncContext, AsyncHandler};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl AsyncHandler<()> for Worker {
    ///     type Reply = ActorRef<Idler>;
    ///     async fn handle(&mut self, (): (), context: AsyncContext<Self>) -> ActorRef<Idler> {
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
    /// [`ActorSystem::spawn_with`](crate::actor::ActorSystem::spawn_with) does.
    ///
    /// ```
    /// use drumline::actor::{
    ///     Actor, ActorRef, ActorSystem, AsyncContext, AsyncHandler, SpawnOptions,
    /// };
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl AsyncHandler<()> for Worker {
    ///     type Reply = ActorRef<Idler>;
    ///     async fn handle(&mut self, (): (), context: AsyncContext<Self>) -> ActorRef<Idler> {
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
        spawn(&self.own.core().core().system, actor, options)
    }
}
