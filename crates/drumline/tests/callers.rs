//! Calls from everywhere: from other pools, from many threads, from dying threads.

mod common;

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, mpsc};
use std::thread;

use common::{Event, ends, fib, pool, spin_until, without_guests};
use drumline::{Pool, join};

#[test]
fn from_pool_to_pool_and_back() {
    for (jobs_a, jobs_b) in [(1, 1), (2, 1), (2, 2), (8, 3)] {
        let (a, b) = (pool(jobs_a), pool(jobs_b));
        nested(&a, &b);
        // A thread that hands over waits without running anything. With one job each, the call
        // would find no thread to come back to.
        let (a, b) = (without_guests(jobs_a + 1), without_guests(jobs_b + 1));
        nested(&a, &b);
        nested(&pool(jobs_a), &b);
        nested(&a, &pool(jobs_b));
    }
}

fn nested(a: &Pool, b: &Pool) {
    for _ in 0..50 {
        let sum = a.install(|| {
            let (left, right) = join(
                || {
                    b.install(|| {
                        assert!(b.worker_index().is_some());
                        let inner = a.install(|| {
                            assert!(a.worker_index().is_some());
                            assert_eq!(drumline::worker_index(), a.worker_index());
                            join(|| fib(6), || fib(7))
                        });
                        assert_eq!(drumline::worker_index(), b.worker_index());
                        inner.0 + inner.1 + fib(8)
                    })
                },
                || fib(9),
            );
            assert_eq!(drumline::worker_index(), a.worker_index());
            left + right
        });
        assert_eq!(sum, 8 + 13 + 21 + 34);
    }
}

/// A thread that has come back to a pool, from another one, is still in that other one.
#[test]
fn a_call_back_does_not_hide_the_pool_in_between() {
    let pools: Vec<Pool> = (0..3).map(|_| pool(1)).collect();
    let [a, b, c] = &pools[..] else {
        unreachable!()
    };
    let is_in = |inside: &[&Pool]| {
        for pool in &pools {
            let is_inside = inside.iter().any(|other| std::ptr::eq(*other, pool));
            assert_eq!(pool.worker_index().is_some(), is_inside);
            assert_eq!(pool.yield_now().is_some(), is_inside);
        }
    };
    a.install(|| {
        b.install(|| {
            a.install(|| {
                is_in(&[a, b]);
                c.install(|| b.install(|| is_in(&[a, b, c])));
                assert_eq!(b.install(|| a.install(|| fib(10))), 55);
                is_in(&[a, b]);
            });
            is_in(&[a, b]);
            assert_eq!(fib(10), 55);
        });
        is_in(&[a]);
    });
    is_in(&[]);
}

/// A pool cannot wait for a thread to leave that has come to another one from it.
#[test]
fn a_pool_is_not_shut_down_from_a_call_back() {
    ends(|| {
        let (a, b) = (pool(1), Arc::new(pool(1)));
        // The worker is busy, so the task is run by the thread that joins it, as a guest.
        let (is_busy, go_on) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let (sets, waits) = (Arc::clone(&is_busy), Arc::clone(&go_on));
        let blocker = a.spawn(move || {
            sets.store(true, Ordering::Release);
            spin_until(&waits);
        });
        spin_until(&is_busy);
        let (send, receive) = mpsc::channel::<Pool>();
        let other = Arc::clone(&b);
        let task = a.spawn(move || {
            let pool = receive.recv().unwrap();
            other.install(|| pool.shutdown()).unwrap_err().into_pool()
        });
        send.send(a).unwrap();
        let a = b.install(|| task.join()).unwrap();
        go_on.store(true, Ordering::Release);
        blocker.join().unwrap();
        a.shutdown().unwrap();
    });
}

#[test]
fn a_call_to_another_pool_leaves_the_place_to_others() {
    // The first half blocks in a call to another pool, until the second has run.
    let (a, b) = (pool(2), without_guests(1));
    for _ in 0..100 {
        a.install(|| {
            let ran = Event::new();
            join(|| b.install(|| ran.wait()), || ran.set());
        });
    }
    // Also with one job: the caller waits elsewhere, so its place is free.
    let a = pool(1);
    for _ in 0..100 {
        a.install(|| {
            for _ in 0..3 {
                let ran = Event::new();
                join(|| b.install(|| ran.wait()), || ran.set());
            }
        });
    }
}

#[test]
fn many_threads_call_one_pool() {
    for jobs in [1, 2, 4] {
        for pool in [pool(jobs), without_guests(jobs)] {
            let taken: Vec<AtomicBool> = (0..128).map(|_| AtomicBool::new(false)).collect();
            thread::scope(|scope| {
                for caller in 0..16_u64 {
                    let (pool, taken) = (&pool, &taken);
                    scope.spawn(move || {
                        for round in 0..50 {
                            let n = ((caller + round) % 12) as u32;
                            let sum = pool.install(|| {
                                let index = pool.worker_index().unwrap();
                                let twice = taken[index].swap(true, Ordering::Relaxed);
                                assert!(!twice, "{index} is the number of two threads");
                                let sum = fib(n);
                                assert_eq!(pool.worker_index(), Some(index));
                                taken[index].store(false, Ordering::Relaxed);
                                sum
                            });
                            assert_eq!(sum, pool.join(|| fib(n), || ()).0);
                            assert_eq!(pool.worker_index(), None);
                        }
                    });
                }
            });
            pool.shutdown().unwrap();
        }
    }
}

#[test]
fn threads_inside_at_the_same_time_have_different_numbers() {
    let pool = pool(2);
    let inside = std::sync::Barrier::new(10);
    let numbers = Mutex::new(HashSet::new());
    thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                pool.install(|| {
                    numbers.lock().unwrap().insert(pool.worker_index().unwrap());
                    inside.wait();
                });
            });
        }
    });
    assert_eq!(numbers.into_inner().unwrap().len(), 10);
}

#[test]
fn destructors_of_thread_locals_call_pools() {
    struct Last(&'static Pool, &'static AtomicUsize);
    impl Drop for Last {
        fn drop(&mut self) {
            let sum = fib(10) + self.0.install(|| fib(9)) + self.0.join(|| fib(8), || ()).0;
            assert_eq!(sum, 55 + 34 + 21);
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }
    thread_local!(static LAST: RefCell<Vec<Last>> = const { RefCell::new(Vec::new()) });
    static GUESTS: LazyLock<Pool> = LazyLock::new(|| pool(2));
    static OWN: LazyLock<Pool> = LazyLock::new(|| without_guests(2));
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    fn leave_two() {
        LAST.with_borrow_mut(|last| {
            last.push(Last(&GUESTS, &DROPPED));
            last.push(Last(&OWN, &DROPPED));
        });
    }
    // Of threads outside, before and after they used a pool.
    for _ in 0..20 {
        thread::spawn(leave_two).join().unwrap();
        thread::spawn(|| {
            assert_eq!(GUESTS.install(|| fib(5)), 5);
            leave_two();
        })
        .join()
        .unwrap();
    }
    assert_eq!(DROPPED.swap(0, Ordering::Relaxed), 80);
    // Of threads of a pool, when that pool ends.
    let ending = Pool::builder().jobs(3).start_handler(|_| leave_two());
    ending.build().unwrap().shutdown().unwrap();
    assert_eq!(DROPPED.load(Ordering::Relaxed), 6);
}
