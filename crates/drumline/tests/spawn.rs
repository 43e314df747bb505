//! Spawned tasks: values, panics, taking back, detaching, the end of the pool.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{self, ThreadId};

use drumline::{JoinHandle, Pool, Yield};

fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().unwrap()
}

/// A pool that has calls from outside handed over.
fn closed(jobs: usize) -> Pool {
    common::without_spares(jobs, false)
}

/// Counts its drops; with `bomb`, the drop panics.
struct Tally {
    drops: Arc<AtomicUsize>,
    bomb: bool,
}

impl Drop for Tally {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
        if self.bomb && !thread::panicking() {
            panic!("the drop panics");
        }
    }
}

#[test]
fn values_come_back() {
    for pool in [pool(1), pool(2), closed(1), closed(2), pool(64)] {
        let tasks: Vec<_> = (0..100).map(|n| pool.spawn(move || n * 2)).collect();
        for (n, task) in tasks.into_iter().enumerate() {
            assert_eq!(task.join().unwrap(), n * 2);
        }
        pool.shutdown().unwrap();
    }
}

#[test]
fn values_of_any_size() {
    let pool = pool(2);
    let large = pool.spawn(|| [7_u64; 1000]);
    let none = pool.spawn(|| ());
    assert_eq!(large.join().unwrap().iter().sum::<u64>(), 7000);
    none.join().unwrap();
}

#[test]
fn finished_is_told() {
    let pool = pool(1);
    let (go, wait) = channel::<()>();
    let task = pool.spawn(move || wait.recv());
    assert!(!task.is_finished());
    go.send(()).unwrap();
    while !task.is_finished() {
        thread::yield_now();
    }
    task.join().unwrap().unwrap();
}

#[test]
fn order_of_fifo() {
    // A spare would run some, too, if the worker waited in the kernel for a moment.
    for pool in [common::without_spares(1, true), closed(1)] {
        let order = Arc::new(Mutex::new(Vec::new()));
        // The worker spawns, so that it alone runs them, after this task.
        let spawner = {
            let order = Arc::clone(&order);
            pool.spawn(move || {
                for n in 0..50 {
                    let order = Arc::clone(&order);
                    drop(drumline::spawn_fifo(move || order.lock().unwrap().push(n)));
                }
            })
        };
        while !spawner.is_finished() {
            thread::yield_now();
        }
        pool.shutdown().unwrap();
        assert_eq!(*order.lock().unwrap(), (0..50).collect::<Vec<_>>());
    }
}

#[test]
fn newest_first_on_one_thread() {
    let pool = closed(1);
    let order = Arc::new(Mutex::new(Vec::new()));
    pool.install(|| {
        for n in 0..50 {
            let order = Arc::clone(&order);
            drop(drumline::spawn(move || order.lock().unwrap().push(n)));
        }
    });
    pool.shutdown().unwrap();
    assert_eq!(*order.lock().unwrap(), (0..50).rev().collect::<Vec<_>>());
}

/// Keeps every worker of `pool` busy until the result is dropped.
fn occupy(pool: &Pool, workers: usize) -> Vec<mpsc::Sender<()>> {
    let (begun, all) = channel();
    let stops = (0..workers)
        .map(|_| {
            let (stop, stopped) = channel::<()>();
            let begun = begun.clone();
            drop(pool.spawn(move || {
                begun.send(()).unwrap();
                let _ = stopped.recv();
            }));
            stop
        })
        .collect();
    for _ in 0..workers {
        all.recv().unwrap();
    }
    stops
}

#[test]
fn join_takes_back_from_outside() {
    let pool = common::without_spares(2, true);
    let stops = occupy(&pool, 2);
    let me = thread::current().id();
    let task = pool.spawn(|| thread::current().id());
    assert_eq!(task.join().unwrap(), me);
    let task = pool.spawn_fifo(|| thread::current().id());
    assert_eq!(task.join().unwrap(), me);
    drop(stops);
    pool.shutdown().unwrap();
}

#[test]
fn join_takes_back_on_a_worker() {
    let pool = closed(1);
    let (outer, inner): (ThreadId, ThreadId) = pool.install(|| {
        let task = drumline::spawn(|| thread::current().id());
        (thread::current().id(), task.join().unwrap())
    });
    assert_eq!(outer, inner);
}

#[test]
fn join_takes_back_in_any_order() {
    let pool = closed(1);
    pool.install(|| {
        let mut tasks: Vec<JoinHandle<usize>> =
            (0..10).map(|n| drumline::spawn(move || n)).collect();
        for n in [3, 0, 7, 2] {
            assert!(tasks.remove(n).join().is_ok());
        }
        let rest: usize = tasks.into_iter().map(|task| task.join().unwrap()).sum();
        assert!(rest < 45);
    });
    pool.shutdown().unwrap();
}

#[test]
fn a_guest_in_the_only_place_joins() {
    let pool = pool(1);
    pool.install(|| {
        let task = drumline::spawn(|| 5);
        assert_eq!(task.join().unwrap(), 5);
        let fifo = drumline::spawn_fifo(|| 6);
        assert_eq!(fifo.join().unwrap(), 6);
    });
}

#[test]
fn a_running_task_is_waited_for() {
    for pool in [pool(2), closed(2)] {
        let (begun, has_begun) = channel();
        let (go, wait) = channel::<()>();
        let task = pool.spawn(move || {
            begun.send(()).unwrap();
            wait.recv().unwrap();
            drumline::join(|| 1, || 2)
        });
        has_begun.recv().unwrap();
        let helper = thread::spawn(move || go.send(()).unwrap());
        assert_eq!(task.join().unwrap(), (1, 2));
        helper.join().unwrap();
    }
}

#[test]
fn panics_come_back() {
    for pool in [pool(2), closed(2)] {
        let task = pool.spawn(|| -> u32 { panic_any(17_u8) });
        let payload = task.join().unwrap_err().into_panic();
        assert_eq!(payload.downcast_ref::<u8>(), Some(&17));
        assert_eq!(pool.lost_panics(), 0);
        assert_eq!(pool.spawn(|| 1).join().unwrap(), 1);
    }
}

#[test]
fn detached_panics_are_counted() {
    let pool = pool(2);
    for _ in 0..20 {
        drop(pool.spawn(|| panic_any("detached")));
    }
    let late = pool.spawn(|| panic_any("dropped late"));
    while !late.is_finished() {
        thread::yield_now();
    }
    drop(late);
    // All others have ended when the workers are free again.
    while pool.lost_panics() < 21 {
        thread::yield_now();
    }
    assert_eq!(pool.lost_panics(), 21);
}

#[test]
fn detached_panics_reach_the_handler() {
    let (send, receive) = channel();
    let send = Mutex::new(send);
    let pool = Pool::builder()
        .jobs(2)
        .panic_handler(move |payload| {
            let number = payload.downcast_ref::<usize>().copied();
            send.lock().unwrap().send(number).unwrap();
        })
        .build()
        .unwrap();
    for n in 0..10_usize {
        let task = pool.spawn(move || panic_any(n));
        if n % 2 == 0 {
            while !task.is_finished() {
                thread::yield_now();
            }
        }
        drop(task);
    }
    pool.shutdown().unwrap();
    let mut seen: Vec<_> = receive.iter().map(Option::unwrap).collect();
    seen.sort();
    assert_eq!(seen, (0..10).collect::<Vec<_>>());
}

#[test]
fn values_that_panic_when_dropped() {
    let pool = pool(2);
    let drops = Arc::new(AtomicUsize::new(0));
    for _ in 0..10 {
        let drops = Arc::clone(&drops);
        drop(pool.spawn(move || Tally { drops, bomb: true }));
    }
    let late = {
        let drops = Arc::clone(&drops);
        pool.spawn(move || Tally { drops, bomb: true })
    };
    while !late.is_finished() {
        thread::yield_now();
    }
    drop(late);
    while pool.lost_panics() < 11 {
        thread::yield_now();
    }
    assert_eq!(drops.load(Ordering::SeqCst), 11);
    assert_eq!(pool.spawn(|| 3).join().unwrap(), 3);
}

#[test]
fn payloads_that_panic_when_dropped() {
    let pool = pool(2);
    let drops = Arc::new(AtomicUsize::new(0));
    for _ in 0..10 {
        let drops = Arc::clone(&drops);
        drop(pool.spawn(move || panic_any(Tally { drops, bomb: true })));
    }
    while drops.load(Ordering::SeqCst) < 10 {
        thread::yield_now();
    }
    assert_eq!(pool.spawn(|| 3).join().unwrap(), 3);
    pool.shutdown().unwrap();
    assert_eq!(drops.load(Ordering::SeqCst), 10);
}

#[test]
fn nothing_leaks() {
    let drops = Arc::new(AtomicUsize::new(0));
    let tally = || Tally {
        drops: Arc::clone(&drops),
        bomb: false,
    };
    let pool = pool(2);
    for round in 0..300 {
        let (captured, value) = (tally(), tally());
        let task = pool.spawn(move || {
            let _captured = captured;
            if round % 5 == 0 {
                panic_any(value);
            }
            value
        });
        match round % 3 {
            0 => drop(task.join()),
            1 => drop(task),
            _ => {
                while !task.is_finished() {
                    thread::yield_now();
                }
                drop(task);
            }
        }
    }
    pool.shutdown().unwrap();
    assert_eq!(drops.load(Ordering::SeqCst), 600);
    assert_eq!(Arc::strong_count(&drops), 1);
}

#[test]
fn many_tiny_tasks() {
    let pool = pool(2);
    let count = Arc::new(AtomicUsize::new(0));
    pool.install(|| {
        for _ in 0..100_000 {
            let count = Arc::clone(&count);
            drop(drumline::spawn(move || {
                count.fetch_add(1, Ordering::Relaxed);
            }));
        }
    });
    pool.shutdown().unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 100_000);
}

#[test]
fn many_tiny_tasks_joined() {
    let pool = pool(2);
    let sum: usize = pool.install(|| {
        let tasks: Vec<_> = (0..100_000).map(|n| drumline::spawn(move || n)).collect();
        tasks.into_iter().map(|task| task.join().unwrap()).sum()
    });
    assert_eq!(sum, 100_000 * 99_999 / 2);
}

#[test]
fn a_chain_of_joins() {
    fn chain(pool: &Pool) -> usize {
        let mut last = pool.spawn(|| 0);
        for _ in 0..1_000 {
            let before = last;
            last = pool.spawn(move || before.join().unwrap() + 1);
        }
        last.join().unwrap()
    }
    // All of it may end up on one stack; sanitizers make frames large.
    let thread = thread::Builder::new().stack_size(32 << 20);
    let caller = thread.spawn(|| {
        for pool in [pool(1), pool(2), pool(64), closed(1), closed(2)] {
            assert_eq!(chain(&pool), 1_000);
        }
    });
    caller.unwrap().join().unwrap();
}

#[test]
fn tasks_spawn_tasks() {
    fn tree(depth: usize) -> usize {
        if depth == 0 {
            return 1;
        }
        let left = drumline::spawn(move || tree(depth - 1));
        let right = tree(depth - 1);
        left.join().unwrap() + right
    }
    for pool in [pool(1), pool(2), closed(2), pool(64)] {
        assert_eq!(pool.install(|| tree(12)), 4096);
    }
}

#[test]
fn from_many_threads_outside() {
    for pool in [pool(2), closed(2)] {
        let count = AtomicUsize::new(0);
        let start = Barrier::new(8);
        thread::scope(|s| {
            for _ in 0..8 {
                s.spawn(|| {
                    start.wait();
                    for n in 0..500 {
                        let task = pool.spawn(move || n);
                        count.fetch_add(task.join().unwrap(), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(count.load(Ordering::Relaxed), 8 * 500 * 499 / 2);
    }
}

#[test]
fn dropping_the_pool_finishes_tasks() {
    for jobs in [1, 2, 64] {
        let pool = pool(jobs);
        let (send, receive) = channel();
        for n in 0..200 {
            let send = send.clone();
            drop(pool.spawn(move || {
                // Spawned by a task of a pool that the program no longer holds.
                drop(drumline::spawn(move || send.send(n).unwrap()));
            }));
        }
        drop(send);
        drop(pool);
        assert_eq!(receive.iter().count(), 200);
    }
}

#[test]
fn handles_outlive_their_pool() {
    for make in [pool, closed] {
        let pool = make(2);
        let (go, wait) = channel::<()>();
        let running = pool.spawn(move || wait.recv().is_ok());
        let queued: Vec<_> = (0..20).map(|n| pool.spawn(move || n)).collect();
        drop(pool);
        go.send(()).unwrap();
        assert!(running.join().unwrap());
        assert_eq!(
            queued.into_iter().map(|q| q.join().unwrap()).sum::<i32>(),
            190
        );

        let pool = make(2);
        let done = pool.spawn(|| "done");
        let left = pool.spawn(|| panic_any("left"));
        pool.shutdown().unwrap();
        assert!(done.is_finished());
        assert_eq!(done.join().unwrap(), "done");
        drop(left);
    }
}

#[test]
fn a_pool_without_workers_runs_tasks() {
    let pool = Pool::builder()
        .jobs(2)
        .warning_handler(|_| ())
        .spawn_handler(|_| Err(std::io::Error::other("no threads today")))
        .build()
        .unwrap();
    let me = thread::current().id();
    let task = pool.spawn(|| thread::current().id());
    assert!(task.is_finished());
    assert_eq!(task.join().unwrap(), me);
    let count = Arc::new(AtomicUsize::new(0));
    pool.install(|| {
        for _ in 0..10 {
            let count = Arc::clone(&count);
            drop(drumline::spawn(move || {
                let again = Arc::clone(&count);
                drop(drumline::spawn(move || {
                    again.fetch_add(1, Ordering::Relaxed);
                }));
                count.fetch_add(1, Ordering::Relaxed);
            }));
        }
        assert_eq!(drumline::spawn(|| 4).join().unwrap(), 4);
    });
    assert_eq!(count.load(Ordering::Relaxed), 20);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        pool.install(|| {
            let count = Arc::clone(&count);
            drop(drumline::spawn(move || {
                count.fetch_add(1, Ordering::Relaxed);
            }));
            panic_any("inside");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(count.load(Ordering::Relaxed), 21);
    pool.shutdown().unwrap();
}

#[test]
fn a_permanent_member_spawns() {
    thread::spawn(|| {
        let pool = Pool::builder()
            .jobs(1)
            .use_current_thread()
            .build()
            .unwrap();
        assert_eq!(drumline::spawn(|| 1).join().unwrap(), 1);
        let task = drumline::spawn(|| 2);
        assert_eq!(drumline::yield_now(), Some(Yield::Executed));
        assert!(task.is_finished());
        let task = drumline::spawn(|| 3);
        assert_eq!(pool.yield_local(), Some(Yield::Executed));
        assert_eq!(task.join().unwrap(), 3);
        assert_eq!(drumline::yield_now(), Some(Yield::Idle));
    })
    .join()
    .unwrap();
}

#[test]
fn a_permanent_member_outlives_its_workers() {
    thread::spawn(|| {
        let pool = Pool::builder()
            .jobs(3)
            .use_current_thread()
            .build()
            .unwrap();
        let task = pool.spawn(|| 1);
        assert_eq!(task.join().unwrap(), 1);
        drop(pool);
        let (send, receive) = channel();
        drop(drumline::spawn(move || send.send(5).unwrap()));
        assert_eq!(receive.recv(), Ok(5));
        assert_eq!(drumline::spawn(|| 2).join().unwrap(), 2);
    })
    .join()
    .unwrap();
}

#[test]
fn yielding_outside_is_nothing() {
    thread::spawn(|| {
        assert_eq!(drumline::yield_now(), None);
        assert_eq!(drumline::yield_local(), None);
    })
    .join()
    .unwrap();
}

#[test]
fn yielding_runs_what_others_spawned() {
    let pool = closed(2);
    let stops = occupy(&pool, 1);
    let (send, receive) = channel();
    let outer = thread::current().id();
    let other = &pool;
    pool.install(move || {
        let here = thread::current().id();
        assert_ne!(here, outer);
        thread::scope(|s| {
            s.spawn(|| drop(other.spawn(move || send.send(thread::current().id()).unwrap())));
        });
        loop {
            if let Ok(ran) = receive.try_recv() {
                assert_eq!(ran, here);
                break;
            }
            drumline::yield_now();
        }
    });
    drop(stops);
    pool.shutdown().unwrap();
}

#[test]
fn tasks_across_pools() {
    let (a, b) = (closed(1), pool(1));
    let task = a.install(|| b.spawn(|| 3));
    let value = a.install(move || task.join().unwrap());
    assert_eq!(value, 3);
    let task = b.install(|| a.spawn(|| 4));
    assert_eq!(b.install(move || task.join().unwrap()), 4);
}

#[test]
fn the_global_pool_takes_tasks() {
    let tasks: Vec<_> = (0..100).map(|n| drumline::spawn(move || n)).collect();
    let sum: u32 = tasks.into_iter().map(|task| task.join().unwrap()).sum();
    assert_eq!(sum, 4950);
}
