//! A stream of a queue of drumline.

use ::drumline::Pool;
use ::drumline::stream;
use anyhow::Result;

use crate::families::streams::bounded::{BOUND, Received, produced, streamed};
use crate::families::streams::runtimes::drumline::Drumline;
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline.
#[derive(Debug)]
pub struct QueueStream {
    pool: Pool,
    jobs: usize,
}

impl StreamRuntime for QueueStream {
    const CARD: RuntimeCard = RuntimeCard {
        name: "queue-stream",
        about: "this repository: a stream of a `queue` of 8",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 13,
        scheduler: "biased: the lowest awake consumer first",
        parallel: true,
        colour: (214, 69, 43),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Bounded];

    const BY_DEFAULT: bool = false;

    fn start(jobs: usize) -> Result<Self> {
        let pool = Drumline::pool(jobs)?;
        Ok(Self { pool, jobs })
    }

    fn bounded(&self, items: u64) -> Received {
        let (send, receive) = stream::queue(BOUND);
        produced(
            items,
            send,
            |send, item| send.send(item).is_ok(),
            || streamed(&self.pool, self.jobs, receive),
        )
    }
}
