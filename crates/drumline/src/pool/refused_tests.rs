//! The key promises once more, while the system refuses the asymmetric barrier: deques behind a
//! trampoline, and owners that run fences.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{Pool, PoolBuilder};
use crate::join;

/// Only ends tests that would hang.
const FOREVER: Duration = Duration::from_secs(600);

fn refused(jobs: usize) -> PoolBuilder {
    Pool::builder().jobs(jobs).refuse_barrier()
}

fn pools() -> Vec<Pool> {
    let pool = |jobs, guests| refused(jobs).guests(guests).build().unwrap();
    vec![pool(2, true), pool(2, false), pool(3, true), pool(64, true)]
}

fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// A first half that does not come back before the second has run.
fn meet() {
    let met = AtomicBool::new(false);
    let start = Instant::now();
    join(
        || {
            while !met.load(Ordering::Acquire) {
                assert!(start.elapsed() < FOREVER, "the second half never ran");
                thread::yield_now();
            }
        },
        || met.store(true, Ordering::Release),
    );
}

fn with_stack<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(2 << 30);
        thread.spawn_scoped(scope, f).unwrap().join().unwrap()
    })
}

#[test]
fn the_first_push_of_the_first_guest_is_noticed() {
    for _ in 0..300 {
        let pool = refused(2).build().unwrap();
        pool.install(meet);
    }
}

#[test]
fn pushes_are_noticed_whenever_they_come() {
    for pool in pools() {
        for pause in 0..300 {
            thread::sleep(Duration::from_micros(pause % 100));
            pool.install(meet);
            pool.install(|| {
                meet();
                join(|| (), meet);
                meet();
            });
        }
    }
}

#[test]
fn answers_are_right() {
    for pool in pools() {
        for _ in 0..20 {
            assert_eq!(pool.install(|| fib(16)), 987);
        }
    }
    assert_eq!(refused(1).build().unwrap().install(|| fib(16)), 987);
}

#[test]
fn random_trees_run_every_leaf_once() {
    fn node(seed: u64, leaves: &[AtomicUsize]) {
        match leaves {
            [] => {}
            [leaf] => {
                leaf.fetch_add(1, Ordering::Relaxed);
            }
            _ => {
                let seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                let at = 1 + (seed >> 33) as usize % (leaves.len() - 1);
                let (a, b) = leaves.split_at(at);
                join(|| node(seed, a), || node(!seed, b));
            }
        }
    }
    let leaves: Vec<AtomicUsize> = (0..1_000).map(|_| AtomicUsize::new(0)).collect();
    for pool in pools() {
        for seed in 0..50 {
            pool.install(|| node(seed, &leaves));
            for leaf in &leaves {
                assert_eq!(leaf.swap(0, Ordering::Relaxed), 1);
            }
        }
    }
}

#[test]
fn deeper_than_a_deque() {
    fn left(depth: usize, meetings: bool) -> usize {
        if depth == 0 {
            return 1;
        }
        if meetings && depth.is_multiple_of(997) {
            meet();
        }
        let (a, b) = join(|| left(depth - 1, meetings), || 1);
        a + b
    }
    for jobs in [1, 2, 4] {
        let pool = refused(jobs).stack_size(2 << 30).guests(true);
        let pool = pool.build().unwrap();
        with_stack(|| {
            assert_eq!(pool.install(|| left(60_000, jobs > 1)), 60_001);
            assert_eq!(pool.install(|| left(60_000, jobs > 1)), 60_001);
        });
    }
}

#[test]
fn panics_go_where_they_should() {
    for pool in pools() {
        for _ in 0..50 {
            let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                pool.install(|| {
                    join(
                        || {
                            meet();
                            std::panic::resume_unwind(Box::new(1_u32))
                        },
                        || std::panic::resume_unwind(Box::new(2_u32)),
                    )
                })
            }));
            let (payload, ()) = (payload.unwrap_err(), ());
            assert_eq!(*payload.downcast::<u32>().unwrap(), 1);
        }
        assert_eq!(pool.install(|| fib(10)), 55);
    }
}
