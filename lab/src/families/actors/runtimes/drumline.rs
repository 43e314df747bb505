//! Drumline: actors of a pool that go straight on to the next message.

use std::fmt;

use ::drumline::Pool;
use ::drumline::actor::{Actor, ActorRef, ActorSystem, Context, Handler, Scheduler, Style};
use anyhow::{Result, anyhow};

use crate::families::actors::{ActorRuntime, Behaviour};
use crate::runtime::{Role, RuntimeCard};

/// An actor of drumline.
pub struct Shell<B>(B);

impl<B: Behaviour> Actor for Shell<B> {}

impl<B: Behaviour> Handler<B::Message> for Shell<B> {
    type Reply = ();

    fn handle(&mut self, message: B::Message, _: &mut Context<Self>) {
        self.0.handle(message);
    }
}

impl<B> fmt::Debug for Shell<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shell")
    }
}

/// A system of actors, and its pool.
#[derive(Debug)]
pub struct System {
    system: ActorSystem,
    _pool: Pool,
}

impl System {
    /// One whose actors all have this style and this scheduler.
    pub fn new(jobs: usize, style: Style, scheduler: Scheduler) -> Result<Self> {
        let pool = Pool::builder()
            .jobs(jobs)
            .build()
            .map_err(|error| anyhow!("the pool cannot be made: {error:?}"))?;
        let builder = ActorSystem::builder().style(style).scheduler(scheduler);
        Ok(Self {
            system: builder.build(&pool),
            _pool: pool,
        })
    }

    /// Starts an actor.
    pub fn spawn<B: Behaviour>(&self, behaviour: B) -> ActorRef<Shell<B>> {
        self.system.spawn(Shell(behaviour))
    }
}

/// Sends a message.
pub fn tell<B: Behaviour>(actor: &ActorRef<Shell<B>>, message: B::Message) {
    // An actor that has ended takes part no more, and its messages are missed.
    let _ = actor.tell(message);
}

/// Actors in the pool, with the style that they have by default.
#[derive(Debug)]
pub struct Drumline(System);

impl ActorRuntime for Drumline {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline",
        about: "this repository: `actor`, scheduler `Managed`, style `Recursive`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 10,
        scheduler: "managed, recursive: queue per worker, stealing",
        parallel: true,
        colour: (214, 69, 43),
    };

    const BY_DEFAULT: bool = true;

    type Ref<B: Behaviour> = ActorRef<Shell<B>>;

    fn start(jobs: usize) -> Result<Self> {
        System::new(jobs, Style::Recursive, Scheduler::Managed).map(Self)
    }

    fn spawn<B: Behaviour>(&'static self, _group: u64, behaviour: B) -> Self::Ref<B> {
        self.0.spawn(behaviour)
    }

    fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message) {
        tell(actor, message);
    }
}
