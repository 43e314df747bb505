//! Programs that deadlock, or could, where a waiting thread takes any work: told in issues of
//! rayon's, and written anew from what they tell. Here each of them ends, a thousand times over.

mod common;

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock, mpsc};
use std::thread;

use common::{each, ends, fib, pool, without_guests};
use drumline::{Pool, blocking, join};

const ROUNDS: usize = 1_000;
const JOBS: [usize; 4] = [1, 2, 4, 16];

/// Runs a program over and over in pools of all sizes that take guests.
fn with_guests(program: impl Fn(&Pool) + Send + Copy + 'static) {
    for jobs in JOBS {
        ends(move || {
            let pool = pool(jobs);
            (0..ROUNDS).for_each(|_| program(&pool));
        });
    }
}

/// The same, also in pools that run everything on their own threads.
fn everywhere(program: impl Fn(&Pool) + Send + Copy + 'static) {
    with_guests(program);
    for jobs in JOBS {
        ends(move || {
            let pool = without_guests(jobs);
            (0..ROUNDS).for_each(|_| program(&pool));
        });
    }
}

/// Issue 592: a parallel loop under a mutex, in a parallel loop.
#[test]
fn a_mutex_across_a_loop() {
    everywhere(|pool| {
        let total = Mutex::new(0);
        pool.install(|| {
            each(0..8, &|_| {
                let mut total = total.lock().unwrap();
                let items = AtomicUsize::new(0);
                each(0..8, &|_| {
                    items.fetch_add(1, Ordering::Relaxed);
                });
                *total += items.into_inner();
            });
        });
        assert_eq!(total.into_inner().unwrap(), 64);
    });
}

/// Issue 592, with joins inside joins.
#[test]
fn a_mutex_across_nested_joins() {
    fn nest(depth: usize, total: &Mutex<u64>) {
        if depth > 0 {
            join(|| nest(depth - 1, total), || nest(depth - 1, total));
        } else {
            let mut total = total.lock().unwrap();
            let (a, b) = join(|| fib(4), || join(|| fib(3), || fib(2)).0);
            *total += a + b;
        }
    }
    everywhere(|pool| {
        let total = Mutex::new(0);
        pool.install(|| nest(3, &total));
        assert_eq!(total.into_inner().unwrap(), 8 * 5);
    });
}

/// Issue 592, with the jobs of a scope.
#[test]
fn a_mutex_across_a_scope() {
    everywhere(|pool| {
        let total = Mutex::new(0);
        pool.scope(|outer| {
            for _ in 0..4 {
                outer.spawn(|_| {
                    let mut total = total.lock().unwrap();
                    let items = AtomicUsize::new(0);
                    drumline::scope(|inner| {
                        for _ in 0..4 {
                            inner.spawn(|_| {
                                items.fetch_add(1, Ordering::Relaxed);
                            });
                        }
                    });
                    *total += items.into_inner();
                });
            }
        });
        assert_eq!(total.into_inner().unwrap(), 16);
    });
}

/// Issue 1205: tasks that read under a lock and loop in parallel, and one that wants to write.
#[test]
fn a_read_lock_across_a_loop() {
    everywhere(|pool| {
        let engine = RwLock::new(1);
        let sum = AtomicUsize::new(0);
        pool.install(|| {
            join(
                || {
                    each(0..4, &|_| {
                        let value = engine.read().unwrap();
                        each(0..8, &|_| {
                            sum.fetch_add(*value, Ordering::Relaxed);
                        });
                    });
                },
                || each(0..2, &|_| *engine.write().unwrap() = 1),
            );
        });
        assert_eq!(sum.into_inner(), 32);
    });
}

/// Issue 1205 the other way round.
#[test]
fn a_write_lock_across_a_loop() {
    everywhere(|pool| {
        let engine = RwLock::new(0);
        pool.install(|| {
            each(0..8, &|i| {
                if i % 2 == 0 {
                    let mut value = engine.write().unwrap();
                    let items = AtomicUsize::new(0);
                    each(0..8, &|_| {
                        items.fetch_add(1, Ordering::Relaxed);
                    });
                    *value += items.into_inner();
                } else {
                    let value = engine.read().unwrap();
                    assert!(value.is_multiple_of(8));
                }
            });
        });
        assert_eq!(engine.into_inner().unwrap(), 32);
    });
}

/// Issue 1251: a value that is made once, in parallel, by the first thread that asks.
#[test]
fn a_once_lock_with_a_loop_inside() {
    everywhere(|pool| {
        let once = OnceLock::new();
        let made = AtomicUsize::new(0);
        pool.install(|| {
            each(0..8, &|_| {
                let value = once.get_or_init(|| {
                    made.fetch_add(1, Ordering::Relaxed);
                    let items = AtomicUsize::new(0);
                    each(0..16, &|_| {
                        items.fetch_add(1, Ordering::Relaxed);
                    });
                    items.into_inner() + join(|| 1, || 1).0
                });
                assert_eq!(*value, 17);
            });
        });
        assert_eq!(made.into_inner(), 1);
    });
}

thread_local!(static STATE: RefCell<usize> = const { RefCell::new(0) });

/// Pull request 765, issue 941: what a thread has borrowed of its own state is wanted again.
#[test]
fn thread_local_state_borrowed_across_a_loop() {
    everywhere(|pool| {
        let items = AtomicUsize::new(0);
        pool.install(|| {
            each(0..8, &|_| {
                STATE.with_borrow_mut(|state| {
                    each(0..8, &|_| {
                        items.fetch_add(1, Ordering::Relaxed);
                    });
                    *state += 1;
                });
            });
        });
        assert_eq!(items.into_inner(), 64);
    });
}

/// Issue 1253: the same, with the inner loop in a pool of its own.
#[test]
fn thread_local_state_borrowed_across_another_pool() {
    for (kind, make) in [
        ("guests", pool as fn(usize) -> Pool),
        ("own", without_guests),
    ] {
        for jobs in JOBS {
            ends(move || {
                let (outer, inner) = (make(jobs), make(2));
                for round in 0..ROUNDS {
                    let items = AtomicUsize::new(0);
                    outer.install(|| {
                        each(0..4, &|_| {
                            STATE.with_borrow_mut(|state| {
                                inner.install(|| {
                                    each(0..4, &|_| {
                                        items.fetch_add(1, Ordering::Relaxed);
                                    });
                                });
                                *state += 1;
                            });
                        });
                    });
                    assert_eq!(items.into_inner(), 16, "{kind}, jobs {jobs}, round {round}");
                }
            });
        }
    }
}

/// Issue 1105: while a thread is in the inner pool it does not begin another item of the outer
/// loop.
#[test]
fn an_outer_loop_does_not_nest_in_itself() {
    thread_local!(static OPEN: Cell<usize> = const { Cell::new(0) });
    for make in [pool as fn(usize) -> Pool, without_guests] {
        for jobs in JOBS {
            ends(move || {
                let (outer, inner) = (make(jobs), make(4));
                for _ in 0..ROUNDS {
                    outer.install(|| {
                        each(0..8, &|_| {
                            assert_eq!(OPEN.replace(1), 0, "an item inside an item");
                            inner.install(|| each(0..4, &|_| _ = fib(3)));
                            OPEN.set(0);
                        });
                    });
                }
            });
        }
    }
}

/// Issues 446 and 449: two pools that call each other, from both sides at once.
#[test]
fn two_pools_install_into_each_other() {
    fn both_ways(here: &Pool, there: &Pool) {
        let items = AtomicUsize::new(0);
        here.install(|| {
            each(0..2, &|_| {
                there.install(|| {
                    each(0..2, &|_| {
                        here.install(|| {
                            each(0..2, &|_| {
                                items.fetch_add(1, Ordering::Relaxed);
                            });
                        });
                    });
                });
            });
        });
        assert_eq!(items.into_inner(), 8);
    }
    for jobs in JOBS {
        ends(move || {
            let (a, b) = (pool(jobs), pool(jobs));
            thread::scope(|threads| {
                threads.spawn(|| (0..ROUNDS).for_each(|_| both_ways(&a, &b)));
                threads.spawn(|| (0..ROUNDS).for_each(|_| both_ways(&b, &a)));
            });
        });
    }
}

/// The same with only one call at a time in the pools, and no guests: there and back takes two
/// threads of the first pool.
#[test]
fn there_and_back_through_a_pool_without_guests() {
    for jobs in [2, 4, 16] {
        ends(move || {
            let (a, b) = (without_guests(jobs), without_guests(jobs));
            for _ in 0..ROUNDS {
                let name = a.install(|| b.install(|| a.install(|| a.worker_index().is_some())));
                assert!(name);
            }
        });
    }
}

/// Issue 835: the body of a scope waits for what its jobs send.
#[test]
fn a_scope_that_receives_from_its_jobs() {
    everywhere(|pool| {
        // In place: the body is not in the pool, and may block as it likes.
        let (send, values) = mpsc::sync_channel(0);
        let sum = pool.in_place_scope(|scope| {
            for send in [send.clone(), send] {
                scope.spawn(move |_| send.send(1).unwrap());
            }
            values.iter().sum::<usize>()
        });
        assert_eq!(sum, 2);
    });
    with_guests(|pool| {
        // In the pool, and announced: a worker takes the place.
        let (send, values) = mpsc::sync_channel(0);
        let sum = pool.scope(move |scope| {
            for send in [send.clone(), send] {
                scope.spawn(move |_| send.send(1).unwrap());
            }
            blocking(|| values.iter().sum::<usize>())
        });
        assert_eq!(sum, 2);
    });
}

/// A loop under a mutex that several threads outside want as well.
#[test]
fn callers_that_share_a_mutex() {
    for jobs in JOBS {
        ends(move || {
            let pool = Arc::new(pool(jobs));
            let total = Mutex::new(0);
            thread::scope(|threads| {
                for _ in 0..3 {
                    threads.spawn(|| {
                        for _ in 0..ROUNDS / 2 {
                            pool.install(|| {
                                each(0..2, &|_| {
                                    let mut total = total.lock().unwrap();
                                    each(0..4, &|_| ());
                                    *total += 1;
                                });
                            });
                        }
                    });
                }
            });
            assert_eq!(total.into_inner().unwrap(), 3 * ROUNDS);
        });
    }
}
