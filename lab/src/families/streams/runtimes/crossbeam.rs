//! Threads that share an unbounded channel of crossbeam.

use std::thread;

use anyhow::Result;
use crossbeam_channel::unbounded;

use crate::families::streams::pipeline::{Pipeline, batches, made};
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// This many threads around one channel.
#[derive(Debug)]
pub struct Crossbeam {
    jobs: usize,
}

impl Crossbeam {
    fn share<T: Send>(&self, items: impl Iterator<Item = T>, handle: impl Fn(T) + Send + Copy) {
        let (send, receive) = unbounded();
        thread::scope(|scope| {
            for _ in 0..self.jobs {
                let receive = receive.clone();
                scope.spawn(move || receive.into_iter().for_each(handle));
            }
            for item in items {
                send.send(item).expect("the consumers wait for the end");
            }
            // Else the consumers wait for more.
            drop(send);
        });
    }
}

impl StreamRuntime for Crossbeam {
    const CARD: RuntimeCard = RuntimeCard {
        name: "crossbeam",
        about: "threads that share a `crossbeam_channel::unbounded`",
        package: Some("crossbeam-channel"),
        role: Role::Peer,
        rank: 20,
        scheduler: "shared channel",
        parallel: true,
        colour: (120, 94, 170),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Pipe, StreamKind::Trickle];

    fn start(jobs: usize) -> Result<Self> {
        Ok(Self { jobs })
    }

    fn pipe<P: Pipeline>(&self, pipeline: &P, batch: usize) {
        if batch == 1 {
            self.share(made(pipeline), |item| pipeline.handle(item));
        } else {
            self.share(batches(pipeline, batch), |items| {
                items.into_iter().for_each(|item| pipeline.handle(item));
            });
        }
    }
}
