//! A plain loop on a bounded channel of crossbeam.

use anyhow::Result;
use crossbeam_channel::bounded;

use crate::families::streams::bounded::{BOUND, Received, looped, produced};
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// The calling thread.
#[derive(Debug)]
pub struct CrossbeamLoop;

impl StreamRuntime for CrossbeamLoop {
    const CARD: RuntimeCard = RuntimeCard {
        name: "crossbeam-loop",
        about: "a plain loop on a `crossbeam_channel::bounded` of 8",
        package: Some("crossbeam-channel"),
        role: Role::Peer,
        rank: 24,
        scheduler: "none, one thread",
        parallel: true,
        colour: (180, 160, 215),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Bounded];

    const BY_DEFAULT: bool = false;

    fn start(_jobs: usize) -> Result<Self> {
        Ok(Self)
    }

    fn bounded(&self, items: u64) -> Received {
        let (send, receive) = bounded(BOUND);
        produced(
            items,
            send,
            |send, item| send.send(item).is_ok(),
            || looped(receive.into_iter()),
        )
    }
}
