//! Tokio: a task that receives from a channel, in the place of an actor.

use ::tokio::runtime::{Builder, Runtime};
use ::tokio::sync::mpsc::{
    UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel,
};
use ::tokio::task::{block_in_place, spawn};
use ::tokio::time::sleep;
use anyhow::Result;

use crate::families::actors::{ActorRuntime, Behaviour};
use crate::runtime::{Role, RuntimeCard};

/// Takes the nap of a message, if there is one, as a task that blocks does: another thread goes on
/// with what its worker has. A task that awaited `spawn_blocking` in its place would be larger, in
/// all workloads.
#[inline]
pub fn take_nap<B: Behaviour>(behaviour: &B, message: &B::Message) {
    if let Some(nap) = behaviour.nap(message) {
        block_in_place(|| nap.sleep());
    }
}

/// The life of an actor that sends itself messages later. The others do not carry what it takes.
async fn live<B: Behaviour>(
    mut behaviour: B,
    own: WeakUnboundedSender<B::Message>,
    mut mailbox: UnboundedReceiver<B::Message>,
) {
    while let Some(message) = mailbox.recv().await {
        take_nap(&behaviour, &message);
        behaviour.handle(message);
        while let Some((delay, message)) = behaviour.later() {
            let own = own.clone();
            drop(spawn(async move {
                sleep(delay).await;
                if let Some(own) = own.upgrade() {
                    // A message that has no receiver is missed.
                    let _ = own.send(message);
                }
            }));
        }
    }
}

/// A multi-threaded runtime of tokio.
#[derive(Debug)]
pub struct Tokio {
    runtime: Runtime,
}

impl ActorRuntime for Tokio {
    const CARD: RuntimeCard = RuntimeCard {
        name: "tokio",
        about: "a task in a loop around `recv` of a `mpsc::unbounded_channel`; a worker per job",
        package: Some("tokio"),
        role: Role::Peer,
        rank: 20,
        scheduler: "async work stealing, fixed workers",
        parallel: true,
        colour: (132, 98, 176),
    };

    const BY_DEFAULT: bool = true;

    const TIMERS: bool = true;

    type Ref<B: Behaviour> = UnboundedSender<B::Message>;

    fn start(jobs: usize) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(jobs)
            .enable_time()
            .build()?;
        Ok(Self { runtime })
    }

    fn spawn<B: Behaviour>(&'static self, _group: u64, mut behaviour: B) -> Self::Ref<B> {
        let (sender, mut mailbox) = unbounded_channel();
        if B::SENDS_LATER {
            drop(
                self.runtime
                    .spawn(live(behaviour, sender.downgrade(), mailbox)),
            );
            return sender;
        }
        drop(self.runtime.spawn(async move {
            while let Some(message) = mailbox.recv().await {
                take_nap(&behaviour, &message);
                behaviour.handle(message);
            }
        }));
        sender
    }

    fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message) {
        // A message that has no receiver is missed.
        let _ = actor.send(message);
    }
}
