//! Xtra: actors that are tasks of tokio.

use std::fmt;
use std::pin::pin;
use std::task::{Context as TaskContext, Waker};

use ::tokio::runtime::{Builder, Runtime};
use ::xtra::{Actor, Address, Context, Handler, Mailbox};
use anyhow::Result;

use crate::families::actors::runtimes::tokio::take_nap;
use crate::families::actors::{ActorRuntime, Behaviour};
use crate::runtime::{Role, RuntimeCard};

/// An actor of xtra.
pub struct Shell<B>(B);

impl<B: Behaviour> Actor for Shell<B> {
    type Stop = ();

    async fn stopped(self) {}
}

impl<B: Behaviour> Handler<B::Message> for Shell<B> {
    type Return = ();

    async fn handle(&mut self, message: B::Message, _: &mut Context<Self>) {
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
pub struct Xtra {
    runtime: Runtime,
}

impl ActorRuntime for Xtra {
    const CARD: RuntimeCard = RuntimeCard {
        name: "xtra",
        about: "`Mailbox::unbounded`, `send(..).detach()`; tokio with a worker per job",
        package: Some("xtra"),
        role: Role::Peer,
        rank: 33,
        scheduler: "tasks of tokio",
        parallel: true,
        colour: (47, 150, 160),
    };

    // The mailbox is a heap by priority, which all messages have in common.
    const KEEPS_ORDER: bool = false;

    type Ref<B: Behaviour> = Address<Shell<B>>;

    fn start(jobs: usize) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(jobs).build()?;
        Ok(Self { runtime })
    }

    fn spawn<B: Behaviour>(&'static self, _group: u64, behaviour: B) -> Self::Ref<B> {
        let _inside = self.runtime.enter();
        ::xtra::spawn_tokio(Shell(behaviour), Mailbox::unbounded())
    }

    fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message) {
        // Without a bound it is sent in the first poll. What comes of that is a way to the reply.
        let sending = pin!(actor.send(message).detach());
        let polled = sending.poll(&mut TaskContext::from_waker(Waker::noop()));
        debug_assert!(polled.is_ready(), "there is room");
        drop(polled);
    }
}
