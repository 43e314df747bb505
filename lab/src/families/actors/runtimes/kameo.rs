//! Kameo: actors that are tasks of tokio.

use std::convert::Infallible;
use std::fmt;

use ::kameo::actor::{Actor, ActorRef, Spawn};
use ::kameo::mailbox;
use ::kameo::message::{Context, Message};
use ::tokio::runtime::{Builder, Runtime};
use anyhow::Result;

use crate::families::actors::runtimes::tokio::take_nap;
use crate::families::actors::{ActorRuntime, Behaviour};
use crate::runtime::{Role, RuntimeCard};

/// An actor of kameo.
pub struct Shell<B>(B);

impl<B: Behaviour> Actor for Shell<B> {
    type Args = B;
    type Error = Infallible;

    async fn on_start(behaviour: B, _: ActorRef<Self>) -> Result<Self, Infallible> {
        Ok(Self(behaviour))
    }
}

impl<B: Behaviour> Message<B::Message> for Shell<B> {
    type Reply = ();

    async fn handle(&mut self, message: B::Message, _: &mut Context<Self, ()>) {
        take_nap(&self.0, &message);
        self.0.handle(message);
    }
}

impl<B> fmt::Debug for Shell<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shell")
    }
}

/// Actors on a multi-threaded runtime of tokio.
#[derive(Debug)]
pub struct Kameo {
    runtime: Runtime,
}

impl ActorRuntime for Kameo {
    const CARD: RuntimeCard = RuntimeCard {
        name: "kameo",
        about: "`mailbox::unbounded`, `tell(..).try_send()`; tokio with a worker per job",
        package: Some("kameo"),
        role: Role::Peer,
        rank: 31,
        scheduler: "tasks of tokio",
        parallel: true,
        colour: (47, 111, 176),
    };

    type Ref<B: Behaviour> = ActorRef<Shell<B>>;

    fn start(jobs: usize) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(jobs).build()?;
        Ok(Self { runtime })
    }

    fn spawn<B: Behaviour>(&'static self, _group: u64, behaviour: B) -> Self::Ref<B> {
        let _inside = self.runtime.enter();
        Shell::spawn_with_mailbox(behaviour, mailbox::unbounded())
    }

    fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message) {
        // A message to an actor that has ended is missed.
        let _ = actor.tell(message).try_send();
    }
}
