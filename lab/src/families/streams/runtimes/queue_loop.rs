//! A plain loop on a queue of drumline.

use ::drumline::stream;
use anyhow::Result;

use crate::families::streams::bounded::{BOUND, Received, looped, produced};
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// The calling thread.
#[derive(Debug)]
pub struct QueueLoop;

impl StreamRuntime for QueueLoop {
    const CARD: RuntimeCard = RuntimeCard {
        name: "queue-loop",
        about: "a plain loop on drumline's `stream::queue` of 8",
        package: Some("drumline"),
        role: Role::Peer,
        rank: 23,
        scheduler: "none, one thread",
        parallel: true,
        colour: (240, 160, 140),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Bounded];

    const BY_DEFAULT: bool = false;

    fn start(_jobs: usize) -> Result<Self> {
        Ok(Self)
    }

    fn bounded(&self, items: u64) -> Received {
        let (send, mut receive) = stream::queue(BOUND);
        produced(
            items,
            send,
            |send, item| send.send(item).is_ok(),
            || looped(std::iter::from_fn(|| receive.recv())),
        )
    }
}
