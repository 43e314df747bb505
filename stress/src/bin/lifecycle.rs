//! Pools are made, used, resized and dropped from several threads at once.
//!
//! Checked: every call gets its answer, every worker that starts also ends, and has done so when
//! `shutdown` returns.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use drumline::Pool;
use stress::{Random, Run, check, fail, round_done};

/// Threads that each have pools of their own and use a common one.
const MAKERS: usize = 3;

fn main() {
    let run = Run::start();
    let common = Pool::builder().jobs(2).build().expect("a pool");
    thread::scope(|scope| {
        for maker in 0..MAKERS {
            let (run, common) = (&run, &common);
            scope.spawn(move || {
                let mut random = run.random(maker as u64);
                while run.goes_on() {
                    one_life(&mut random, common);
                    round_done();
                }
            });
        }
    });
    if common.shutdown().is_err() {
        fail("the common pool could not be shut down");
    }
    run.report("pools made and ended");
}

fn one_life(random: &mut Random, common: &Pool) {
    let started = Arc::new(AtomicUsize::new(0));
    let ended = Arc::new(AtomicUsize::new(0));
    let mut builder = Pool::builder().jobs(1 + random.below(4) as usize);
    let counted = random.below(2) == 0;
    if counted {
        let (started, ended) = (Arc::clone(&started), Arc::clone(&ended));
        builder = builder
            .start_handler(move |_| {
                started.fetch_add(1, Ordering::Relaxed);
            })
            .exit_handler(move |_| {
                ended.fetch_add(1, Ordering::Relaxed);
            })
            .guests(random.below(2) == 0);
    }
    let pool = builder.build().expect("a pool");
    for _ in 0..random.below(4) {
        match random.below(5) {
            0 => resize(&pool, 1 + random.below(4) as usize),
            1 => resize(common, 1 + random.below(4) as usize),
            2 => check(common.install(|| fib(10)) == 55, "a wrong answer"),
            3 => {
                // Leaves the pool in use until just before its end.
                let depth = random.below(12);
                check(
                    pool.install(|| fib(depth)) == plain(depth),
                    "a wrong answer",
                );
            }
            _ => check(
                pool.install(|| common.install(|| fib(8))) == 21,
                "a wrong answer",
            ),
        }
    }
    if random.below(2) == 0 {
        drop(pool);
    } else if pool.shutdown().is_err() {
        fail("a pool could not be shut down from outside");
    } else {
        let (started, ended) = (
            started.load(Ordering::Relaxed),
            ended.load(Ordering::Relaxed),
        );
        check(started == ended, "a worker outlived the shutdown");
    }
}

fn resize(pool: &Pool, jobs: usize) {
    if pool.set_jobs(jobs).is_err() {
        fail("a pool could not be resized");
    }
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = drumline::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn plain(n: u64) -> u64 {
    if n < 2 {
        n
    } else {
        plain(n - 1) + plain(n - 2)
    }
}
