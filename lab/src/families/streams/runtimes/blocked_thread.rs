//! One thread that does nothing but wait on a channel: the soonest that an item can be seen.

use std::sync::mpsc;
use std::thread;

use anyhow::Result;

use crate::families::streams::pipeline::{Pipeline, made};
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A thread and a channel of the standard library.
#[derive(Debug)]
pub struct BlockedThread;

impl StreamRuntime for BlockedThread {
    const CARD: RuntimeCard = RuntimeCard {
        name: "blocked-thread",
        about: "one thread that waits on a `std::sync::mpsc` channel: the bound of latency",
        package: None,
        role: Role::Bound,
        rank: 2,
        scheduler: "none, one thread",
        parallel: true,
        colour: (201, 205, 211),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Trickle];

    fn start(_jobs: usize) -> Result<Self> {
        Ok(Self)
    }

    fn pipe<P: Pipeline>(&self, pipeline: &P, _batch: usize) {
        let (send, receive) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                for item in receive {
                    pipeline.handle(item);
                }
            });
            for item in made(pipeline) {
                send.send(item).expect("the consumer waits for the end");
            }
            // Else the consumer waits for more.
            drop(send);
        });
    }
}
