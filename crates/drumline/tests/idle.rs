//! Idle is free: no thread of a pool that has nothing to do wakes up, and no pool has more
//! threads than it needs.
#![cfg(target_os = "linux")]

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use common::{fib, meet, threads};
use drumline::{Pool, join};

/// Long enough for any timer that a runtime might leave ticking; nothing is asserted about how
/// long it takes until such a window comes.
const WINDOW: Duration = Duration::from_millis(200);

/// The tests look at the threads of the whole process, so they take turns.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn named(name: &'static str, jobs: usize, guests: bool) -> Pool {
    let pool = Pool::builder().jobs(jobs).guests(guests);
    pool.thread_name(move |index| format!("{name}{index}"))
        .build()
        .unwrap()
}

#[test]
fn after_use_every_thread_sleeps_for_good() {
    let _alone = alone();
    for (jobs, name) in [(1, "idle-1-"), (2, "idle-2-"), (8, "idle-8-")] {
        for guests in [true, false] {
            let pool = named(name, jobs, guests);
            threads::wait_until_asleep(name, jobs, WINDOW);
            assert_eq!(pool.install(|| fib(20)), 6765);
            threads::wait_until_asleep(name, jobs, WINDOW);
            if jobs > 1 {
                for _ in 0..10 {
                    pool.install(meet);
                }
                threads::wait_until_asleep(name, jobs, WINDOW);
            }
            pool.shutdown().unwrap();
        }
    }
}

#[test]
fn around_a_guest_that_forks_nothing_every_thread_sleeps() {
    let _alone = alone();
    let name = "around-";
    let pool = named(name, 3, true);
    pool.install(|| {
        meet();
        threads::wait_until_asleep(name, 3, WINDOW);
        // Also where something is pending that one thread has begun.
        join(
            || threads::wait_until_asleep(name, 3, WINDOW),
            || thread::current().id(),
        );
        meet();
    });
}

#[test]
fn threads_that_wait_for_one_long_half_sleep() {
    let _alone = alone();
    let name = "waiting-";
    let pool = named(name, 2, true);
    let (taken, asleep) = (common::Event::new(), common::Event::new());
    pool.install(|| {
        join(
            || taken.wait(),
            || {
                taken.set();
                // This thread looks, the other of the pool and the guest sleep.
                common::eventually("the others sleep", || {
                    let before = threads::named("");
                    thread::sleep(WINDOW);
                    let now = threads::named("");
                    let me = this_thread();
                    let quiet = now.iter().zip(&before).filter(|(now, before)| {
                        now.id == me || (now.state == 'S' && now == before)
                    });
                    now.len() == before.len() && quiet.count() == now.len()
                });
                asleep.set();
            },
        )
    });
    assert!(asleep.is_set());
}

/// The number of this thread, as the system knows it.
fn this_thread() -> String {
    let path = std::fs::read_link("/proc/thread-self").unwrap();
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_pool_of_16_has_no_more_than_20_threads() {
    let _alone = alone();
    let others = threads::count();
    let pool = named("peak-", 16, true);
    let stop = AtomicBool::new(false);
    let peak = thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut peak = threads::count();
            while !stop.load(Ordering::Relaxed) {
                peak = peak.max(threads::count());
                thread::yield_now();
            }
            peak
        });
        for seed in 0..20 {
            pool.install(|| unbalanced(seed, 12));
        }
        stop.store(true, Ordering::Relaxed);
        watch.join().unwrap()
    });
    // 16 workers and the thread that watches; test threads may have begun besides.
    assert!(
        peak <= others + 20,
        "{peak} threads, {others} of them others"
    );
}

/// An unbalanced tree in the way of the UTS benchmark (Olivier et al. 2006).
fn unbalanced(seed: u64, depth: u32) -> u64 {
    let mut random = common::Random::new(seed);
    let children = if depth == 0 { 0 } else { random.below(5) };
    fn fork(seed: u64, children: u64, depth: u32) -> u64 {
        match children {
            0 => 0,
            1 => unbalanced(seed, depth),
            _ => {
                let half = children / 2;
                let other = seed.rotate_left(17) ^ children;
                let (a, b) = join(
                    || fork(seed, half, depth),
                    || fork(other, children - half, depth),
                );
                a + b
            }
        }
    }
    1 + fork(random.number(), children, depth.saturating_sub(1))
}
