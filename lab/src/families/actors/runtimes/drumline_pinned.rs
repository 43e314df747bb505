//! Drumline: actors with a thread each.

use ::drumline::actor::{ActorRef, Scheduler, Style};
use anyhow::Result;

use crate::families::actors::runtimes::drumline::{Shell, System, tell};
use crate::families::actors::{ActorRuntime, Behaviour};
use crate::runtime::{Role, RuntimeCard};

/// The most actors at once. Above that, starting the threads takes longer than what is measured.
const MOST: u64 = 1_000;

/// Actors with threads of their own.
#[derive(Debug)]
pub struct DrumlinePinned(System);

impl ActorRuntime for DrumlinePinned {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-pinned",
        about: "the same with the scheduler `Pinned`: a thread per actor, whatever the jobs",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 12,
        scheduler: "a thread per actor",
        parallel: true,
        colour: (240, 160, 140),
    };

    const HAS_STACKS: bool = true;

    type Ref<B: Behaviour> = ActorRef<Shell<B>>;

    fn start(_jobs: usize) -> Result<Self> {
        System::new(1, Style::Recursive, Scheduler::Pinned).map(Self)
    }

    fn refuses(actors: u64) -> Option<&'static str> {
        (actors > MOST).then_some("each actor has a thread, and there would be more than 1,000")
    }

    fn spawn<B: Behaviour>(&'static self, _group: u64, behaviour: B) -> Self::Ref<B> {
        self.0.spawn(behaviour)
    }

    fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message) {
        tell(actor, message);
    }
}
