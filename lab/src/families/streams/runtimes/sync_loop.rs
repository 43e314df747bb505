//! A plain loop on a bounded channel of the standard library.

use std::sync::mpsc;

use anyhow::Result;

use crate::families::streams::bounded::{BOUND, Received, looped, produced};
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// The calling thread.
#[derive(Debug)]
pub struct SyncLoop;

impl StreamRuntime for SyncLoop {
    const CARD: RuntimeCard = RuntimeCard {
        name: "sync-loop",
        about: "a plain loop on a `std::sync::mpsc::sync_channel` of 8",
        package: None,
        role: Role::Peer,
        rank: 25,
        scheduler: "none, one thread",
        parallel: true,
        colour: (150, 200, 160),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Bounded];

    const BY_DEFAULT: bool = false;

    fn start(_jobs: usize) -> Result<Self> {
        Ok(Self)
    }

    fn bounded(&self, items: u64) -> Received {
        let (send, receive) = mpsc::sync_channel(BOUND);
        produced(
            items,
            send,
            |send, item| send.send(item).is_ok(),
            || looped(receive.into_iter()),
        )
    }
}
