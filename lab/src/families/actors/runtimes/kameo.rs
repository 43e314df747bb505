//! Kameo: actors that are tasks of tokio.

use std::convert::Infallible;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::kameo::actor::{Actor, ActorRef, Spawn, WeakActorRef};
use ::kameo::error::{ActorStopReason, PanicError};
use ::kameo::mailbox;
use ::kameo::message::{Context, Message};
use ::tokio::runtime::{Builder, Runtime};
use anyhow::Result;

use crate::families::actors::runtimes::tokio::take_nap;
use crate::families::actors::{ActorRuntime, Behaviour};
use crate::runtime::{Role, RuntimeCard};

/// Makes another state, for an actor that has panicked.
type Make<B> = dyn FnMut() -> B + Send;

/// That, in one word.
type Again<B> = Box<Box<Make<B>>>;

/// An actor of kameo.
pub struct Shell<B> {
    behaviour: B,
    /// `None`: a panic ends the actor. Two boxes, because one would take two words: the actors of
    /// all other workloads have this field as well.
    make: Option<Again<B>>,
}

impl<B: Behaviour> Actor for Shell<B> {
    type Args = Self;
    type Error = Infallible;

    async fn on_start(shell: Self, _: ActorRef<Self>) -> Result<Self, Infallible> {
        Ok(shell)
    }

    /// Goes on in place. A supervisor of kameo keeps the mailbox as well; it is not measured.
    async fn on_panic(
        &mut self,
        _: WeakActorRef<Self>,
        error: PanicError,
    ) -> Result<ControlFlow<ActorStopReason>, Infallible> {
        Ok(match &mut self.make {
            Some(make) => {
                self.behaviour = make();
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(ActorStopReason::Panicked(error)),
        })
    }
}

impl<B: Behaviour> Message<B::Message> for Shell<B> {
    type Reply = ();

    async fn handle(&mut self, message: B::Message, _: &mut Context<Self, ()>) {
        take_nap(&self.behaviour, &message);
        self.behaviour.handle(message);
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
    /// Those after which an actor has gone on.
    panics: Arc<AtomicU64>,
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

    const RESTARTS: bool = true;

    // A reference has the type of its actor, so actors that are never restarted have it as well.
    const OWN_BYTES: usize = size_of::<Option<Again<()>>>();

    type Ref<B: Behaviour> = ActorRef<Shell<B>>;

    fn start(jobs: usize) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(jobs).build()?;
        Ok(Self {
            runtime,
            panics: Arc::default(),
        })
    }

    fn spawn<B: Behaviour>(&'static self, _group: u64, behaviour: B) -> Self::Ref<B> {
        let _inside = self.runtime.enter();
        let make = None;
        Shell::spawn_with_mailbox(Shell { behaviour, make }, mailbox::unbounded())
    }

    fn spawn_restarting<B: Behaviour>(
        &'static self,
        _group: u64,
        mut make: impl FnMut() -> B + Send + 'static,
    ) -> Self::Ref<B> {
        let _inside = self.runtime.enter();
        let behaviour = make();
        let panics = Arc::clone(&self.panics);
        let again = move || {
            // Relaxed: a count, beside which nothing is published.
            panics.fetch_add(1, Ordering::Relaxed);
            make()
        };
        let make: Box<Make<B>> = Box::new(again);
        let make = Some(Box::new(make));
        Shell::spawn_with_mailbox(Shell { behaviour, make }, mailbox::unbounded())
    }

    fn panics(&self) -> u64 {
        // Relaxed: as above.
        self.panics.load(Ordering::Relaxed)
    }

    fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message) {
        // A message to an actor that has ended is missed.
        let _ = actor.tell(message).try_send();
    }
}
