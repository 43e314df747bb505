//! What a pool counts while its threads steal from each other, for programs that compute.
//!
//! `stealing JOBS [ROUNDS]`: a line for each program with the median time of a round, and counts of
//! all rounds together. The last column is what the thieves' barriers are judged by: heavy barriers
//! for each half that was stolen, ready, asked or forced.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use drumline::prelude::*;
use drumline::{Pool, join};

const LEAF: Duration = Duration::from_micros(10);

fn main() -> ExitCode {
    let numbers: Result<Vec<usize>, _> =
        std::env::args().skip(1).map(|word| word.parse()).collect();
    let (jobs, rounds) = match numbers.as_deref() {
        Ok(&[jobs]) => (jobs, 10),
        Ok(&[jobs, rounds]) => (jobs, rounds.max(1)),
        _ => {
            eprintln!("usage: stealing JOBS [ROUNDS]");
            return ExitCode::FAILURE;
        }
    };
    println!(
        "{:8} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6}",
        "program",
        "time µs",
        "barriers",
        "ready",
        "asked",
        "forced",
        "missed",
        "back",
        "locks",
        "each"
    );
    let programs: [(&str, fn()); 8] = [
        ("uts", || _ = black_box(children(19, 0, 2_000))),
        ("loop", || (0..2_000).into_par_iter().for_each(|_| spin())),
        ("leaves", || leaves(2_000)),
        ("uneven", || _ = black_box(uneven(2_000))),
        ("fib", || _ = black_box(fib(30))),
        ("spine", || _ = black_box(spine(50_000))),
        ("joins", || {
            for _ in 0..200_000 {
                let _ = black_box(join(|| 1, || 2));
            }
        }),
        ("loops", || {
            for _ in 0..200 {
                let sum: u64 = (0..1_000_u64).into_par_iter().map(black_box).sum();
                black_box(sum);
            }
        }),
    ];
    for (name, program) in programs {
        let pool = match Pool::builder().jobs(jobs).build() {
            Ok(pool) => pool,
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        };
        report(&pool, name, program, rounds);
    }
    ExitCode::SUCCESS
}

fn report(pool: &Pool, name: &str, program: fn(), rounds: usize) {
    pool.install(program);
    let before = pool.stats();
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            pool.install(program);
            start.elapsed()
        })
        .collect();
    let after = pool.stats();
    times.sort_unstable();
    let barriers = after.barriers - before.barriers;
    let ready = after.claims_ready - before.claims_ready;
    let asked = after.claims_asked - before.claims_asked;
    let forced = after.claims_forced - before.claims_forced;
    let steals = (ready + asked + forced).max(1);
    println!(
        "{name:8} {:>9} {barriers:>8} {ready:>8} {asked:>8} {forced:>8} {:>8} {:>8} {:>8} {:>6.2}",
        times[rounds / 2].as_micros(),
        after.claims_missed - before.claims_missed,
        after.claims_returned - before.claims_returned,
        after.owner_locks - before.owner_locks,
        barriers as f64 / steals as f64,
    );
}

fn spin() {
    let start = Instant::now();
    while start.elapsed() < LEAF {
        std::hint::spin_loop();
    }
}

/// A balanced tree.
fn leaves(count: usize) {
    if count <= 1 {
        return spin();
    }
    let half = count / 2;
    join(|| leaves(half), || leaves(count - half));
}

/// A tree that divides at random.
fn uneven(count: usize) -> usize {
    if count <= 1 {
        spin();
        return count;
    }
    let at = 1 + mix(count as u64) as usize % (count - 1);
    let (a, b) = join(|| uneven(at), || uneven(count - at));
    a + b
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// Joins nested as deep as the program goes, the second half of each trivial.
fn spine(depth: usize) -> usize {
    if depth == 0 {
        return 0;
    }
    let (a, b) = join(|| spine(depth - 1), || black_box(1));
    a + b
}

/// The nodes of an unbalanced tree below the children `low..high` of `node`.
fn children(node: u64, low: u64, high: u64) -> u64 {
    if high - low == 1 {
        let child = mix(node.wrapping_add((low + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        // Eight children with a probability of nearly one eighth.
        return if child >> 33 < 268_000_000 {
            1 + children(child, 0, 8)
        } else {
            1
        };
    }
    let middle = low + (high - low) / 2;
    let (a, b) = join(
        || children(node, low, middle),
        || children(node, middle, high),
    );
    a + b
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
