//! Values per thread: one for each that is alive, handed on by those that end, the same wherever a
//! thread asks from.

mod common;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread::{self, ThreadId};

use common::{ends, pool, quiet_panic, without_guests};
use drumline::prelude::*;
use drumline::{Pool, WaitPolicy, WorkerLocal, blocking, join, scope, spawn};

// Relaxed throughout: these are counts, and publish nothing else. `iter` publishes the values
// themselves.

/// A value that says when two threads are at it.
#[derive(Default)]
struct Exclusive {
    thread: RefCell<Option<ThreadId>>,
    depth: Cell<usize>,
    visits: Cell<usize>,
    /// Whether any thread is at it: unlike the cells, this can be asked by all.
    taken: AtomicBool,
}

impl Exclusive {
    fn visit<R>(&self, f: impl FnOnce() -> R) -> R {
        let me = thread::current().id();
        if self.depth.get() == 0 {
            assert!(!self.taken.swap(true, Ordering::SeqCst), "two threads");
            *self.thread.borrow_mut() = Some(me);
        }
        assert_eq!(*self.thread.borrow(), Some(me), "two threads at once");
        self.depth.set(self.depth.get() + 1);
        self.visits.set(self.visits.get() + 1);
        let result = f();
        assert_eq!(*self.thread.borrow(), Some(me), "two threads at once");
        self.depth.set(self.depth.get() - 1);
        if self.depth.get() == 0 {
            self.taken.store(false, Ordering::SeqCst);
        }
        result
    }
}

fn fib(local: &WorkerLocal<Exclusive>, n: u64) -> u64 {
    local.with(|value| {
        value.visit(|| {
            if n < 2 {
                return n;
            }
            let (a, b) = join(|| fib(local, n - 1), || fib(local, n - 2));
            a + b
        })
    })
}

/// How many calls of `fib` it takes.
fn calls(n: u64) -> usize {
    if n < 2 {
        return 1;
    }
    1 + calls(n - 1) + calls(n - 2)
}

#[test]
fn no_two_threads_have_the_same_value() {
    ends(|| {
        for policy in [WaitPolicy::Related, WaitPolicy::Steal] {
            for jobs in [1, 2, 8] {
                let pool = Pool::builder().jobs(jobs).wait_policy(policy);
                let pool = pool.build().unwrap();
                let local = WorkerLocal::<Exclusive>::default();
                let blocked = AtomicUsize::new(0);
                thread::scope(|threads| {
                    for _ in 0..3 {
                        threads.spawn(|| {
                            assert_eq!(pool.install(|| fib(&local, 12)), 144);
                            // Spares, too.
                            pool.scope(|scope| {
                                for _ in 0..10 {
                                    scope.spawn(|_| {
                                        local.with(|value| {
                                            value.visit(|| blocking(thread::yield_now));
                                        });
                                        blocked.fetch_add(1, Ordering::SeqCst);
                                    });
                                }
                            });
                            assert_eq!(fib(&local, 8), 21);
                        });
                    }
                });
                assert_eq!(blocked.into_inner(), 30);
                let visits: usize = local.into_iter().map(|value| value.visits.get()).sum();
                assert_eq!(visits, 3 * (calls(12) + 10 + calls(8)));
            }
        }
    });
}

#[test]
fn the_value_is_the_same_in_every_pool() {
    let (a, b) = (pool(2), pool(3));
    let local = WorkerLocal::new(|| Cell::new(0));
    local.with(|value| value.set(7));
    let inside = || local.with(Cell::get);
    assert_eq!(a.install(|| b.install(inside)), 7);
    assert_eq!(a.install(inside), 7);
    assert_eq!(without_guests(1).install(inside), 0, "another thread");
    assert_eq!(local.into_iter().count(), 2);
}

/// As many values as threads at a time, and not as many as threads in all.
#[test]
fn threads_that_end_hand_their_values_on() {
    let local = WorkerLocal::new(|| Cell::new(0));
    for _ in 0..50 {
        let together = Barrier::new(4);
        thread::scope(|threads| {
            for _ in 0..4 {
                let handle = threads.spawn(|| {
                    local.with(|value| {
                        value.set(value.get() + 1);
                        together.wait();
                    });
                });
                drop(handle);
            }
        });
    }
    let values: Vec<usize> = local.into_iter().map(Cell::into_inner).collect();
    assert_eq!(values.iter().sum::<usize>(), 200);
    assert!(values.len() >= 4);
    // Other tests of this process have threads, too, and a scope ends before its threads are gone.
    assert!(values.len() < 100, "{} values", values.len());
}

/// The table grows over many chunks while values are in use.
#[test]
fn many_threads_at_once() {
    const THREADS: usize = 100;
    let local = WorkerLocal::new(|| Box::new(Cell::new(0)));
    let together = Barrier::new(THREADS);
    let places: HashSet<usize> = thread::scope(|threads| {
        let handles: Vec<_> = (0..THREADS)
            .map(|n| {
                let (local, together) = (&local, &together);
                threads.spawn(move || {
                    local.with(|value| {
                        value.set(n);
                        together.wait();
                        assert_eq!(value.get(), n);
                        std::ptr::from_ref(value).addr()
                    })
                })
            })
            .collect();
        handles.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert_eq!(places.len(), THREADS);
    let mut numbers: Vec<_> = local.into_iter().map(|value| value.get()).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..THREADS));
}

#[test]
fn values_are_read_while_others_are_made() {
    let local = WorkerLocal::new(|| AtomicUsize::new(1));
    thread::scope(|threads| {
        for _ in 0..20 {
            threads.spawn(|| local.with(|value| value.fetch_add(1, Ordering::Relaxed)));
            for value in local.iter() {
                assert!(value.load(Ordering::Relaxed) >= 1);
            }
        }
    });
    let values = local.iter().map(|value| value.load(Ordering::Relaxed));
    assert_eq!(values.map(|value| value - 1).sum::<usize>(), 20);
}

#[test]
fn every_value_is_dropped_once() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let (made, dropped) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let used = || {
        let local = WorkerLocal::new(|| {
            made.fetch_add(1, Ordering::SeqCst);
            Counted(Arc::clone(&dropped))
        });
        let together = Barrier::new(5);
        thread::scope(|threads| {
            for _ in 0..5 {
                threads.spawn(|| {
                    local.with(|_| together.wait());
                });
            }
        });
        local
    };
    drop(used());
    drop(used().into_iter());
    assert_eq!(used().into_iter().take(3).count(), 3);
    assert_eq!(made.load(Ordering::SeqCst), 15);
    assert_eq!(dropped.load(Ordering::SeqCst), 15);
}

/// The closure that makes the value asks for it, waits, and panics.
#[test]
fn the_maker_may_come_back() {
    static LOCAL: WorkerLocal<usize> = WorkerLocal::new(|| {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        match CALLS.fetch_add(1, Ordering::SeqCst) {
            0 => quiet_panic("not today"),
            // Inside of the making: this one is made first, and stays.
            1 => LOCAL.with(|inner| *inner + 100),
            call => call,
        }
    });
    let payload = catch_unwind(AssertUnwindSafe(|| LOCAL.with(|_| ()))).unwrap_err();
    assert_eq!(common::message(&*payload), "not today");
    assert_eq!(LOCAL.with(|value| *value), 2);
    assert_eq!(LOCAL.with(|value| *value), 2);
    assert_eq!(LOCAL.iter().count(), 1);
}

/// A job that runs on top of a closure that waits has the same value.
#[test]
fn what_runs_on_top_has_the_same_value() {
    let pool = Pool::builder().jobs(1).build().unwrap();
    let local = Arc::new(WorkerLocal::new(|| Cell::new(0)));
    pool.install(|| {
        let inner = Arc::clone(&local);
        drop(spawn(move || inner.with(|value| value.set(5))));
        local.with(|value| {
            value.set(3);
            assert_eq!(drumline::yield_now(), Some(drumline::Yield::Executed));
            assert_eq!(value.get(), 5);
        });
    });
}

/// Values are used, made, and left to others by destructors of thread-local state, in any order.
#[test]
fn in_destructors_of_thread_local_state() {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    static LOCAL: WorkerLocal<Exclusive> = WorkerLocal::new(|| {
        MADE.fetch_add(1, Ordering::SeqCst);
        Exclusive::default()
    });
    static RUN: AtomicUsize = AtomicUsize::new(0);
    struct AtEnd;
    impl Drop for AtEnd {
        fn drop(&mut self) {
            LOCAL.with(|value| value.visit(|| LOCAL.with(|again| again.visit(thread::yield_now))));
            RUN.fetch_add(1, Ordering::SeqCst);
        }
    }
    thread_local! {
        static EARLIER: AtEnd = const { AtEnd };
        static LATER: AtEnd = const { AtEnd };
    }
    for _ in 0..20 {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                thread::spawn(|| {
                    EARLIER.with(|_| ());
                    LOCAL.with(|value| value.visit(thread::yield_now));
                    LATER.with(|_| ());
                })
            })
            .collect();
        threads.into_iter().for_each(|it| it.join().unwrap());
    }
    assert_eq!(RUN.load(Ordering::SeqCst), 2 * 4 * 20);
    // The indices of late calls are given back as well: values do not pile up.
    let made = MADE.load(Ordering::SeqCst);
    assert!(made < 2 * 4 * 20, "{made} values");
}

#[test]
fn counts_of_a_loop() {
    for pool in [pool(1), pool(4), without_guests(2)] {
        let mut counts = WorkerLocal::new(|| Cell::new(0_usize));
        for round in 1..=3 {
            pool.install(|| {
                (0..10_000_usize)
                    .into_par_iter()
                    .for_each(|_| counts.with(|count| count.set(count.get() + 1)));
                scope(|scope| {
                    let counts = &counts;
                    for _ in 0..10 {
                        scope.spawn(move |_| counts.with(|count| count.set(count.get() + 1)));
                    }
                });
            });
            let total: usize = counts.iter_mut().map(|count| count.get()).sum();
            assert_eq!(total, round * 10_010);
        }
    }
}
