//! Broadcasts: once on every worker, from everywhere.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use drumline::Pool;

fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().unwrap()
}

fn closed(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).guests(false).build().unwrap()
}

#[test]
fn once_on_every_worker() {
    for jobs in [1, 2, 7, 64] {
        for pool in [pool(jobs), closed(jobs)] {
            for _ in 0..10 {
                let seen = pool.broadcast(|ctx| {
                    assert_eq!(ctx.threads(), jobs);
                    (ctx.index(), thread::current().id())
                });
                let indices: Vec<_> = seen.iter().map(|&(index, _)| index).collect();
                assert_eq!(indices, (0..jobs).collect::<Vec<_>>());
                let threads: HashSet<_> = seen.iter().map(|&(_, thread)| thread).collect();
                assert_eq!(threads.len(), jobs);
                assert!(!threads.contains(&thread::current().id()));
            }
        }
    }
}

#[test]
fn the_same_worker_has_the_same_number() {
    let pool = pool(3);
    let first = pool.broadcast(|_| thread::current().id());
    let second = pool.broadcast(|_| thread::current().id());
    assert_eq!(first, second);
}

#[test]
fn from_inside() {
    for pool in [pool(1), pool(2), closed(1), closed(2), closed(64)] {
        let jobs = pool.jobs();
        let seen = pool.install(|| drumline::broadcast(|ctx| ctx.index()));
        assert_eq!(seen, (0..jobs).collect::<Vec<_>>());
    }
}

#[test]
fn from_every_worker_at_once() {
    for pool in [closed(1), closed(2), closed(8)] {
        let jobs = pool.jobs();
        let count = AtomicUsize::new(0);
        pool.broadcast(|_| {
            drumline::broadcast(|_| count.fetch_add(1, Ordering::Relaxed));
        });
        assert_eq!(count.load(Ordering::Relaxed), jobs * jobs);
    }
}

#[test]
fn from_both_halves_of_a_join() {
    for pool in [pool(2), closed(2), closed(4)] {
        let jobs = pool.jobs();
        for _ in 0..50 {
            let (a, b) = pool.join(
                || drumline::broadcast(|_| 1).len(),
                || drumline::broadcast(|_| 1).len(),
            );
            assert_eq!((a, b), (jobs, jobs));
        }
    }
}

#[test]
fn from_many_threads_outside() {
    let pool = pool(3);
    let count = AtomicUsize::new(0);
    thread::scope(|s| {
        for _ in 0..8 {
            s.spawn(|| {
                for _ in 0..50 {
                    pool.broadcast(|_| count.fetch_add(1, Ordering::Relaxed));
                }
            });
        }
    });
    assert_eq!(count.load(Ordering::Relaxed), 8 * 50 * 3);
}

#[test]
fn from_another_pool() {
    let (a, b) = (closed(2), closed(3));
    let seen = a.install(|| b.broadcast(|ctx| ctx.threads()));
    assert_eq!(seen, [3, 3, 3]);
}

#[test]
fn runs_parallel_work() {
    fn fib(n: u32) -> u64 {
        if n < 2 {
            return n.into();
        }
        let (a, b) = drumline::join(|| fib(n - 1), || fib(n - 2));
        a + b
    }
    let pool = pool(4);
    assert_eq!(pool.broadcast(|_| fib(15)), [610; 4]);
}

#[test]
fn panics_come_after_all_have_ended() {
    for pool in [pool(3), closed(3)] {
        let ended = AtomicUsize::new(0);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            pool.broadcast(|ctx| {
                ended.fetch_add(1, Ordering::SeqCst);
                if ctx.index() > 0 {
                    panic_any(ctx.index());
                }
            })
        }));
        let payload = panicked.unwrap_err();
        assert_eq!(payload.downcast_ref::<usize>(), Some(&1));
        assert_eq!(ended.load(Ordering::SeqCst), 3);
        assert_eq!(pool.broadcast(|_| 1), [1, 1, 1]);
        let inside = catch_unwind(AssertUnwindSafe(|| {
            pool.install(|| drumline::broadcast(|_| panic_any("all")))
        }));
        assert!(inside.is_err());
    }
}

#[test]
fn results_are_dropped_when_one_panics() {
    struct Tally<'a>(&'a AtomicUsize);
    impl Drop for Tally<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
            panic!("the drop panics");
        }
    }
    let drops = AtomicUsize::new(0);
    let pool = pool(4);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        pool.broadcast(|ctx| {
            if ctx.index() == 2 {
                panic_any("two");
            }
            Tally(&drops)
        })
    }));
    let payload = panicked.err().unwrap();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"two"));
    assert_eq!(drops.load(Ordering::SeqCst), 3);
}

#[test]
fn spawned() {
    for pool in [pool(4), closed(4)] {
        let (send, receive) = channel();
        pool.spawn_broadcast(move |ctx| send.send((ctx.index(), thread::current().id())).unwrap());
        let mut seen: Vec<_> = receive.iter().collect();
        seen.sort_by_key(|&(index, _)| index);
        let threads: HashSet<_> = seen.iter().map(|&(_, thread)| thread).collect();
        assert_eq!(threads.len(), 4);
        assert_eq!(seen.len(), 4);
    }
}

#[test]
fn spawned_from_inside_and_the_pool_ends() {
    let pool = pool(4);
    let count = Arc::new(AtomicUsize::new(0));
    pool.install(|| {
        for _ in 0..10 {
            let count = Arc::clone(&count);
            drumline::spawn_broadcast(move |_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
        }
    });
    pool.shutdown().unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 40);
    assert_eq!(Arc::strong_count(&count), 1);
}

#[test]
fn spawned_panics_are_counted() {
    let pool = pool(3);
    pool.spawn_broadcast(|_| panic_any("no thread waits"));
    while pool.lost_panics() < 3 {
        thread::yield_now();
    }
    assert_eq!(pool.broadcast(|_| ()).len(), 3);
    assert_eq!(pool.lost_panics(), 3);
}

#[test]
fn scoped() {
    for pool in [pool(1), pool(3), closed(3), pool(64)] {
        let jobs = pool.jobs();
        let seen = Mutex::new(Vec::new());
        let extra = AtomicUsize::new(0);
        pool.scope(|s| {
            s.spawn_broadcast(|s, ctx| {
                seen.lock().unwrap().push(ctx.index());
                s.spawn(|_| {
                    extra.fetch_add(1, Ordering::Relaxed);
                });
            });
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort();
        assert_eq!(seen, (0..jobs).collect::<Vec<_>>());
        assert_eq!(extra.into_inner(), jobs);

        let count = AtomicUsize::new(0);
        pool.in_place_scope_fifo(|s| {
            s.spawn_broadcast(|_, ctx| {
                count.fetch_add(ctx.threads(), Ordering::Relaxed);
            });
        });
        assert_eq!(count.into_inner(), jobs * jobs);
    }
}

#[test]
fn scoped_panics() {
    let pool = pool(3);
    let ran = AtomicUsize::new(0);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        pool.scope(|s| {
            s.spawn_broadcast(|_, _| {
                ran.fetch_add(1, Ordering::SeqCst);
                panic_any("each");
            });
        })
    }));
    assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"each"));
    assert_eq!(ran.load(Ordering::SeqCst), 3);
}

#[test]
fn a_waiting_scope_runs_its_share() {
    // On the only worker, inside a job that waits for the broadcast.
    let pool = closed(1);
    let count = AtomicUsize::new(0);
    pool.scope(|outer| {
        outer.spawn(|_| {
            drumline::scope(|s| {
                s.spawn_broadcast(|_, _| {
                    count.fetch_add(1, Ordering::Relaxed);
                });
            });
        });
    });
    assert_eq!(count.into_inner(), 1);
}

#[test]
fn without_workers_the_caller_runs_the_stream() {
    let pool = Pool::builder()
        .jobs(2)
        .warning_handler(|_| ())
        .spawn_handler(|_| Err(std::io::Error::other("no threads today")))
        .build()
        .unwrap();
    let me = thread::current().id();
    assert_eq!(pool.broadcast(|_| thread::current().id()), [me]);
    let (send, receive) = channel();
    pool.spawn_broadcast(move |ctx| send.send(ctx.threads()).unwrap());
    assert_eq!(receive.try_recv(), Ok(1));
    let mut count = AtomicUsize::new(0);
    pool.scope(|s| {
        s.spawn_broadcast(|_, _| {
            count.fetch_add(1, Ordering::Relaxed);
        });
    });
    assert_eq!(*count.get_mut(), 1);
}

#[test]
fn after_the_number_of_jobs_changed() {
    let pool = pool(1);
    pool.set_jobs(3).unwrap();
    assert_eq!(pool.broadcast(|_| 1), [1, 1, 1]);
    pool.set_jobs(1).unwrap();
    assert_eq!(pool.broadcast(|_| 1), [1, 1, 1]);
}
