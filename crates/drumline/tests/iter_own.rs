//! What parallel iterators can do here and nowhere else: state per thread, cancellation, progress,
//! a limit per loop, reproducible reductions, and loops in which nothing hides.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;

use drumline::Pool;
use drumline::prelude::*;
use drumline::{CancellationToken, Progress};

fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().unwrap()
}

/// Numbers from 0.
fn numbers(len: usize) -> Vec<usize> {
    (0..len).collect()
}

/// Something to do that the compiler does not see through.
fn work(units: usize) {
    for unit in 0..units * 50 {
        std::hint::black_box(unit);
    }
}

#[test]
fn two_items_run_at_once() {
    let both = Barrier::new(2);
    pool(2).install(|| {
        [0, 1].par_iter().for_each(|_| {
            both.wait();
        });
    });
}

#[test]
fn the_last_item_does_not_wait_for_those_before_it() {
    // Item 0 ends only when the last one has begun, and the last one is in the half that is taken.
    let both = Barrier::new(2);
    let items = numbers(10_000);
    pool(2).install(|| {
        items.par_iter().for_each(|&item| {
            if item == 0 || item == 9_999 {
                both.wait();
            }
        });
    });
}

/// The first item of many loops is the shortest, as in a triangle. What it takes says little of the
/// others: in each of these loops an item in the middle ends only when the last one has begun.
#[test]
fn a_short_first_item_hides_no_long_ones() {
    let both = Barrier::new(2);
    // Relaxed: written between two loops, which publish it; here, and below.
    let is_meeting = AtomicUsize::new(0);
    let items = numbers(20);
    let drive = || {
        items.par_iter().for_each(|&item| {
            if item > 0 && is_meeting.load(Ordering::Relaxed) == 0 {
                work(2_000);
            } else if is_meeting.load(Ordering::Relaxed) == 1 && (item == 6 || item == 19) {
                both.wait();
            }
        });
    };
    pool(2).install(|| {
        for _ in 0..100 {
            is_meeting.store(0, Ordering::Relaxed);
            let (begin, end) = (Barrier::new(2), Barrier::new(2));
            drumline::scope(|scope| {
                // No thread helps the first time.
                scope.spawn(|_| {
                    begin.wait();
                    end.wait();
                });
                begin.wait();
                drive();
                end.wait();
                is_meeting.store(1, Ordering::Relaxed);
                drive();
            });
        }
    });
}

/// However often a loop over a few items was short, they are all on offer the next time.
#[test]
fn a_few_long_items_after_short_ones_run_at_once() {
    let both = Barrier::new(2);
    // Relaxed: written between two loops, which publish it; here, and below.
    let is_meeting = AtomicUsize::new(0);
    let items = numbers(3);
    let drive = || {
        items.par_iter().for_each(|&item| {
            if item > 0 && is_meeting.load(Ordering::Relaxed) == 1 {
                both.wait();
            }
        });
    };
    pool(2).install(|| {
        for round in 0..200 {
            is_meeting.store(0, Ordering::Relaxed);
            for _ in 0..round {
                drive();
            }
            is_meeting.store(1, Ordering::Relaxed);
            drive();
        }
    });
}

#[test]
fn a_state_per_thread_and_no_more() {
    for jobs in [1, 2, 4, 8] {
        let pool = pool(jobs);
        let items = numbers(4_000);
        for _ in 0..20 {
            let made = AtomicUsize::new(0);
            let threads = Mutex::new(HashSet::new());
            let sum: usize = pool.install(|| {
                items
                    .par_iter()
                    .map_worker(
                        || made.fetch_add(1, Ordering::Relaxed),
                        |_, &item| {
                            threads.lock().unwrap().insert(thread::current().id());
                            work(1);
                            item
                        },
                    )
                    .sum()
            });
            assert_eq!(sum, 4_000 * 3_999 / 2);
            let (made, threads) = (made.into_inner(), threads.into_inner().unwrap().len());
            assert!(made <= threads, "{made} states for {threads} threads");
        }
    }
}

#[test]
fn one_state_where_nobody_helps() {
    let pool = pool(1);
    for len in [0, 1, 2, 3, 100, 4_000] {
        let items = numbers(len);
        for units in [0, 1, 20] {
            let made = AtomicUsize::new(0);
            let seen = AtomicUsize::new(0);
            let init = || made.fetch_add(1, Ordering::Relaxed);
            let op = |_: &mut usize, _| {
                seen.fetch_add(1, Ordering::Relaxed);
                work(units);
            };
            pool.install(|| items.par_iter().for_each_init(init, op));
            assert_eq!(seen.into_inner(), len);
            assert_eq!(made.into_inner(), 1, "{len} items");
        }
    }
}

#[test]
fn a_state_is_used_by_one_thread_at_a_time() {
    let pool = pool(4);
    let items = numbers(2_000);
    pool.install(|| {
        items.par_iter().for_each_worker(
            || AtomicUsize::new(0),
            |state, _| {
                assert_eq!(state.fetch_add(1, Ordering::Relaxed), 0);
                work(1);
                assert_eq!(state.fetch_sub(1, Ordering::Relaxed), 1);
            },
        );
    });
}

#[test]
fn nothing_is_begun_after_the_cancellation() {
    for jobs in [1, 2, 4] {
        let token = CancellationToken::new();
        let begun_after = AtomicUsize::new(0);
        let items = numbers(100_000);
        let seen: usize = pool(jobs).install(|| {
            items
                .par_iter()
                .cancel_on(&token)
                .map(|&item| {
                    if token.is_cancelled() {
                        begun_after.fetch_add(1, Ordering::Relaxed);
                    }
                    if item == 1_000 {
                        token.cancel();
                    }
                    1
                })
                .sum()
        });
        assert!(token.is_cancelled());
        assert!(seen <= 100_000);
        // Another thread may have been between its look and its item.
        assert!(begun_after.into_inner() < jobs);
    }
}

#[test]
fn alone_the_cancellation_is_exact() {
    let token = CancellationToken::new();
    let items = numbers(10_000);
    let seen: usize = pool(1).install(|| {
        let counted = items.par_iter().cancel_on(&token).map(|&item| {
            if item == 700 {
                token.cancel();
            }
            item
        });
        counted.map(|_| 1).sum()
    });
    assert_eq!(seen, 701);
}

#[test]
fn progress_counts_what_is_done() {
    for jobs in [1, 2, 4] {
        let progress = Progress::new();
        let items = numbers(5_000);
        let seen = AtomicUsize::new(0);
        pool(jobs).install(|| {
            items.par_iter().progress(&progress).for_each(|_| {
                // This item is not done yet.
                assert!(progress.finished() < 5_000);
                seen.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(progress.finished(), 5_000);
        assert_eq!(seen.into_inner(), 5_000);
    }
}

/// Calls what `drive` is given for each item, and asserts that there are no more than `jobs` such
/// calls at once.
fn no_more_than(jobs: usize, items: usize, drive: impl FnOnce(&(dyn Fn() + Sync))) {
    let inside = AtomicUsize::new(0);
    let seen = AtomicUsize::new(0);
    drive(&|| {
        let others = inside.fetch_add(1, Ordering::SeqCst);
        assert!(
            others < jobs,
            "{} at once, where {jobs} are allowed",
            others + 1
        );
        work(2);
        inside.fetch_sub(1, Ordering::SeqCst);
        seen.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(seen.into_inner(), items);
}

#[test]
fn a_limit_holds() {
    let pool = pool(4);
    let items = numbers(3_000);
    for jobs in 1..=4 {
        no_more_than(jobs, 3_000, |call| {
            pool.install(|| {
                items
                    .par_iter()
                    .map(|_| call())
                    .jobs(jobs)
                    .for_each(|()| ())
            });
        });
    }
}

#[test]
fn a_limit_holds_in_each_of_several_loops() {
    let pool = pool(4);
    let items = numbers(2_000);
    for jobs in 1..=2 {
        no_more_than(jobs, 2_000, |call| {
            let blocks = items.par_iter().by_uniform_blocks(100);
            pool.install(|| blocks.jobs(jobs).for_each(|_| call()));
        });
        no_more_than(jobs, 2_000, |call| {
            let blocks = items.par_iter().jobs(jobs).by_exponential_blocks();
            pool.install(|| blocks.for_each(|_| call()));
        });
        no_more_than(jobs, 4_000, |call| {
            let both = items.par_iter().filter(|_| true).chain(&items);
            pool.install(|| both.jobs(jobs).for_each(|_| call()));
        });
    }
}

#[test]
fn a_limit_holds_where_the_caller_takes_no_part() {
    let global = Pool::builder().jobs(4).guests(false);
    global
        .build_global()
        .expect("no other test here uses the global pool");
    let items = numbers(2_000);
    let both = || items.par_iter().chain(&items);
    no_more_than(1, 4_000, |call| both().jobs(1).for_each(|_| call()));
    no_more_than(1, 4_000, |call| {
        let blocks = both().by_uniform_blocks(100);
        blocks.jobs(1).for_each(|_| call());
    });
}

#[test]
fn a_limit_is_used() {
    let both = Barrier::new(2);
    let items = numbers(2);
    pool(4).install(|| {
        let met = items.par_iter().map(|_| both.wait().is_leader());
        met.jobs(2).for_each(|_| ());
    });
}

#[test]
fn a_limit_is_not_for_the_loops_in_the_loop() {
    let both = Barrier::new(2);
    let two = [0, 1];
    // A loop of one item is none, and has inner ones as well.
    for outer in [&two[..1], &two] {
        pool(2).install(|| {
            outer.par_iter().jobs(1).for_each(|_| {
                two.par_iter().for_each(|_| {
                    both.wait();
                });
            });
            let inner = outer
                .par_iter()
                .flat_map(|_| two.par_iter().map(|_| both.wait()));
            inner.jobs(1).for_each(|_| ());
        });
    }
}

#[test]
#[should_panic(expected = "jobs(0)")]
fn no_jobs_is_an_error() {
    let sum: usize = [1usize].par_iter().jobs(0).sum();
    assert_eq!(sum, 1);
}

#[test]
fn a_fixed_sum_is_the_same_however_many_help() {
    for len in [0, 1, 2, 3, 7, 100, 1_000, 40_001] {
        let terms: Vec<f64> = (0..len)
            .map(|n| 1.0 / (f64::from(n) + 0.7).powi(3))
            .collect();
        let alone: f64 = pool(1).install(|| terms.par_iter().sum_fixed());
        for jobs in [2, 3, 8] {
            let pool = pool(jobs);
            for _ in 0..10 {
                let helped: f64 = pool.install(|| {
                    let slow = terms.par_iter().map(|&term| {
                        work(usize::from(len < 2_000));
                        term
                    });
                    slow.sum_fixed()
                });
                assert_eq!(
                    alone.to_bits(),
                    helped.to_bits(),
                    "{len} terms, {jobs} jobs"
                );
            }
        }
    }
}

#[test]
fn a_panic_comes_out_with_its_payload() {
    for jobs in [1, 2, 4] {
        let pool = pool(jobs);
        let items = numbers(1_000);
        for at in [0, 1, 499, 500, 999] {
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                pool.install(|| {
                    items.par_iter().for_each(|&item| {
                        if item == at {
                            std::panic::panic_any(at);
                        }
                    });
                });
            }));
            assert_eq!(*caught.unwrap_err().downcast::<usize>().unwrap(), at);
        }
    }
}
