//! Drumline: threads of one's own, and its channels.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use ::drumline::channel::{mpmc, mpsc, spsc};
use anyhow::Result;

use crate::families::programs::graph::Search;
use crate::families::programs::kmers::{KmerCounter, count_in_threads, counting_threads};
use crate::families::programs::order::Order;
use crate::families::programs::{PIECES, ProgramRuntime, VERTICES};
use crate::runtime::{Role, RuntimeCard};

/// The program of `crossbeam`, with channels of drumline in the place of its own.
#[derive(Debug)]
pub struct DrumlineThreads {
    jobs: usize,
    orders: mpmc::Sender<Order>,
    /// Only the thread that searches locks it, once for each level.
    answers: Mutex<mpsc::Receiver<Vec<u32>>>,
}

impl ProgramRuntime for DrumlineThreads {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-threads",
        about: "this repository: `channel::{mpmc, mpsc, spsc}` between the threads of `crossbeam`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 14,
        scheduler: "threads of the system",
        parallel: true,
        colour: (245, 178, 140),
    };

    fn start(jobs: usize) -> Result<Self> {
        let (orders, to_do) = mpmc::unbounded::<Order>();
        let (done, answers) = mpsc::unbounded();
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
        let answers = Mutex::new(answers);
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
            let sent = self.orders.send(order);
            assert!(sent.is_ok(), "the threads are there");
            ordered += 1;
        }
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.iter().take(ordered).flatten().collect()
    }

    fn count(&self, pieces: &[Arc<[u8]>], counters: Vec<KmerCounter>) -> Vec<KmerCounter> {
        let threads = counting_threads(self.jobs, counters.len());
        let channel = || spsc::bounded(PIECES);
        count_in_threads(pieces, counters, threads, channel, spsc::Sender::send)
    }
}
