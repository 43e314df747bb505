//! Drumline without its streams: a job is spawned for each item.

use ::drumline::Pool;
use anyhow::Result;

use crate::families::streams::pipeline::{Pipeline, batches, made};
use crate::families::streams::runtimes::drumline::Drumline;
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline.
#[derive(Debug)]
pub struct DrumlineSpawn {
    pool: Pool,
}

impl DrumlineSpawn {
    /// The producer is the calling thread.
    fn spawn<T: Send>(&self, items: impl Iterator<Item = T>, handle: impl Fn(T) + Send + Sync) {
        let handle = &handle;
        self.pool.in_place_scope(|scope| {
            for item in items {
                scope.spawn(move |_| handle(item));
            }
        });
    }
}

impl StreamRuntime for DrumlineSpawn {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-spawn",
        about: "this repository: `Scope::spawn` of each item in `Pool::in_place_scope`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 12,
        scheduler: "queue per worker, stealing",
        parallel: true,
        colour: (190, 90, 110),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Pipe];

    const BY_DEFAULT: bool = false;

    fn start(jobs: usize) -> Result<Self> {
        let pool = Drumline::pool(jobs)?;
        Ok(Self { pool })
    }

    fn pipe<P: Pipeline>(&self, pipeline: &P, batch: usize) {
        if batch == 1 {
            self.spawn(made(pipeline), |item| pipeline.handle(item));
        } else {
            self.spawn(batches(pipeline, batch), |items| {
                items.into_iter().for_each(|item| pipeline.handle(item));
            });
        }
    }
}
