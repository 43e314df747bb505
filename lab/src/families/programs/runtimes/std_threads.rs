//! The standard library: scoped threads, and its channels.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use anyhow::Result;

use crate::families::programs::graph::Search;
use crate::families::programs::kmers::{KmerCounter, count_in_threads, counting_threads};
use crate::families::programs::{PIECES, ProgramRuntime, VERTICES};
use crate::runtime::{Role, RuntimeCard};

/// Threads for each level, with a share of the vertices each; and threads with counters.
#[derive(Debug)]
pub struct StdThreads {
    jobs: usize,
}

impl ProgramRuntime for StdThreads {
    const CARD: RuntimeCard = RuntimeCard {
        name: "std-threads",
        about: "`std::thread::scope` for each level that is large; `std::sync::mpsc` and \
                threads with a channel and counters each",
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
        // A thread takes about as long to start as some hundred vertices do.
        if self.jobs == 1 || frontier.len() <= 4 * VERTICES {
            return search.visit_all(&frontier);
        }
        thread::scope(|scope| {
            let shares = frontier.chunks(frontier.len().div_ceil(self.jobs));
            let threads = shares.map(|share| scope.spawn(|| search.visit_all(share)));
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
        let threads = counting_threads(self.jobs, counters.len());
        let channel = || sync_channel(PIECES);
        let send = |sender: &mut SyncSender<_>, piece| sender.send(piece);
        count_in_threads(pieces, counters, threads, channel, send)
    }
}
