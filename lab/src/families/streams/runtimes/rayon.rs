//! Rayon: a job is spawned for each item; and a bridge from an iterator.

use ::rayon::iter::{ParallelBridge, ParallelIterator};
use ::rayon::{ThreadPool, ThreadPoolBuilder};
use anyhow::Result;

use crate::families::streams::mapping::{Mapping, Tally};
use crate::families::streams::pipeline::{Pipeline, batches, made};
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A thread pool of rayon.
#[derive(Debug)]
pub struct Rayon {
    pool: ThreadPool,
}

impl Rayon {
    /// The producer is the calling thread, outside of the pool.
    fn spawn<T: Send>(&self, items: impl Iterator<Item = T>, handle: impl Fn(T) + Send + Sync) {
        let handle = &handle;
        self.pool.in_place_scope(|scope| {
            for item in items {
                scope.spawn(move |_| handle(item));
            }
        });
    }
}

impl StreamRuntime for Rayon {
    const CARD: RuntimeCard = RuntimeCard {
        name: "rayon",
        about: "`Scope::spawn` in `in_place_scope`; `par_bridge`, which keeps no order",
        package: Some("rayon"),
        role: Role::Peer,
        rank: 21,
        scheduler: "injector and work stealing; bridge behind a lock",
        parallel: true,
        colour: (47, 111, 176),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Pipe, StreamKind::Trickle, StreamKind::Map];

    fn start(jobs: usize) -> Result<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(jobs).build()?;
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

    fn map<M: Mapping>(&self, mapping: &M) -> Tally {
        self.pool.install(|| {
            let numbers = (0..mapping.items()).par_bridge();
            let values = numbers.map(|index| mapping.value(index));
            values
                .map(Tally::unordered)
                .reduce(Tally::default, Tally::plus)
        })
    }
}
