//! Pariter: an iterator mapped on threads of its own, always in order.

use std::thread;

use ::pariter::{IteratorExt, ParallelMapBuilder};
use anyhow::Result;

use crate::families::streams::mapping::{Mapping, Tally};
use crate::families::streams::pipeline::{Pipeline, batches, made};
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// This many threads for each stream.
#[derive(Debug)]
pub struct Pariter {
    jobs: usize,
}

impl Pariter {
    /// The calling thread pulls the iterator, and takes the results.
    fn map<T: Send, R: Send>(
        &self,
        items: impl Iterator<Item = T>,
        value: impl Fn(T) -> R + Send + Copy,
        end: impl FnMut(R),
    ) {
        thread::scope(|scope| {
            let threads = |builder: ParallelMapBuilder<_>| builder.threads(self.jobs);
            items
                .parallel_map_scoped_custom(scope, threads, value)
                .for_each(end);
        });
    }
}

impl StreamRuntime for Pariter {
    const CARD: RuntimeCard = RuntimeCard {
        name: "pariter",
        about: "`parallel_map_scoped_custom` with `threads`, in order",
        package: Some("pariter"),
        role: Role::Peer,
        rank: 22,
        scheduler: "two bounded channels, one thread pulls and takes",
        parallel: true,
        colour: (59, 145, 105),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Pipe, StreamKind::Map];

    const BY_DEFAULT: bool = false;

    fn start(jobs: usize) -> Result<Self> {
        Ok(Self { jobs })
    }

    fn pipe<P: Pipeline>(&self, pipeline: &P, batch: usize) {
        if batch == 1 {
            self.map(made(pipeline), |item| pipeline.handle(item), drop);
        } else {
            let handle = |items: Vec<P::Item>| {
                items.into_iter().for_each(|item| pipeline.handle(item));
            };
            self.map(batches(pipeline, batch), handle, drop);
        }
    }

    fn map<M: Mapping>(&self, mapping: &M) -> Tally {
        let mut tally = Tally::default();
        let value = |index| mapping.value(index);
        Pariter::map(self, 0..mapping.items(), value, |valued| tally.take(valued));
        tally
    }
}
