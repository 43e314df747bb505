//! Ractor: actors that are tasks of tokio, with four queues each.

use std::fmt;
use std::marker::PhantomData;

use ::ractor::{Actor, ActorProcessingErr, ActorRef, ActorRuntime as Instance};
use ::tokio::runtime::{Builder, Runtime};
use anyhow::Result;

use crate::families::actors::runtimes::tokio::take_nap;
use crate::families::actors::{ActorRuntime, Behaviour};
use crate::runtime::{Role, RuntimeCard};

/// An actor of ractor. Its state is the behaviour.
pub struct Shell<B>(PhantomData<fn() -> B>);

impl<B: Behaviour> Actor for Shell<B> {
    /// `None` ends the actor. A `drain` before the actor has begun keeps it from ever beginning.
    type Msg = Option<B::Message>;
    type State = B;
    type Arguments = B;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        behaviour: B,
    ) -> Result<B, ActorProcessingErr> {
        Ok(behaviour)
    }

    async fn handle(
        &self,
        own: ActorRef<Self::Msg>,
        message: Self::Msg,
        behaviour: &mut B,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Some(message) => {
                take_nap(behaviour, &message);
                behaviour.handle(message);
                while let Some((delay, message)) = behaviour.later() {
                    drop(own.send_after(delay, || Some(message)));
                }
            }
            None => own.stop(None),
        }
        Ok(())
    }
}

impl<B> fmt::Debug for Shell<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shell")
    }
}

/// Actors on a multi-threaded runtime of tokio.
#[derive(Debug)]
pub struct Ractor {
    runtime: Runtime,
}

impl ActorRuntime for Ractor {
    const CARD: RuntimeCard = RuntimeCard {
        name: "ractor",
        about: "`spawn_instant`, `send_message`; tokio with a worker per job",
        package: Some("ractor"),
        role: Role::Peer,
        rank: 32,
        scheduler: "tasks of tokio",
        parallel: true,
        colour: (205, 92, 140),
    };

    const TIMERS: bool = true;

    type Ref<B: Behaviour> = ActorRef<Option<B::Message>>;

    fn start(jobs: usize) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(jobs)
            .enable_time()
            .build()?;
        Ok(Self { runtime })
    }

    fn spawn<B: Behaviour>(&'static self, _group: u64, behaviour: B) -> Self::Ref<B> {
        let _inside = self.runtime.enter();
        let started = Instance::spawn_instant(None, Shell(PhantomData), behaviour);
        started.expect("an actor without a name can be started").0
    }

    fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message) {
        // A message to an actor that has ended is missed.
        let _ = actor.send_message(Some(message));
    }

    fn stop<B: Behaviour>(actor: Self::Ref<B>) {
        let _ = actor.send_message(None);
    }
}
