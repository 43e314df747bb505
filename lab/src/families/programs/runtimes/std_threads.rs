//! The standard library: scoped threads, and its channels.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

use anyhow::Result;

use crate::families::programs::graph::Search;
use crate::families::programs::kmers::KmerCounter;
use crate::families::programs::{PIECES, ProgramRuntime, VERTICES};
use crate::runtime::{Role, RuntimeCard};

/// Threads for each level, with a share of the vertices each; and a thread for each counter.
#[derive(Debug)]
pub struct StdThreads {
    jobs: usize,
}

impl ProgramRuntime for StdThreads {
    const CARD: RuntimeCard = RuntimeCard {
        name: "std-threads",
        about: "`std::thread::scope` for each level that is large; `std::sync::mpsc` and a thread \
                for each counter",
        package: None,
        role: Role::Peer,
        rank: 40,
        scheduler: "threads of the system",
        parallel: true,
        colour: (92, 140, 96),
    };

    fn start(jobs: usize) -> Result<Self> {
        Ok(Self { jobs })
    }

    fn level(&self, search: &Arc<Search>, frontier: Vec<u32>) -> Vec<u32> {
        let visit = |vertices: &[u32]| {
            let mut found = Vec::new();
            for &vertex in vertices {
                search.visit(vertex, &mut found);
            }
            found
        };
        // A thread takes about as long to start as some hundred vertices do.
        if self.jobs == 1 || frontier.len() <= 4 * VERTICES {
            return visit(&frontier);
        }
        thread::scope(|scope| {
            let shares = frontier.chunks(frontier.len().div_ceil(self.jobs));
            let threads = shares.map(|share| scope.spawn(move || visit(share)));
            let threads: Vec<_> = threads.collect();
            let found = threads.into_iter().map(thread::ScopedJoinHandle::join);
            found
                .map(|found| found.expect("a search does not panic"))
                .reduce(|mut all, mut found| {
                    all.append(&mut found);
                    all
                })
                .unwrap_or_default()
        })
    }

    fn count(&self, pieces: &[Arc<[u8]>], counters: Vec<KmerCounter>) -> Vec<KmerCounter> {
        let start = |mut counter: KmerCounter| {
            let (sender, receiver) = sync_channel::<Arc<[u8]>>(PIECES);
            let thread = thread::spawn(move || {
                receiver.iter().for_each(|piece| counter.count(&piece));
                counter
            });
            (sender, thread)
        };
        let (senders, threads): (Vec<_>, Vec<_>) = counters.into_iter().map(start).unzip();
        for piece in pieces {
            for sender in &senders {
                // A counter that has panicked is missed when its thread is joined.
                let _ = sender.send(Arc::clone(piece));
            }
        }
        drop(senders);
        let joined = threads.into_iter().map(thread::JoinHandle::join);
        joined
            .map(|counter| counter.expect("a counter does not panic"))
            .collect()
    }
}
