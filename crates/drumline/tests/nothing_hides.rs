//! `b` can be taken by an idle thread while `a` runs, whatever `a` does.

mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use common::{
    Event, MIB, meet, meet_spinning, pool, pools_with_helpers, spin_until, with_stack,
    without_spares,
};
use drumline::prelude::*;
use drumline::{Pool, join};

fn deep_left(depth: usize, f: impl FnOnce() + Send) {
    if depth == 0 {
        f();
    } else {
        join(
            || deep_left(depth - 1, Box::new(f) as Box<dyn FnOnce() + Send>),
            || (),
        );
    }
}

fn deep_right(depth: usize, f: impl FnOnce() + Send) {
    if depth == 0 {
        f();
    } else {
        join(
            || (),
            || deep_right(depth - 1, Box::new(f) as Box<dyn FnOnce() + Send>),
        );
    }
}

#[test]
fn b_runs_while_a_waits_for_it() {
    for (name, pool) in pools_with_helpers() {
        eprintln!("{name}");
        pool.install(meet);
        pool.install(meet_spinning);
        for _ in 0..200 {
            pool.install(meet);
        }
    }
}

#[test]
fn b_runs_while_a_waits_ten_joins_deep() {
    for (name, pool) in pools_with_helpers() {
        for depth in [1, 2, 10, 40] {
            eprintln!("{name}, {depth} deep");
            pool.install(|| deep_left(depth, meet));
            pool.install(|| deep_right(depth, meet));
            pool.install(|| deep_left(depth, || deep_right(depth, meet)));
            pool.install(|| deep_right(depth, || deep_left(depth, meet_spinning)));
        }
    }
}

#[test]
fn b_runs_while_a_waits_under_20_000_pending_joins() {
    let ran = AtomicUsize::new(0);
    fn pending(depth: usize, ran: &AtomicUsize) {
        if depth == 0 {
            meet();
        } else {
            join(
                || pending(depth - 1, ran),
                || ran.fetch_add(1, Ordering::Relaxed),
            );
        }
    }
    for jobs in [2, 64] {
        let guests = pool(jobs);
        with_stack(512 * MIB, || guests.install(|| pending(20_000, &ran)));
        assert_eq!(ran.swap(0, Ordering::Relaxed), 20_000, "jobs {jobs}");
        let own = Pool::builder().jobs(jobs).stack_size(512 * MIB);
        let own = own.build().unwrap();
        own.install(|| pending(20_000, &ran));
        assert_eq!(ran.swap(0, Ordering::Relaxed), 20_000, "jobs {jobs}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn b_runs_while_a_waits_after_the_pool_fell_asleep() {
    use common::threads::wait_until_asleep;
    use std::time::Duration;

    for (jobs, name) in [(2, "sleepy-2-"), (5, "sleepy-5-")] {
        for guests in [true, false] {
            let pool = Pool::builder().jobs(jobs).guests(guests);
            let pool = pool.thread_name(move |index| format!("{name}{index}"));
            let pool = pool.build().unwrap();
            for _ in 0..5 {
                wait_until_asleep(name, jobs, Duration::from_millis(20));
                pool.install(meet);
                wait_until_asleep(name, jobs, Duration::from_millis(20));
                pool.install(|| deep_left(10, meet_spinning));
            }
            if guests {
                // It also falls asleep around a guest that has nothing for it.
                pool.install(|| {
                    wait_until_asleep(name, jobs, Duration::from_millis(20));
                    meet();
                    wait_until_asleep(name, jobs, Duration::from_millis(20));
                    meet_spinning();
                });
            }
            pool.shutdown().unwrap();
        }
    }
}

#[test]
fn work_forked_by_a_stolen_half_is_seen_too() {
    // The half that is taken forks in its turn, and its first half waits for its second, on the
    // thread that waits for the whole (or on a third).
    for (_, pool) in pools_with_helpers() {
        for _ in 0..20 {
            pool.install(|| {
                let taken = Event::new();
                join(
                    || taken.wait(),
                    || {
                        taken.set();
                        meet();
                    },
                );
            });
        }
    }
}

/// The only job of the pool waits for its second half, and does no more than to yield.
#[test]
fn b_runs_while_a_yields_in_a_pool_with_one_job() {
    common::ends(|| {
        for guests in [true, false] {
            let pool = Pool::builder().jobs(1).guests(guests).build().unwrap();
            for (depth, blocks) in [(0, 0), (10, 0), (0, 3), (10, 3)] {
                let is_set = AtomicBool::new(false);
                pool.install(|| {
                    // So short that the pool expects the next one to be so, too.
                    (0..blocks).for_each(|_| drumline::blocking(|| ()));
                    deep_left(depth, || {
                        join(
                            || {
                                while !is_set.load(Ordering::Acquire) {
                                    drumline::yield_now();
                                }
                            },
                            || is_set.store(true, Ordering::Release),
                        );
                    });
                });
            }
        }
    });
}

/// The same, where the first half yields in another pool.
#[test]
fn b_runs_while_a_yields_in_another_pool() {
    common::ends(|| {
        let pools = [(); 2].map(|()| Pool::builder().jobs(1).build().unwrap());
        let is_set = AtomicBool::new(false);
        pools[0].install(|| {
            join(
                || {
                    pools[1].install(|| {
                        while !is_set.load(Ordering::Acquire) {
                            drumline::yield_now();
                        }
                    });
                },
                || is_set.store(true, Ordering::Release),
            );
        });
    });
}

/// The other worker is busy until the loop is near its end. Each item takes longer than a chunk
/// should.
#[test]
fn the_end_of_a_loop_of_long_items_is_on_offer() {
    const ITEMS: usize = 1_000;
    let pool = without_spares(2, false);
    let is_helped = AtomicBool::new(false);
    let (begun, free) = (Arc::new(Event::new()), Arc::new(Event::new()));
    let (begins, freed) = (Arc::clone(&begun), Arc::clone(&free));
    let busy = pool.spawn(move || {
        begins.set();
        freed.wait();
    });
    begun.wait();
    pool.install(|| {
        // What asked for work before has been answered.
        for _ in 0..10 {
            (0..ITEMS).into_par_iter().for_each(drop);
        }
        let own = thread::current().id();
        (0..ITEMS).into_par_iter().for_each(|item| {
            let start = Instant::now();
            while start.elapsed() < Duration::from_micros(20) {
                std::hint::spin_loop();
            }
            if thread::current().id() != own {
                is_helped.store(true, Ordering::Release);
            } else if item == ITEMS - 30 {
                free.set();
            } else if item > ITEMS - 30 {
                spin_until(&is_helped);
            }
        });
    });
    busy.join().unwrap();
    assert!(is_helped.into_inner());
}

#[test]
fn a_waiting_thread_helps_only_with_what_it_waits_for() {
    // `waiter` waits for a half that a worker runs, until unrelated work has been done. Another
    // worker must do that, in the place that the waiter gave up.
    let pool = pool(3);
    for _ in 0..50 {
        let (taken, unrelated_done) = (Event::new(), Event::new());
        let by = Mutex::new(None);
        thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                pool.install(|| {
                    join(
                        || taken.wait(),
                        || {
                            taken.set();
                            unrelated_done.wait();
                        },
                    )
                });
            });
            taken.wait();
            let ran = Event::new();
            pool.install(|| {
                join(
                    || ran.wait(),
                    || {
                        *by.lock().unwrap() = Some(thread::current().id());
                        ran.set();
                    },
                )
            });
            assert_ne!(*by.lock().unwrap(), Some(waiter.thread().id()));
            unrelated_done.set();
        });
    }
}
