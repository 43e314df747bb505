//! Rings of tasks that hand a token on.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::families::async_tasks::AsyncRuntime;
use crate::families::async_tasks::countdown::Countdown;
use crate::families::async_tasks::flag::Flag;
use crate::session::Session;

/// The tasks of a ring.
pub const TASKS: u64 = 100;

/// One ring: a flag per task, and the token. In cache lines of its own, so that two rings are not
/// in each other's way.
#[derive(Debug)]
#[repr(align(128))]
struct Ring {
    flags: &'static [Flag],
    /// The number of the next hop, from one on. Only the task with a flag that was set touches it.
    next_hop: AtomicU64,
    /// How many hops there are.
    hops: u64,
}

impl Ring {
    /// The hops that end at this task: the first one, and how many there are. Hop `n` ends at task
    /// `n` modulo [`TASKS`].
    fn arrivals(&self, task: u64) -> (u64, u64) {
        let first = if task == 0 { TASKS } else { task };
        let count = (self.hops + TASKS).saturating_sub(first) / TASKS;
        (first, count)
    }

    /// Waits for each hop that ends at this task, and makes the next one. Returns whether each came
    /// in its turn.
    async fn run(&self, task: u64) -> bool {
        let own = &self.flags[index(task)];
        let successor = &self.flags[index((task + 1) % TASKS)];
        let (first, count) = self.arrivals(task);
        let mut is_right = true;
        for round in 0..count {
            own.wait().await;
            // Relaxed: the locks of the flags order what their tasks do.
            let hop = self.next_hop.load(Ordering::Relaxed);
            is_right &= hop == first + round * TASKS;
            self.next_hop.store(hop + 1, Ordering::Relaxed);
            if hop < self.hops {
                successor.set();
            }
        }
        is_right
    }

    /// Makes the first hop.
    fn start(&self) {
        self.flags[1].set();
    }
}

/// Runs `rings` rings at once, each with `hops` hops.
pub fn drive<R: AsyncRuntime>(rings: u64, hops: u64, runtime: &'static R, session: &mut Session) {
    let tasks = rings * TASKS;
    let countdown = Countdown::leaked(tasks);
    let rings: Vec<Ring> = (0..rings)
        .map(|_| Ring {
            flags: Flag::leaked(TASKS),
            next_hop: AtomicU64::new(1),
            hops,
        })
        .collect();
    let rings: &'static [Ring] = rings.leak();
    let hops = rings.len() as u64 * hops;
    session.tasks(tasks, Some(hops));
    session.sample_prepared(
        hops,
        &mut (),
        |()| {
            countdown.reset();
            // Relaxed: as in `Ring::run`.
            rings
                .iter()
                .for_each(|r| r.next_hop.store(1, Ordering::Relaxed));
        },
        |()| {
            for (first, ring) in (0..tasks).step_by(index(TASKS)).zip(rings) {
                for task in 0..TASKS {
                    runtime.spawn(async move {
                        // A task that found something wrong is missed.
                        if ring.run(task).await {
                            countdown.end(first + task);
                        } else {
                            countdown.end(tasks);
                        }
                    });
                }
            }
            rings.iter().for_each(Ring::start);
            countdown.wait();
        },
        |(), ()| countdown.check(),
    );
}

fn index(task: u64) -> usize {
    usize::try_from(task).expect("a ring is small")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hop_ends_at_one_task() {
        for hops in [1, 2, 99, 100, 101, 1_234] {
            let ring = Ring {
                flags: Flag::leaked(TASKS),
                next_hop: AtomicU64::new(1),
                hops,
            };
            let mut seen: Vec<u64> = (0..TASKS)
                .flat_map(|task| {
                    let (first, count) = ring.arrivals(task);
                    (0..count).map(move |round| first + round * TASKS)
                })
                .collect();
            seen.sort_unstable();
            assert_eq!(seen, Vec::from_iter(1..=hops));
        }
    }
}
