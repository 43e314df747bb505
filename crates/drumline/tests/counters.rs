//! What a pool counts of its scheduling: calls, marks, barriers, claims, locks, naps.

mod common;

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use common::Event;
use drumline::prelude::*;
use drumline::{Pool, Stats};

/// A pool of threads that all sleep, with what it has counted so far.
fn asleep(jobs: usize, guests: bool) -> (Pool, Stats) {
    let pool = common::without_spares(jobs, guests);
    let stats = at_rest(&pool);
    (pool, stats)
}

/// What a pool has counted when all its workers sleep.
fn at_rest(pool: &Pool) -> Stats {
    let sleep = |stats: &Stats| stats.parks == stats.wakes + stats.jobs as u64;
    common::eventually("all workers sleep", || sleep(&pool.stats()));
    pool.stats()
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = drumline::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

#[test]
fn one_job_claims_nothing_and_runs_no_barrier() {
    let (pool, before) = asleep(1, true);
    pool.install(|| {
        assert_eq!(fib(16), 987);
        assert_eq!((0..1_000_u64).into_par_iter().sum::<u64>(), 499_500);
    });
    let stats = at_rest(&pool);
    let claims = stats.claims_ready + stats.claims_asked + stats.claims_forced;
    assert_eq!(claims + stats.claims_missed + stats.claims_returned, 0);
    assert_eq!((stats.barriers, stats.marks), (0, 0));
    assert_eq!((stats.calls, stats.call_depth), (0, 0));
    assert_eq!((stats.thief_locks, stats.owner_locks), (0, 0));
    assert_eq!((stats.naps, stats.late_naps), (0, 0));
    assert_eq!(stats.longest_silence, Duration::ZERO);
    assert_eq!(
        stats.idle_set_locks - before.idle_set_locks,
        2,
        "in and out"
    );
}

#[test]
fn a_stolen_half_is_one_claim() {
    let (pool, before) = asleep(2, true);
    assert_eq!(before.calls, 0);
    let begun = Event::new();
    let silence = Duration::from_millis(2);
    pool.join(
        || {
            begun.wait();
            thread::sleep(silence);
        },
        || begun.set(),
    );
    let stats = at_rest(&pool);
    assert_eq!(stats.steals, 1);
    // The push that wakes the thief exposes the half, unless the worker was awake.
    let claims = stats.claims_ready + stats.claims_asked + stats.claims_forced;
    assert_eq!((claims, stats.claims_returned), (1, 0), "{stats}");
    assert!(stats.barriers >= stats.claims_forced);
    assert!(stats.calls >= 1);
    assert_eq!(stats.call_depth, 1);
    assert!(stats.thief_locks >= 1);
    assert!(stats.owner_locks >= 1, "it asks what became of its half");
    if stats.claims_forced == 1 {
        assert!(stats.longest_silence >= silence, "{stats}");
    }
}

#[test]
fn leaves_that_meet_take_a_call_for_each_worker() {
    for guests in [false, true] {
        let (pool, before) = asleep(8, guests);
        let meeting = Barrier::new(8);
        pool.install(|| {
            (0..8).into_par_iter().for_each(|_| {
                meeting.wait();
            });
        });
        let stats = at_rest(&pool);
        assert!(stats.calls - before.calls >= 7, "{stats}");
        assert!((1..=8).contains(&stats.call_depth), "{stats}");
        assert!(stats.barriers > before.barriers, "{stats}");
        // The first leaf that is taken is a claim; the others are invitations to the loop.
        let taken = stats.claims_ready + stats.claims_asked + stats.claims_forced;
        assert!(taken >= 1 && stats.steals >= 7, "{stats}");
    }
}

#[test]
fn every_claim_is_run_or_returned() {
    let pool = common::without_spares(4, true);
    for _ in 0..20 {
        pool.install(|| assert_eq!(fib(18), 2584));
    }
    let stats = at_rest(&pool);
    let taken = stats.claims_ready + stats.claims_asked + stats.claims_forced;
    assert_eq!(taken, stats.steals + stats.claims_returned, "{stats}");
    assert!(stats.thief_locks >= taken + stats.claims_missed, "{stats}");
    assert!(stats.late_naps <= stats.naps);
}

#[test]
fn a_job_from_outside_is_pushed_without_a_lock() {
    let (pool, before) = asleep(1, false);
    for _ in 0..10 {
        pool.spawn(|| ()).join().unwrap();
    }
    let stats = at_rest(&pool);
    // One lock for each that is taken. A worker that looks and comes too late takes one, too.
    let locks = stats.queue_locks - before.queue_locks;
    assert!((10..20).contains(&locks), "{stats}");
    assert!(stats.calls - before.calls >= 1);
}

#[test]
fn a_job_of_a_worker_takes_its_queue_twice() {
    let (pool, before) = asleep(1, false);
    pool.install(|| {
        for _ in 0..10 {
            drumline::spawn(|| ()).join().unwrap();
        }
    });
    let stats = at_rest(&pool);
    assert!(stats.queue_locks - before.queue_locks >= 20, "{stats}");
}

#[test]
fn a_thread_that_waits_does_not_nap_beside_a_job() {
    let (pool, _) = asleep(2, true);
    let begun = Event::new();
    pool.join(
        || begun.wait(),
        || {
            // The thread that waits for this half may not run the job, and gives up the other
            // place.
            let job = drumline::spawn(|| ());
            begun.set();
            common::eventually("another thread has run the job", || job.is_finished());
            job.join().unwrap();
        },
    );
    let stats = pool.stats();
    assert_eq!(stats.late_naps, 0, "{stats}");
}

#[test]
fn the_figures_can_be_read() {
    let (pool, _) = asleep(1, true);
    let text = pool.stats().to_string();
    for figure in ["calls 0 (0 deep)", "marks 0", "forced 0", "naps 0 (0 late)"] {
        assert!(text.contains(figure), "{text}");
    }
}
