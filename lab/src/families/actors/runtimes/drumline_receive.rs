//! Drumline: actors that are functions, each on a thread of its own.

use ::drumline::actor::{ActorRef, Scheduler, Style, ThreadActor};
use anyhow::Result;

use crate::families::actors::runtimes::drumline::{MOST_THREADS, System, TOO_MANY_THREADS};
use crate::families::actors::{ActorRuntime, Behaviour};
use crate::runtime::{Role, RuntimeCard};

/// Functions that receive in a loop. The styles `loop/receive` and `receive/while` differ in how
/// the loop is written, and are the same to the runtime.
#[derive(Debug)]
pub struct DrumlineReceive(System);

impl ActorRuntime for DrumlineReceive {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-receive",
        about: "this repository: `spawn_thread`, a loop around `Inbox::receive`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 19,
        scheduler: "a thread per actor",
        parallel: true,
        colour: (226, 186, 170),
    };

    const HAS_STACKS: bool = true;

    const HAS_THREADS: bool = true;

    type Ref<B: Behaviour> = ActorRef<ThreadActor<B::Message>>;

    fn start(_jobs: usize) -> Result<Self> {
        System::new(1, Scheduler::Managed, Style::Recursive, true).map(Self)
    }

    fn refuses(actors: u64) -> Option<&'static str> {
        (actors > MOST_THREADS).then_some(TOO_MANY_THREADS)
    }

    fn spawn<B: Behaviour>(&'static self, _group: u64, mut behaviour: B) -> Self::Ref<B> {
        let started = self.0.actors.spawn_thread(move |inbox| {
            while let Some(message) = inbox.receive() {
                if let Some(nap) = behaviour.nap(&message) {
                    nap.sleep();
                }
                behaviour.handle(message);
            }
        });
        started.expect("the system has threads")
    }

    fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message) {
        // An actor that has ended takes part no more, and its messages are missed.
        let _ = actor.tell(message);
    }
}
