//! Drumline: actors of a pool that are queued for each message.

use ::drumline::actor::{ActorRef, Scheduler, Style};
use anyhow::Result;

use crate::families::actors::runtimes::drumline::{Shell, System, tell};
use crate::families::actors::{ActorRuntime, Behaviour};
use crate::runtime::{Role, RuntimeCard};

/// Actors in the pool, with the style of a loop.
#[derive(Debug)]
pub struct DrumlineLoop(System);

impl ActorRuntime for DrumlineLoop {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-loop",
        about: "the same with the style `Loop`: an actor is queued for each message",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 11,
        scheduler: "managed, loop: queue per worker, stealing",
        parallel: true,
        colour: (236, 142, 60),
    };

    type Ref<B: Behaviour> = ActorRef<Shell<B>>;

    fn start(jobs: usize) -> Result<Self> {
        System::new(jobs, Style::Loop, Scheduler::Managed).map(Self)
    }

    fn spawn<B: Behaviour>(&'static self, _group: u64, behaviour: B) -> Self::Ref<B> {
        self.0.spawn(behaviour)
    }

    fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message) {
        tell(actor, message);
    }
}
