//! `max_threads` is the number of threads that a pool never exceeds, the monitor included.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::Event as Happened;
use drumline::{Event, Pool, PoolBuilder, blocking};

/// How many threads a pool has now, and had at most, by its own events.
#[derive(Debug, Default)]
struct Threads {
    now: AtomicUsize,
    most: AtomicUsize,
}

/// The pool, and the count of its threads.
fn counted(builder: PoolBuilder) -> (Pool, Arc<Threads>) {
    let threads = Arc::new(Threads::default());
    let counts = Arc::clone(&threads);
    let pool = builder.event_handler(move |event| match event {
        Event::ThreadStarted { .. } => {
            let now = counts.now.fetch_add(1, Ordering::SeqCst) + 1;
            counts.most.fetch_max(now, Ordering::SeqCst);
        }
        Event::ThreadStopped { .. } => {
            counts.now.fetch_sub(1, Ordering::SeqCst);
        }
        _ => {}
    });
    (pool.build().unwrap(), threads)
}

/// Jobs that block until they are released, one after another, more than the pool may have threads.
fn block_all(pool: &Pool, max: usize, announced: bool) {
    let release = Arc::new(Happened::new());
    let tasks: Vec<_> = (0..max + 3)
        .map(|index| {
            let begun = Arc::new(Happened::new());
            let (begins, released) = (Arc::clone(&begun), Arc::clone(&release));
            let task = pool.spawn(move || {
                let wait = || {
                    begins.set();
                    released.wait();
                };
                if announced { blocking(wait) } else { wait() }
            });
            // A spare is made by the very call that finds it missing.
            assert!(pool.stats().threads <= max, "{:?}", pool.stats());
            if index < pool.jobs() {
                begun.wait();
            }
            task
        })
        .collect();
    assert!(pool.stats().threads <= max, "{:?}", pool.stats());
    release.set();
    for task in tasks {
        task.join().unwrap();
    }
}

#[test]
fn the_limit_counts_every_thread() {
    for jobs in [1, 2, 4] {
        for more in [0, 1, 3] {
            let max = jobs + more;
            let limited = || {
                let builder = Pool::builder().jobs(jobs).max_threads(max).guests(false);
                builder.warning_handler(|_| ())
            };
            for announced in [true, false] {
                let (pool, threads) = counted(limited());
                for _ in 0..3 {
                    block_all(&pool, max, announced);
                    pool.install(|| common::fib(15));
                }
                let most = threads.most.load(Ordering::SeqCst);
                assert!(
                    most <= max,
                    "{most} threads, with jobs {jobs} and at most {max}"
                );
                pool.shutdown().unwrap();
                assert_eq!(threads.now.load(Ordering::SeqCst), 0);
            }
        }
    }
}

#[test]
fn with_as_many_threads_as_jobs_none_is_added_for_work_that_does_not_block() {
    let (pool, threads) = counted(Pool::builder().jobs(2).max_threads(2));
    for _ in 0..50 {
        assert_eq!(pool.install(|| common::fib(18)), 2584);
        let tasks: Vec<_> = (0..8).map(|_| pool.spawn(|| common::fib(12))).collect();
        for task in tasks {
            assert_eq!(task.join().unwrap(), 144);
        }
        assert!(pool.stats().threads <= 2);
    }
    assert!(threads.most.load(Ordering::SeqCst) <= 2);
}

/// The member is one of the threads that there may be.
#[test]
fn the_limit_counts_the_thread_that_built_the_pool() {
    for (jobs, max) in [(1, 1), (2, 2), (2, 3)] {
        let checked = thread::spawn(move || {
            let builder = Pool::builder().jobs(jobs).max_threads(max);
            let builder = builder.warning_handler(|_| ()).use_current_thread();
            let (pool, threads) = counted(builder);
            let release = Arc::new(Happened::new());
            for _ in 0..max + 2 {
                let release = Arc::clone(&release);
                drop(pool.spawn(move || blocking(|| release.wait())));
                assert!(pool.stats().threads <= max, "{:?}", pool.stats());
            }
            common::fib(15);
            release.set();
            assert_eq!(pool.spawn(|| 7).join().unwrap(), 7);
            // The events are of the other threads.
            assert!(threads.most.load(Ordering::SeqCst) < max.max(2));
        });
        checked.join().unwrap();
    }
}

/// A pool with a limit that more jobs have raised keeps to the new one.
#[test]
fn more_jobs_raise_the_limit() {
    let builder = Pool::builder().jobs(1).max_threads(2).guests(false);
    let (pool, threads) = counted(builder.warning_handler(|_| ()));
    block_all(&pool, 2, true);
    pool.set_jobs(4).unwrap();
    block_all(&pool, 4, true);
    block_all(&pool, 4, false);
    assert!(threads.most.load(Ordering::SeqCst) <= 4);
}
