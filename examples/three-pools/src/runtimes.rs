//! What runs the pipelines: streams with a pool each, or channels with threads.

use std::num::NonZero;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::ValueEnum;
use crossbeam_channel::Receiver;
use drumline::Pool;
use drumline::stream::{self, stream};

use crate::Pipeline;

/// What runs the pipelines.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Runtime {
    /// A stream in a pool of its own, for each.
    Drumline,
    /// A channel of crossbeam and threads of its own, for each.
    Crossbeam,
}

/// What came of a pipeline.
pub struct Outcome {
    pub name: &'static str,
    /// How many items there were to be.
    pub expected: u64,
    pub items: u64,
    pub result: u64,
    pub wall: Duration,
}

/// What a consumer has done so far.
#[derive(Default)]
struct Sum {
    items: u64,
    result: u64,
}

impl Sum {
    fn add(&mut self, result: u64) {
        self.items += 1;
        self.result = self.result.wrapping_add(result);
    }

    fn merge(&mut self, other: Sum) {
        self.items += other.items;
        self.result = self.result.wrapping_add(other.result);
    }
}

impl Runtime {
    /// Runs a pipeline with `jobs` consumers. One of them is the calling thread.
    pub fn run<I, F>(
        self,
        pipeline: Pipeline<I, F>,
        jobs: NonZero<usize>,
        queue: usize,
    ) -> Result<Outcome>
    where
        I: Iterator<Item: Send> + Send,
        F: Fn(I::Item) -> u64 + Sync,
    {
        let Pipeline {
            name,
            count,
            items,
            work,
        } = pipeline;
        let start = Instant::now();
        let sum = match self {
            Runtime::Drumline => on_drumline(items, &work, jobs, queue),
            Runtime::Crossbeam => on_crossbeam(items, &work, jobs, queue),
        };
        let wall = start.elapsed();
        let Sum { items, result } = sum.with_context(|| format!("cannot run `{name}`"))?;
        Ok(Outcome {
            name,
            expected: count,
            items,
            result,
            wall,
        })
    }
}

fn on_drumline<I>(
    items: I,
    work: impl Fn(I::Item) -> u64 + Sync,
    jobs: NonZero<usize>,
    queue: usize,
) -> Result<Sum>
where
    I: Iterator<Item: Send> + Send,
{
    let pool = Pool::builder().jobs(jobs.get()).build()?;
    let (sender, receiver) = stream::queue(queue);
    let sum = thread::scope(|scope| {
        scope.spawn(|| {
            let sender = sender;
            for item in items {
                if sender.send(item).is_err() {
                    // The stream has stopped: one of its functions has panicked.
                    return;
                }
            }
        });
        stream(receiver).pool(&pool).fold_init(
            Sum::default,
            |sum, item| sum.add(work(item)),
            Sum::merge,
        )
    });
    pool.shutdown()?;
    Ok(sum)
}

fn on_crossbeam<I>(
    items: I,
    work: impl Fn(I::Item) -> u64 + Sync,
    jobs: NonZero<usize>,
    queue: usize,
) -> Result<Sum>
where
    I: Iterator<Item: Send> + Send,
{
    let (sender, receiver) = crossbeam_channel::bounded(queue);
    // Each has a receiver of its own, so that the producer notices if all of them have panicked.
    let consume = |receiver: Receiver<I::Item>| {
        let mut sum = Sum::default();
        for item in receiver {
            sum.add(work(item));
        }
        sum
    };
    let sum = thread::scope(|scope| {
        scope.spawn(|| {
            let sender = sender;
            for item in items {
                if sender.send(item).is_err() {
                    return;
                }
            }
        });
        let others: Vec<_> = (1..jobs.get())
            .map(|_| receiver.clone())
            .map(|receiver| scope.spawn(|| consume(receiver)))
            .collect();
        let mut sum = consume(receiver);
        for other in others {
            sum.merge(
                other
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            );
        }
        sum
    });
    Ok(sum)
}
