//! Crossbeam: threads of one's own, and channels.

use std::ops::Range;
use std::sync::Arc;
use std::thread;

use ::crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use anyhow::Result;

use crate::families::programs::graph::Search;
use crate::families::programs::kmers::{KmerCounter, count_in_threads};
use crate::families::programs::{PIECES, ProgramRuntime, VERTICES};
use crate::runtime::{Role, RuntimeCard};

/// Vertices that a thread is to go on from.
struct Order {
    search: Arc<Search>,
    frontier: Arc<Vec<u32>>,
    range: Range<usize>,
}

/// Threads that take orders from one channel, and answer by another one; and a thread for each
/// counter.
#[derive(Debug)]
pub struct Crossbeam {
    orders: Sender<Order>,
    answers: Receiver<Vec<u32>>,
}

impl ProgramRuntime for Crossbeam {
    const CARD: RuntimeCard = RuntimeCard {
        name: "crossbeam",
        about: "crossbeam-channel: threads that take vertices from one channel, and one thread for \
                each counter",
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
                    let found = order.search.visit_all(&order.frontier[order.range]);
                    if done.send(found).is_err() {
                        return;
                    }
                }
            })?;
        }
        Ok(Self { orders, answers })
    }

    fn level(&self, search: &Arc<Search>, frontier: Vec<u32>) -> Vec<u32> {
        if frontier.len() <= VERTICES {
            return search.visit_all(&frontier);
        }
        let frontier = Arc::new(frontier);
        let mut ordered = 0;
        for start in (0..frontier.len()).step_by(VERTICES) {
            let order = Order {
                search: Arc::clone(search),
                frontier: Arc::clone(&frontier),
                range: start..(start + VERTICES).min(frontier.len()),
            };
            self.orders.send(order).expect("the threads are there");
            ordered += 1;
        }
        self.answers.iter().take(ordered).flatten().collect()
    }

    fn count(&self, pieces: &[Arc<[u8]>], counters: Vec<KmerCounter>) -> Vec<KmerCounter> {
        count_in_threads(pieces, counters, || bounded(PIECES), Sender::send)
    }
}
