//! Loops of every kind, several at once on common pools, from inside and from outside, with items
//! of every cost, some of which panic.
//!
//! Checked in every round: each item is worked on once (where a loop ends early, once at most) and
//! dropped once, also if there is a panic, which reaches the caller; what comes of a loop is what
//! comes of it on one thread; states and folders, which need not be `Send`, are used and dropped by
//! the threads that made them; and a loop with a limit keeps to it.

mod chain;
mod item;

use drumline::Pool;
use stress::{Run, shut_down};

/// Threads with loops of their own.
const CALLERS: u64 = 3;

fn main() {
    let run = Run::start();
    let pools: Vec<Pool> = [(1, true), (2, true), (3, true), (4, false)]
        .map(|(jobs, guests)| Pool::builder().jobs(jobs).guests(guests).build())
        .into_iter()
        .map(|pool| pool.expect("a pool"))
        .collect();
    run.repeat(CALLERS, |random| {
        let pool = &pools[random.below(pools.len() as u64) as usize];
        chain::round(pool, random);
    });
    shut_down(pools);
    run.report("loops");
}
