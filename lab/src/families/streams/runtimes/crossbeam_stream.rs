//! A stream of a bounded channel of crossbeam.

use ::drumline::Pool;
use anyhow::Result;
use crossbeam_channel::bounded;

use crate::families::streams::bounded::{BOUND, Received, produced, streamed};
use crate::families::streams::runtimes::drumline::Drumline;
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline.
#[derive(Debug)]
pub struct CrossbeamStream {
    pool: Pool,
    jobs: usize,
}

impl StreamRuntime for CrossbeamStream {
    const CARD: RuntimeCard = RuntimeCard {
        name: "crossbeam-stream",
        about: "this repository: a stream of a `crossbeam_channel::bounded` of 8",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 14,
        scheduler: "biased: the lowest awake consumer first",
        parallel: true,
        colour: (120, 94, 170),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Bounded];

    const BY_DEFAULT: bool = false;

    fn start(jobs: usize) -> Result<Self> {
        let pool = Drumline::pool(jobs)?;
        Ok(Self { pool, jobs })
    }

    fn bounded(&self, items: u64) -> Received {
        let (send, receive) = bounded(BOUND);
        produced(
            items,
            send,
            |send, item| send.send(item).is_ok(),
            || streamed(&self.pool, self.jobs, receive),
        )
    }
}
