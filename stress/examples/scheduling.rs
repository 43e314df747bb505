//! Small programs of items that sleep, and what a pool counts while it runs them: what `cargo xtask
//! simulate --validate` compares its predictions with.
//!
//! `scheduling ramp JOBS`: a loop of this many items, each of which sleeps for 60 milliseconds.
//! `scheduling items JOBS`: a loop of 2,000 items of half a millisecond each. Items that sleep need
//! no processor, so it does not matter how many there are. The pool makes no spares, and takes the
//! caller as a guest. Each line of the output is a name and the medians of several rounds: counts,
//! and times in microseconds. `sleep-latency` is by how much longer than they were meant to the
//! items slept: where threads have to wait for processors it is no longer small.

use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use drumline::prelude::*;
use drumline::{Pool, Stats};

const ROUNDS: usize = 7;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [program, jobs] = &words[..] else {
        return usage();
    };
    let Ok(jobs) = jobs.parse() else {
        return usage();
    };
    let (items, item) = match program.as_str() {
        "ramp" => (jobs, Duration::from_millis(60)),
        "items" => (2_000, Duration::from_micros(500)),
        _ => return usage(),
    };
    let mut figures: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        // A new one each time: thieves remember how it was with a victim.
        let pool = match Pool::builder().jobs(jobs).spares(false).build() {
            Ok(pool) => pool,
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        };
        for (name, figure) in round(&pool, items, item) {
            figures.entry(name).or_default().push(figure);
        }
    }
    for (name, mut values) in figures {
        values.sort_unstable();
        println!("{name} {}", values[values.len() / 2]);
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: scheduling ramp|items JOBS");
    ExitCode::FAILURE
}

/// Runs the loop once in a pool that is at rest.
fn round(pool: &Pool, items: usize, item: Duration) -> Vec<(String, u64)> {
    let before = at_rest(pool);
    let started = Mutex::new(HashMap::new());
    // How much longer all items slept than they were meant to, in microseconds.
    let late = AtomicU64::new(0);
    let start = Instant::now();
    pool.install(|| {
        (0..items).into_par_iter().for_each(|_| {
            let now = start.elapsed();
            started
                .lock()
                .expect("no item panics")
                .entry(thread::current().id())
                .or_insert(now);
            thread::sleep(item);
            late.fetch_add(micros(start.elapsed() - now - item), Ordering::Relaxed);
        });
    });
    let time = start.elapsed();
    let after = at_rest(pool);
    let mut figures = counts(&before, &after);
    figures.push(("time".to_owned(), micros(time)));
    let late = late.into_inner() / items as u64;
    figures.push(("sleep-latency".to_owned(), late));
    let mut firsts: Vec<Duration> = started
        .into_inner()
        .expect("no item panics")
        .into_values()
        .collect();
    firsts.sort_unstable();
    figures.push(("threads".to_owned(), firsts.len() as u64));
    for count in [2, 8, 16, 32, 64] {
        if let Some(&first) = firsts.get(count - 1) {
            figures.push((format!("ramp-{count}"), micros(first)));
        }
    }
    figures
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Waits until all workers sleep.
fn at_rest(pool: &Pool) -> Stats {
    loop {
        let stats = pool.stats();
        if stats.parks == stats.wakes + stats.jobs as u64 {
            return stats;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn counts(before: &Stats, after: &Stats) -> Vec<(String, u64)> {
    [
        ("calls", before.calls, after.calls),
        ("marks", before.marks, after.marks),
        ("barriers", before.barriers, after.barriers),
        ("ready", before.claims_ready, after.claims_ready),
        ("asked", before.claims_asked, after.claims_asked),
        ("forced", before.claims_forced, after.claims_forced),
        ("missed", before.claims_missed, after.claims_missed),
        ("busy", before.claims_busy, after.claims_busy),
        ("returned", before.claims_returned, after.claims_returned),
        ("steals", before.steals, after.steals),
        ("parks", before.parks, after.parks),
        ("naps", before.naps, after.naps),
        ("late", before.late_naps, after.late_naps),
        ("idle", before.idle_set_locks, after.idle_set_locks),
        ("thief", before.thief_locks, after.thief_locks),
        ("owner", before.owner_locks, after.owner_locks),
        ("depth", 0, after.call_depth as u64),
    ]
    .map(|(name, before, after)| (name.to_owned(), after - before))
    .into()
}
