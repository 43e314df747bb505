//! The published experiment behind `triple-pool`: a queue that is biased towards the first of its
//! consumers, written anew after its description.
//!
//! Consumer 0 sleeps on the queue. Each other consumer sleeps until the one before it took a full
//! batch and had not slept for it. So one consumer does all the work that it can keep up with, and
//! the others are left asleep.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread;

use anyhow::Result;

use crate::families::streams::pipeline::{Pipeline, made};
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// Threads around one queue, one per job.
#[derive(Debug)]
pub struct Biased {
    jobs: usize,
}

/// A queue without a bound.
struct Queue<T> {
    state: Mutex<State<T>>,
    /// Where each consumer sleeps.
    beds: Vec<Condvar>,
}

struct State<T> {
    items: VecDeque<T>,
    ended: bool,
    /// Which consumers sleep.
    asleep: Vec<bool>,
}

impl<T> Queue<T> {
    fn new(consumers: usize) -> Self {
        Self {
            state: Mutex::new(State {
                items: VecDeque::new(),
                ended: false,
                asleep: vec![false; consumers],
            }),
            beds: (0..consumers).map(|_| Condvar::new()).collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().expect("no consumer panics")
    }

    fn push(&self, item: T) {
        let mut state = self.lock();
        state.items.push_back(item);
        self.wake(&mut state, 0);
    }

    fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        for consumer in 0..self.beds.len() {
            self.wake(&mut state, consumer);
        }
    }

    /// Wakes a consumer if it sleeps.
    fn wake(&self, state: &mut State<T>, consumer: usize) {
        if let Some(asleep) = state.asleep.get_mut(consumer)
            && std::mem::take(asleep)
        {
            self.beds[consumer].notify_one();
        }
    }

    /// Takes up to `batch` items into `taken`, which is empty; returns whether there will be more.
    fn take(&self, consumer: usize, batch: usize, taken: &mut Vec<T>) -> bool {
        let mut state = self.lock();
        let mut slept = false;
        while state.items.is_empty() {
            if state.ended {
                return false;
            }
            slept = true;
            state.asleep[consumer] = true;
            while state.asleep[consumer] {
                let woken = self.beds[consumer].wait(state);
                state = woken.expect("no consumer panics");
            }
        }
        let count = batch.min(state.items.len());
        taken.extend(state.items.drain(..count));
        if count == batch && !slept {
            self.wake(&mut state, consumer + 1);
        }
        true
    }
}

impl StreamRuntime for Biased {
    const CARD: RuntimeCard = RuntimeCard {
        name: "biased",
        about: "the published algorithm, written anew for the lab: threads around a biased queue",
        package: None,
        role: Role::Peer,
        rank: 20,
        scheduler: "biased: each consumer wakes the next after a full batch",
        parallel: true,
        colour: (63, 143, 84),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Pipe];

    const BY_DEFAULT: bool = false;

    fn start(jobs: usize) -> Result<Self> {
        Ok(Self { jobs })
    }

    fn pipe<P: Pipeline>(&self, pipeline: &P, batch: usize) {
        let queue = Queue::new(self.jobs);
        thread::scope(|scope| {
            for consumer in 0..self.jobs {
                let queue = &queue;
                scope.spawn(move || {
                    let mut taken = Vec::with_capacity(batch);
                    while queue.take(consumer, batch, &mut taken) {
                        taken.drain(..).for_each(|item| pipeline.handle(item));
                    }
                });
            }
            made(pipeline).for_each(|item| queue.push(item));
            queue.end();
        });
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// Waits until the queue is empty and exactly these consumers sleep; `false` after a minute.
    fn settles(queue: &Queue<u32>, asleep: &[bool]) -> bool {
        let start = Instant::now();
        loop {
            let state = queue.lock();
            if state.items.is_empty() && state.asleep == asleep {
                return true;
            }
            drop(state);
            if start.elapsed() > Duration::from_secs(60) {
                return false;
            }
            thread::yield_now();
        }
    }

    #[test]
    fn a_full_batch_wakes_the_next_consumer() {
        let queue = &Queue::new(3);
        let mut taken = Vec::new();
        let mut settled = Vec::new();
        thread::scope(|scope| {
            for consumer in [1, 2] {
                scope.spawn(move || {
                    let mut taken = Vec::new();
                    while queue.take(consumer, 2, &mut taken) {
                        taken.clear();
                    }
                });
            }
            settled.push(settles(queue, &[false, true, true]));
            queue.push(1);
            // Not full: the others sleep on.
            assert!(queue.take(0, 2, &mut taken));
            settled.push(settles(queue, &[false, true, true]));

            queue.lock().items.extend([1, 2, 3, 4]);
            assert!(queue.take(0, 2, &mut taken));
            // Only the next consumer can have taken the rest. It had slept for its full batch.
            settled.push(settles(queue, &[false, true, true]));
            queue.end();
        });
        assert_eq!(taken, [1, 1, 2]);
        assert_eq!(settled, [true; 3]);
        assert!(!queue.take(0, 2, &mut taken), "it has ended");
    }
}
