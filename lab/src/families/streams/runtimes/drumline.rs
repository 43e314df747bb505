//! Drumline: a stream that a thread feeds through a queue.

use std::thread;

use ::drumline::Pool;
use ::drumline::stream::{self, stream};
use anyhow::{Result, anyhow};

use crate::families::streams::mapping::{Mapping, Tally};
use crate::families::streams::pipeline::{Pipeline, made};
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// How many items wait at most; then the producer does.
const BOUND: usize = 1_000;

/// A pool of drumline.
#[derive(Debug)]
pub struct Drumline {
    pool: Pool,
    jobs: usize,
}

impl Drumline {
    /// Makes a pool, for both rows.
    pub fn pool(jobs: usize) -> Result<Pool> {
        Pool::builder()
            .jobs(jobs)
            .build()
            .map_err(|error| anyhow!("the pool cannot be made: {error:?}"))
    }
}

impl StreamRuntime for Drumline {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline",
        about: "this repository: `stream` of a `queue` that a thread fills; `map_ordered`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 10,
        scheduler: "biased: the lowest awake consumer first",
        parallel: true,
        colour: (214, 69, 43),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Pipe, StreamKind::Trickle, StreamKind::Map];

    fn start(jobs: usize) -> Result<Self> {
        let pool = Self::pool(jobs)?;
        Ok(Self { pool, jobs })
    }

    fn pipe<P: Pipeline>(&self, pipeline: &P, batch: usize) {
        let (send, receive) = stream::queue(BOUND);
        thread::scope(|scope| {
            scope.spawn(move || {
                for item in made(pipeline) {
                    if send.send(item).is_err() {
                        // The stream has ended early, and the book will show it.
                        return;
                    }
                }
            });
            stream(receive)
                .pool(&self.pool)
                .jobs(self.jobs)
                .batch(batch)
                .for_each(|item| pipeline.handle(item));
        });
    }

    fn map<M: Mapping>(&self, mapping: &M) -> Tally {
        let mut tally = Tally::default();
        stream::iter(0..mapping.items())
            .pool(&self.pool)
            .jobs(self.jobs)
            .map_ordered(|index| mapping.value(index))
            .for_each(|valued| tally.take(valued));
        tally
    }
}
