//! Drumline: tasks, with a lane to each or from all of them.

use std::sync::Arc;

use ::drumline::Pool;
use ::drumline::channel::{mpsc, spsc};
use anyhow::{Result, anyhow};

use crate::families::programs::graph::Search;
use crate::families::programs::kmers::KmerCounter;
use crate::families::programs::order::Order;
use crate::families::programs::{PIECES, ProgramRuntime, VERTICES};
use crate::runtime::{Role, RuntimeCard};

/// A task for some vertices, with results that come through a channel; and a future for each
/// counter, which receives pieces.
#[derive(Debug)]
pub struct DrumlineChannels {
    pool: Pool,
}

impl ProgramRuntime for DrumlineChannels {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-channels",
        about: "this repository: `Pool::spawn` and `channel::mpsc`; `Pool::spawn_future` and \
                `channel::spsc`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 12,
        scheduler: "local queues, thief-fenced deques",
        parallel: true,
        colour: (233, 137, 86),
    };

    fn start(jobs: usize) -> Result<Self> {
        let pool = Pool::builder()
            .jobs(jobs)
            .build()
            .map_err(|error| anyhow!("the pool cannot be made: {error:?}"))?;
        Ok(Self { pool })
    }

    fn level(&self, search: &Arc<Search>, frontier: Vec<u32>) -> Vec<u32> {
        if frontier.len() <= VERTICES {
            return search.visit_all(&frontier);
        }
        let (sender, mut receiver) = mpsc::unbounded();
        for order in Order::all(search, frontier) {
            let sender = sender.clone();
            // Nothing waits for the task itself.
            drop(self.pool.spawn(move || {
                // The receiver is there until all senders are gone.
                let _ = sender.send(order.follow());
            }));
        }
        drop(sender);
        receiver.iter().flatten().collect()
    }

    fn count(&self, pieces: &[Arc<[u8]>], counters: Vec<KmerCounter>) -> Vec<KmerCounter> {
        let (mut senders, tasks): (Vec<_>, Vec<_>) = counters
            .into_iter()
            .map(|mut counter| {
                let (sender, mut receiver) = spsc::bounded::<Arc<[u8]>>(PIECES);
                let task = self.pool.spawn_future(async move {
                    while let Ok(piece) = receiver.recv_async().await {
                        counter.count(&piece);
                    }
                    counter
                });
                (sender, task)
            })
            .unzip();
        for piece in pieces {
            for sender in &mut senders {
                // A counter that has panicked is missed when its task is joined.
                let _ = sender.send(Arc::clone(piece));
            }
        }
        drop(senders);
        let joined = tasks.into_iter().map(|task| task.join());
        joined
            .map(|counter| counter.expect("a counter does not panic"))
            .collect()
    }
}
