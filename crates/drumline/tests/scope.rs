//! Scopes: borrowing, nesting, order, panics.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use drumline::{Pool, Scope, Yield};

fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().unwrap()
}

fn closed(jobs: usize) -> Pool {
    common::without_spares(jobs, false)
}

fn pools() -> Vec<Pool> {
    vec![pool(1), pool(2), closed(1), closed(2), pool(64)]
}

fn without_workers() -> Pool {
    Pool::builder()
        .jobs(2)
        .warning_handler(|_| ())
        .spawn_handler(|_| Err(std::io::Error::other("no threads today")))
        .build()
        .unwrap()
}

/// Counts its drops; with `bomb`, the drop panics.
struct Tally<'a> {
    drops: &'a AtomicUsize,
    bomb: bool,
}

impl Drop for Tally<'_> {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
        if self.bomb && !thread::panicking() {
            panic!("the drop panics");
        }
    }
}

#[test]
fn empty() {
    for pool in pools() {
        assert_eq!(pool.scope(|_| 1), 1);
        assert_eq!(pool.scope_fifo(|_| 2), 2);
        assert_eq!(pool.in_place_scope(|_| 3), 3);
        assert_eq!(pool.in_place_scope_fifo(|_| 4), 4);
    }
    assert_eq!(drumline::scope(|_| 5), 5);
    assert_eq!(drumline::in_place_scope(|_| 6), 6);
}

#[test]
fn borrows_mutably() {
    for pool in pools().into_iter().chain([without_workers()]) {
        let mut values = vec![0_usize; 1_000];
        pool.scope(|s| {
            for (n, value) in values.iter_mut().enumerate() {
                s.spawn(move |_| *value = n);
            }
        });
        assert!(values.iter().enumerate().all(|(n, &value)| n == value));
        pool.in_place_scope_fifo(|s| {
            for value in &mut values {
                s.spawn_fifo(move |_| *value += 1);
            }
        });
        assert_eq!(values.iter().sum::<usize>(), 1_000 * 1_001 / 2);
        pool.shutdown().unwrap();
    }
}

fn grow<'scope>(scope: &Scope<'scope>, count: &'scope AtomicUsize, depth: usize) {
    count.fetch_add(1, Ordering::Relaxed);
    if depth > 0 {
        for _ in 0..2 {
            scope.spawn(move |scope| grow(scope, count, depth - 1));
        }
    }
}

#[test]
fn jobs_spawn_jobs() {
    for pool in pools() {
        let count = AtomicUsize::new(0);
        pool.scope(|s| grow(s, &count, 12));
        assert_eq!(count.load(Ordering::Relaxed), (1 << 13) - 1);
    }
}

#[test]
fn scopes_in_scopes() {
    fn nest(depth: usize) -> usize {
        if depth == 0 {
            return 1;
        }
        let mut sums = [0; 3];
        drumline::scope(|s| {
            for sum in &mut sums {
                s.spawn(move |_| *sum = nest(depth - 1));
            }
        });
        sums.iter().sum()
    }
    for pool in pools() {
        assert_eq!(pool.install(|| nest(6)), 729);
    }
}

#[test]
fn scope_in_join_in_scope() {
    for pool in pools() {
        let count = AtomicUsize::new(0);
        pool.scope(|outer| {
            for _ in 0..20 {
                outer.spawn(|_| {
                    drumline::join(
                        || {
                            drumline::scope(|inner| {
                                for _ in 0..5 {
                                    inner.spawn(|_| {
                                        drumline::join(
                                            || count.fetch_add(1, Ordering::Relaxed),
                                            || count.fetch_add(1, Ordering::Relaxed),
                                        );
                                    });
                                }
                            })
                        },
                        || drumline::spawn(|| 1).join().unwrap(),
                    );
                });
            }
        });
        assert_eq!(count.load(Ordering::Relaxed), 200);
    }
}

#[test]
fn order_on_one_thread() {
    let pool = closed(1);
    let order = Mutex::new(Vec::new());
    pool.scope(|s| {
        for n in 0..10 {
            let order = &order;
            s.spawn(move |_| order.lock().unwrap().push(n));
        }
    });
    assert_eq!(*order.lock().unwrap(), (0..10).rev().collect::<Vec<_>>());
    order.lock().unwrap().clear();
    pool.scope_fifo(|s| {
        for n in 0..10 {
            let order = &order;
            s.spawn_fifo(move |_| order.lock().unwrap().push(n));
        }
    });
    assert_eq!(*order.lock().unwrap(), (0..10).collect::<Vec<_>>());
}

#[test]
fn a_worker_begins_its_newest_first() {
    // The jobs are spawned by a job on the worker, and the scope waits outside.
    let pool = closed(1);
    let order = Mutex::new(Vec::new());
    pool.in_place_scope(|s| {
        let order = &order;
        s.spawn(move |s| {
            for n in 0..10 {
                s.spawn(move |_| order.lock().unwrap().push(n));
            }
        });
    });
    assert_eq!(*order.lock().unwrap(), (0..10).rev().collect::<Vec<_>>());
}

#[test]
fn in_place_stays_on_the_caller() {
    for pool in pools() {
        let me = thread::current().id();
        let local = Rc::new(0);
        let mut there = 0;
        pool.in_place_scope(|s| {
            assert_eq!(thread::current().id(), me);
            assert_eq!(*local, 0);
            s.spawn(|_| there = 1);
        });
        assert_eq!(there, 1);
    }
}

#[test]
fn a_wait_runs_nothing_unrelated() {
    let pool = pool(1);
    let lock = Mutex::new(0);
    let lock = Arc::new(lock);
    pool.install(|| {
        for _ in 0..100 {
            let lock = Arc::clone(&lock);
            drop(drumline::spawn(move || *lock.lock().unwrap() += 1));
        }
        // Would deadlock if the wait ran one of the tasks.
        let guard = lock.lock().unwrap();
        let mut sum = 0;
        drumline::scope(|s| s.spawn(|_| sum = 1));
        assert_eq!(sum, 1);
        drop(guard);
    });
    pool.shutdown().unwrap();
    assert_eq!(*lock.lock().unwrap(), 100);
}

#[test]
fn a_sleeping_scope_is_roused_by_a_spawn() {
    // The only worker runs a job that spawns another and blocks on it: only the
    // waiting scope can run that.
    let pool = pool(1);
    for _ in 0..20 {
        let (begun, has_begun) = channel();
        pool.in_place_scope(|s| {
            s.spawn(move |s| {
                begun.send(()).unwrap();
                // Long enough for the waiter to have fallen asleep, mostly; the
                // test holds either way.
                thread::sleep(std::time::Duration::from_millis(8));
                let (send, receive) = channel();
                s.spawn(move |_| send.send(()).unwrap());
                receive.recv().unwrap();
            });
            has_begun.recv().unwrap();
        });
    }
}

fn payload_of<R>(f: impl FnOnce() -> R) -> &'static str {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(_) => "none",
        Err(payload) => payload.downcast_ref::<&str>().copied().unwrap_or("other"),
    }
}

#[test]
fn the_body_panics() {
    for pool in pools() {
        let ran = AtomicUsize::new(0);
        let payload = payload_of(|| {
            pool.in_place_scope(|s| {
                for _ in 0..50 {
                    s.spawn(|_| {
                        ran.fetch_add(1, Ordering::Relaxed);
                    });
                }
                panic_any("body");
            })
        });
        assert_eq!(payload, "body");
        assert_eq!(ran.load(Ordering::Relaxed), 50);
    }
}

#[test]
fn a_job_panics() {
    for pool in pools().into_iter().chain([without_workers()]) {
        let ran = AtomicUsize::new(0);
        let payload = payload_of(|| {
            pool.scope(|s| {
                for n in 0..50 {
                    let ran = &ran;
                    s.spawn(move |_| {
                        ran.fetch_add(1, Ordering::Relaxed);
                        if n == 25 {
                            panic_any("job");
                        }
                    });
                }
            })
        });
        assert_eq!(payload, "job");
        assert_eq!(ran.load(Ordering::Relaxed), 50);
        assert_eq!(pool.lost_panics(), 0);
        pool.shutdown().unwrap();
    }
}

#[test]
fn the_first_panic_wins() {
    for pool in pools() {
        let payload = payload_of(|| {
            pool.scope(|s| {
                let (first, is_first) = channel::<()>();
                s.spawn(move |s| {
                    s.spawn(move |_| {
                        let _ = is_first.recv();
                        panic_any("second");
                    });
                    // Dropped, and so noticed, when this job unwinds.
                    let _first = first;
                    panic_any("first");
                });
            })
        });
        // The sender goes away during unwinding, before the panic is noted, so
        // that either may be noted first with two threads.
        assert!(["first", "second"].contains(&payload));
    }
    let pool = closed(1);
    let payload = payload_of(|| {
        pool.scope_fifo(|s| {
            s.spawn_fifo(|_| panic_any("first"));
            s.spawn_fifo(|_| panic_any("second"));
        })
    });
    assert_eq!(payload, "first");
    let payload = payload_of(|| {
        pool.scope(|s| {
            s.spawn(|_| panic_any("job"));
            panic_any("body");
        })
    });
    assert_eq!(payload, "body");
}

#[test]
fn the_result_is_dropped_when_a_job_panics() {
    let drops = AtomicUsize::new(0);
    for bomb in [false, true] {
        let payload = payload_of(|| {
            pool(2).scope(|s| {
                s.spawn(|_| panic_any("job"));
                Tally {
                    drops: &drops,
                    bomb,
                }
            })
        });
        assert_eq!(payload, "job");
    }
    assert_eq!(drops.load(Ordering::SeqCst), 2);
}

#[test]
fn payloads_that_panic_when_dropped() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let pool = pool(2);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        pool.scope(|s| {
            for _ in 0..20 {
                s.spawn(|_| {
                    panic_any(Tally {
                        drops: &DROPS,
                        bomb: true,
                    })
                });
            }
        })
    }));
    assert_eq!(DROPS.load(Ordering::SeqCst), 19);
    let payload = panicked.unwrap_err();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(payload))).is_err());
    assert_eq!(DROPS.load(Ordering::SeqCst), 20);
    assert_eq!(pool.scope(|_| 1), 1);
}

#[test]
fn what_jobs_capture_is_dropped_once() {
    let drops = AtomicUsize::new(0);
    for pool in pools() {
        drops.store(0, Ordering::SeqCst);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            pool.scope(|s| {
                for n in 0..100 {
                    let tally = Tally {
                        drops: &drops,
                        bomb: false,
                    };
                    s.spawn(move |_| {
                        let _tally = tally;
                        if n % 10 == 0 {
                            panic_any("job");
                        }
                    });
                }
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(drops.load(Ordering::SeqCst), 100);
    }
}

#[test]
fn nothing_runs_during_unwinding() {
    struct Scoped<'a>(&'a AtomicUsize);
    impl Drop for Scoped<'_> {
        fn drop(&mut self) {
            // A scope in a destructor works all the same.
            drumline::scope(|s| {
                s.spawn(|_| {
                    self.0.fetch_add(1, Ordering::SeqCst);
                });
            });
        }
    }
    let count = AtomicUsize::new(0);
    let payload = payload_of(|| {
        pool(2).scope(|s| {
            s.spawn(|_| assert!(!thread::panicking()));
            let _scoped = Scoped(&count);
            panic_any("body");
        })
    });
    assert_eq!(payload, "body");
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[test]
fn spawned_from_threads_of_others() {
    for pool in pools() {
        let count = AtomicUsize::new(0);
        pool.in_place_scope(|s| {
            thread::scope(|threads| {
                for _ in 0..4 {
                    threads.spawn(|| {
                        for _ in 0..100 {
                            s.spawn(|_| {
                                count.fetch_add(1, Ordering::Relaxed);
                            });
                        }
                    });
                }
            });
        });
        assert_eq!(count.load(Ordering::Relaxed), 400);
    }
}

#[test]
fn from_many_threads_at_once() {
    for pool in [pool(2), closed(2)] {
        thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    for _ in 0..50 {
                        let mut values = [0; 16];
                        pool.in_place_scope(|s| {
                            for value in &mut values {
                                s.spawn(move |_| *value = 1);
                            }
                        });
                        assert_eq!(values.iter().sum::<i32>(), 16);
                    }
                });
            }
        });
    }
}

#[test]
fn yielding_in_a_job_runs_a_sibling() {
    let pool = closed(1);
    let count = AtomicUsize::new(0);
    pool.scope(|s| {
        let count = &count;
        for _ in 0..2 {
            s.spawn(move |_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
        }
        assert_eq!(drumline::yield_local(), Some(Yield::Executed));
        assert_eq!(count.load(Ordering::Relaxed), 1);
        assert_eq!(drumline::yield_now(), Some(Yield::Executed));
        assert_eq!(drumline::yield_now(), Some(Yield::Idle));
        assert_eq!(count.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn panics_pass_through_nested_scopes() {
    for pool in pools() {
        let after = AtomicUsize::new(0);
        let payload = payload_of(|| {
            pool.scope(|outer| {
                outer.spawn(|_| {
                    let inner = catch_unwind(AssertUnwindSafe(|| {
                        drumline::scope(|inner| {
                            inner.spawn(|_| {
                                drumline::join(|| (), || panic_any("deep"));
                            });
                        })
                    }));
                    after.fetch_add(1, Ordering::SeqCst);
                    resume_unwind(inner.unwrap_err());
                });
            })
        });
        assert_eq!(payload, "deep");
        assert_eq!(after.load(Ordering::SeqCst), 1);
    }
}
