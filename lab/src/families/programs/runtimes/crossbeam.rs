//! Crossbeam: threads of one's own, and channels.

use std::sync::Arc;
use std::thread;

use ::crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use anyhow::Result;

use crate::families::programs::graph::Search;
use crate::families::programs::kmers::{KmerCounter, count_in_threads, counting_threads};
use crate::families::programs::order::Order;
use crate::families::programs::{PIECES, ProgramRuntime, VERTICES};
use crate::runtime::{Role, RuntimeCard};

/// Threads that take orders from one channel, and answer by another one; and threads with
/// counters.
#[derive(Debug)]
pub struct Crossbeam {
    jobs: usize,
    orders: Sender<Order>,
    answers: Receiver<Vec<u32>>,
}

impl ProgramRuntime for Crossbeam {
    const CARD: RuntimeCard = RuntimeCard {
        name: "crossbeam",
        about: "crossbeam-channel: threads that take vertices from one channel, and threads with \
                a channel and counters each",
        package: Some("crossbeam-channel"),
        role: Role::Peer,
        rank: 30,
        scheduler: "threads of the system",
        parallel: true,
        colour: (120, 94, 170),
    };

    fn start(jobs: usize) -> Result<Self> {
        let (orders, to_do) = unbounded::<Order>();
        let (done, answers) = unbounded();
        for _ in 0..jobs {
            let (to_do, done) = (to_do.clone(), done.clone());
            thread::Builder::new().spawn(move || {
                for order in to_do {
                    if done.send(order.follow()).is_err() {
                        return;
                    }
                }
            })?;
        }
        Ok(Self {
            jobs,
            orders,
            answers,
        })
    }

    fn level(&self, search: &Arc<Search>, frontier: Vec<u32>) -> Vec<u32> {
        if frontier.len() <= VERTICES {
            return search.visit_all(&frontier);
        }
        let mut ordered = 0;
        for order in Order::all(search, frontier) {
            self.orders.send(order).expect("the threads are there");
            ordered += 1;
        }
        self.answers.iter().take(ordered).flatten().collect()
    }

    fn count(&self, pieces: &[Arc<[u8]>], counters: Vec<KmerCounter>) -> Vec<KmerCounter> {
        let threads = counting_threads(self.jobs, counters.len());
        let send = |sender: &mut Sender<_>, piece| sender.send(piece);
        count_in_threads(pieces, counters, threads, || bounded(PIECES), send)
    }
}
