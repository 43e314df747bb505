//! A stream of a bounded channel of the standard library.

use std::sync::mpsc;

use ::drumline::Pool;
use anyhow::Result;

use crate::families::streams::bounded::{BOUND, Received, produced, streamed};
use crate::families::streams::runtimes::drumline::Drumline;
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline.
#[derive(Debug)]
pub struct SyncStream {
    pool: Pool,
    jobs: usize,
}

impl StreamRuntime for SyncStream {
    const CARD: RuntimeCard = RuntimeCard {
        name: "sync-stream",
        about: "this repository: a stream of a `std::sync::mpsc::sync_channel` of 8",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 15,
        scheduler: "biased: the lowest awake consumer first",
        parallel: true,
        colour: (63, 143, 84),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Bounded];

    const BY_DEFAULT: bool = false;

    fn start(jobs: usize) -> Result<Self> {
        let pool = Drumline::pool(jobs)?;
        Ok(Self { pool, jobs })
    }

    fn bounded(&self, items: u64) -> Received {
        let (send, receive) = mpsc::sync_channel(BOUND);
        produced(
            items,
            send,
            |send, item| send.send(item).is_ok(),
            || streamed(&self.pool, self.jobs, receive),
        )
    }
}
