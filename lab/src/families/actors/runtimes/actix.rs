//! Actix: actors that stay on the thread on which they were started.

use std::fmt;
use std::thread;

use ::actix::{
    Actor, ActorFutureExt, Addr, Arbiter, ArbiterHandle, AsyncContext, Context, Handler, Message,
    System, WrapFuture,
};
use ::tokio::task::spawn_blocking;
use anyhow::Result;

use crate::families::actors::{ActorRuntime, Behaviour};
use crate::runtime::{Role, RuntimeCard};

/// An actor of actix.
pub struct Shell<B>(B);

// Nothing refers to a behaviour that is pinned.
impl<B> Unpin for Shell<B> {}

/// A message, without a reply.
pub struct Told<M>(M);

impl<M: 'static> Message for Told<M> {
    type Result = ();
}

impl<B: Behaviour> Actor for Shell<B> {
    type Context = Context<Self>;
}

impl<B: Behaviour> Handler<Told<B::Message>> for Shell<B> {
    type Result = ();

    fn handle(&mut self, Told(message): Told<B::Message>, context: &mut Context<Self>) {
        let Some(nap) = self.0.nap(&message) else {
            self.0.handle(message);
            while let Some((delay, message)) = self.0.later() {
                context.notify_later(Told(message), delay);
            }
            return;
        };
        // The actor handles nothing else meanwhile; the others on its thread do.
        let nap = spawn_blocking(|| nap.sleep()).into_actor(self);
        context.wait(nap.map(|slept, actor, _| {
            slept.expect("a nap does not panic");
            actor.0.handle(message);
        }));
    }
}

impl<B> fmt::Debug for Shell<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shell")
    }
}

/// Arbiters, a thread each.
#[derive(Debug)]
pub struct Actix {
    arbiters: Vec<ArbiterHandle>,
}

impl ActorRuntime for Actix {
    const CARD: RuntimeCard = RuntimeCard {
        name: "actix",
        about: "an `Arbiter` per job, actors that talk on the same one; `do_send`",
        package: Some("actix"),
        role: Role::Peer,
        rank: 30,
        scheduler: "threads with a queue each, nothing moves",
        parallel: true,
        colour: (63, 143, 84),
    };

    const TIMERS: bool = true;

    type Ref<B: Behaviour> = Addr<Shell<B>>;

    fn start(jobs: usize) -> Result<Self> {
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        thread::Builder::new().spawn(move || {
            let system = System::new();
            let arbiters = (0..jobs).map(|_| Arbiter::new().handle());
            // If the other side is gone, the process is about to end.
            let _ = sender.send(arbiters.collect());
            system.run()
        })?;
        Ok(Self {
            arbiters: receiver.recv()?,
        })
    }

    fn spawn<B: Behaviour>(&'static self, group: u64, behaviour: B) -> Self::Ref<B> {
        let index = group % self.arbiters.len() as u64;
        let index = usize::try_from(index).expect("an index is small");
        Shell::start_in_arbiter(&self.arbiters[index], |_| Shell(behaviour))
    }

    fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message) {
        actor.do_send(Told(message));
    }
}
