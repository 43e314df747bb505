//! Threads from outside go in and out of small pools, all the time and all at once.
//!
//! Checked: every call gets its own answer, and no two threads that are in a pool at the same
//! time have the same number there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use drumline::Pool;
use stress::{Random, Run, check, round_done};

/// Threads outside the pools.
const OUTSIDE: usize = 6;
/// Numbers that are watched for being given out twice.
const NUMBERS: usize = 64;

struct Watched {
    pool: Pool,
    taken: Vec<AtomicBool>,
}

fn main() {
    let run = Run::start();
    let pools: Vec<Watched> = (1..=4)
        .map(|jobs| Watched {
            pool: Pool::builder().jobs(jobs).build().expect("a pool"),
            taken: (0..NUMBERS).map(|_| AtomicBool::new(false)).collect(),
        })
        .collect();
    thread::scope(|scope| {
        for outside in 0..OUTSIDE {
            let (run, pools) = (&run, &pools);
            scope.spawn(move || {
                let mut random = run.random(outside as u64);
                while run.goes_on() {
                    let pool = &pools[random.below(pools.len() as u64) as usize];
                    let nested = &pools[random.below(pools.len() as u64) as usize];
                    call(pool, nested, &mut random);
                    round_done();
                    if random.below(64) == 0 {
                        thread::yield_now();
                    }
                }
            });
        }
    });
    run.report("calls from outside");
}

fn call(watched: &Watched, nested: &Watched, random: &mut Random) {
    let from = random.below(1_000);
    let len = 1 + random.below(200);
    let hop = random.below(16) == 0;
    let sum = watched.pool.install(|| {
        let number = watched.pool.worker_index();
        let number = number.expect("a guest has a number");
        let taken = watched.taken.get(number);
        let twice = taken.is_some_and(|taken| taken.swap(true, Ordering::Relaxed));
        check(!twice, "two guests have the same number");
        let sum = sum(from, len);
        if hop {
            // Into another pool and back into this one.
            let inner = nested
                .pool
                .install(|| watched.pool.install(|| sum_of(from, len)));
            check(inner == sum, "a nested call has a wrong answer");
        }
        if let Some(taken) = taken {
            taken.store(false, Ordering::Relaxed);
        }
        sum
    });
    check(sum == (from..from + len).sum(), "a wrong answer");
}

fn sum_of(from: u64, len: u64) -> u64 {
    sum(from, len)
}

fn sum(from: u64, len: u64) -> u64 {
    if len == 1 {
        return from;
    }
    let half = len / 2;
    let (a, b) = drumline::join(|| sum(from, half), || sum(from + half, len - half));
    a + b
}
