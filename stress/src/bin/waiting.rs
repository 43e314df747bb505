//! What it costs that blocked threads are replaced: while no thread blocks, while blocking is
//! short, and while most threads block.
//!
//! Prints figures beside the bars that the project has set itself, for a machine that does nothing
//! else. Checked: the answers, and, with much room for one that does, the throughput.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use drumline::{Pool, blocking};
use stress::{Random, Run, check, round_done, work_for};

fn main() {
    let run = Run::start();
    cost_of_announcing();
    while run.has_used() < 0.4 {
        throughput(true);
        throughput(false);
    }
    for (jobs, until) in [(2, 0.7), (16, 1.0)] {
        computing(&run, jobs, until);
    }
    run.report("rounds");
}

fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().expect("a pool")
}

fn median<T: Copy + PartialOrd>(mut values: Vec<T>) -> T {
    values.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    values[values.len() / 2]
}

/// `blocking` around nothing, while every place is taken and more work is visible.
fn cost_of_announcing() {
    const CALLS: u32 = 20_000;
    let pool = pool(2);
    let stop = Arc::new(AtomicBool::new(false));
    let (costs, visible) = pool.install(|| {
        for _ in 0..10_000 {
            let stop = Arc::clone(&stop);
            drop(drumline::spawn(move || {
                if !stop.load(Ordering::Relaxed) {
                    work_for(Duration::from_millis(1));
                }
            }));
        }
        let mut visible = usize::MAX;
        let costs: Vec<f64> = (0..50)
            .map(|_| {
                let start = Instant::now();
                for call in 0..CALLS {
                    blocking(|| black_box(call));
                }
                let took = start.elapsed();
                visible = visible.min(pool.stats().queue_depth);
                took.as_nanos() as f64 / f64::from(CALLS)
            })
            .collect();
        (costs, visible)
    });
    stop.store(true, Ordering::Relaxed);
    round_done();
    check(visible > 0, "no work was visible any more");
    println!(
        "blocking around nothing, other work visible: {:.1} ns (bar: 60)",
        median(costs)
    );
}

/// Computing with three of four threads blocked, and with none.
fn throughput(announced: bool) {
    const BLOCKED: usize = 3;
    let pool = pool(4);
    let measure = || {
        let start = Instant::now();
        let tasks: Vec<_> = (0..64)
            .map(|_| pool.spawn(|| plain(black_box(24))))
            .collect();
        for task in tasks {
            check(task.join().is_ok_and(|sum| sum == 46_368), "a wrong answer");
        }
        round_done();
        start.elapsed().as_secs_f64()
    };
    let mut ratios = Vec::new();
    for _ in 0..20 {
        let none = measure();
        let (begun, begin) = mpsc::channel();
        let release: Vec<_> = (0..BLOCKED)
            .map(|_| {
                let (release, wait) = mpsc::channel::<()>();
                let begun = begun.clone();
                drop(pool.spawn(move || {
                    let wait = || begun.send(()).is_ok() && wait.recv().is_ok();
                    if announced { blocking(wait) } else { wait() }
                }));
                release
            })
            .collect();
        (0..BLOCKED).for_each(|_| check(begin.recv().is_ok(), "a task has ended"));
        if !announced {
            // Until it has been noticed.
            measure();
        }
        ratios.push(none / measure());
        drop(release);
        while pool.stats().blocked > 0 {
            thread::yield_now();
        }
    }
    let (ratio, how) = (median(ratios), if announced { "" } else { ", silently" });
    println!("throughput with 3 of 4 blocked{how}: {ratio:.2} of that with none (bar: 0.90)");
    check(
        cfg!(drumline_sanitizer) || ratio > 0.5,
        "blocked threads are not replaced",
    );
}

/// Joins, scopes and tasks that never block.
fn computing(run: &Run, jobs: usize, until: f64) {
    let (start, rounds) = (Instant::now(), AtomicU64::new(0));
    let pool = pool(jobs);
    let mut threads = 0;
    while run.has_used() < until || rounds.load(Ordering::Relaxed) == 0 {
        check(pool.install(|| fib(22)) == 17_711, "a wrong answer");
        pool.install(|| unbalanced(rounds.load(Ordering::Relaxed), 14));
        let sum = AtomicU64::new(0);
        pool.scope(|scope| {
            for _ in 0..200 {
                scope.spawn(|_| _ = sum.fetch_add(fib(12), Ordering::Relaxed));
            }
        });
        check(sum.into_inner() == 200 * 144, "a wrong answer");
        let tasks: Vec<_> = (0..200).map(|_| pool.spawn(|| fib(12))).collect();
        let right = |task: drumline::JoinHandle<u64>| task.join().is_ok_and(|sum| sum == 144);
        check(tasks.into_iter().all(right), "a wrong answer");
        threads = threads.max(pool.stats().threads);
        rounds.fetch_add(1, Ordering::Relaxed);
        round_done();
    }
    let spares = pool.stats().spares;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{seconds:.1} s of computing with {jobs} jobs: {spares} spares (bar: 0), {threads} threads at \
         most"
    );
}

fn plain(n: u64) -> u64 {
    if n < 2 {
        n
    } else {
        plain(n - 1) + plain(n - 2)
    }
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = drumline::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// An unbalanced tree in the way of the UTS benchmark (Olivier et al. 2006).
fn unbalanced(seed: u64, depth: u32) -> u64 {
    let mut random = Random::new(seed);
    let children = if depth == 0 { 0 } else { random.below(5) };
    fn fork(seed: u64, children: u64, depth: u32) -> u64 {
        match children {
            0 => 0,
            1 => unbalanced(seed, depth),
            _ => {
                let half = children / 2;
                let other = seed.rotate_left(17) ^ children;
                let (a, b) = drumline::join(
                    || fork(seed, half, depth),
                    || fork(other, children - half, depth),
                );
                a + b
            }
        }
    }
    1 + fork(random.number(), children, depth.saturating_sub(1))
}
