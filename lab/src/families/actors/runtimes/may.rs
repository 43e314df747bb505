//! May: a coroutine that receives from a channel, in the place of an actor.

use std::thread;

use ::may::coroutine;
use ::may::sync::mpsc::{Sender, channel};
use anyhow::Result;

use crate::families::actors::nap::Nap;
use crate::families::actors::{ActorRuntime, Behaviour};
use crate::runtime::{Role, RuntimeCard};

/// The most coroutines at once. Each has a stack, which is two mappings to the kernel. A process
/// has at most 65,530 mappings by default.
const MOST: u64 = 30_000;

/// Takes a nap on a thread of its own, for which the coroutine waits. May has no threads for what
/// blocks, and its workers are not replaced.
#[cold]
fn take(nap: Nap) {
    let (slept, wake) = channel();
    thread::spawn(move || {
        nap.sleep();
        // The coroutine waits.
        let _ = slept.send(());
    });
    let _ = wake.recv();
}

/// The scheduler of may, of which a process has one.
#[derive(Debug)]
pub struct May;

impl ActorRuntime for May {
    const CARD: RuntimeCard = RuntimeCard {
        name: "may",
        about: "a coroutine in a loop around `recv` of a `may::sync::mpsc`: stacks, not futures",
        package: Some("may"),
        role: Role::Peer,
        rank: 40,
        scheduler: "coroutines, work stealing, pinned workers",
        parallel: true,
        colour: (176, 141, 58),
    };

    const HAS_STACKS: bool = true;

    /// `None` ends the actor. A receiver that is about to wait could miss that its sender goes
    /// away.
    type Ref<B: Behaviour> = Sender<Option<B::Message>>;

    fn start(jobs: usize) -> Result<Self> {
        ::may::config().set_workers(jobs);
        Ok(Self)
    }

    fn refuses(actors: u64) -> Option<&'static str> {
        (actors > MOST).then_some("a process has no room for the stacks of more than 30,000 actors")
    }

    fn spawn<B: Behaviour>(&'static self, _group: u64, mut behaviour: B) -> Self::Ref<B> {
        let (sender, mailbox) = channel();
        let run = move || {
            while let Ok(Some(message)) = mailbox.recv() {
                if let Some(nap) = behaviour.nap(&message) {
                    take(nap);
                }
                behaviour.handle(message);
            }
        };
        // SAFETY: a handler uses little of its stack, and no variable of its thread across a wait.
        drop(unsafe { coroutine::spawn(run) });
        sender
    }

    fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message) {
        // A message that has no receiver is missed.
        let _ = actor.send(Some(message));
    }

    fn stop<B: Behaviour>(actor: Self::Ref<B>) {
        let _ = actor.send(None);
    }
}
