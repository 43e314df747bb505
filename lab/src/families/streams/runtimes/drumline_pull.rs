//! Drumline without a producer thread: a consumer that needs an item makes it, one consumer at a
//! time.

use ::drumline::Pool;
use ::drumline::stream;
use anyhow::Result;

use crate::families::streams::pipeline::{Pipeline, made};
use crate::families::streams::runtimes::drumline::Drumline;
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline.
#[derive(Debug)]
pub struct DrumlinePull {
    pool: Pool,
    jobs: usize,
}

impl StreamRuntime for DrumlinePull {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-pull",
        about: "this repository: `stream::iter` of what makes the items; no producer thread",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 11,
        scheduler: "biased, the source under a token",
        parallel: true,
        colour: (236, 142, 60),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Pipe];

    const BY_DEFAULT: bool = false;

    fn start(jobs: usize) -> Result<Self> {
        let pool = Drumline::pool(jobs)?;
        Ok(Self { pool, jobs })
    }

    fn pipe<P: Pipeline>(&self, pipeline: &P, batch: usize) {
        stream::iter(made(pipeline))
            .pool(&self.pool)
            .jobs(self.jobs)
            .batch(batch)
            .for_each(|item| pipeline.handle(item));
    }
}
