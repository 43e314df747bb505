//! Pools without guests and spares: every index is less than the number of jobs, and each index is
//! that of one thread at a time.

mod common;

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use common::{Random, ends};
use drumline::prelude::*;
use drumline::{Pool, PoolBuilder, WaitPolicy, blocking, join, scope, spawn, stream, worker_index};

/// Which thread is at work on an entry, and how many closures deep.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    thread: Option<ThreadId>,
    depth: usize,
}

/// A table with an entry for each job, as programs keep them.
struct Table {
    entries: Vec<Mutex<Entry>>,
    visits: AtomicUsize,
    inside: AtomicUsize,
}

impl Table {
    fn new(jobs: usize) -> Self {
        Table {
            entries: (0..jobs).map(|_| Mutex::default()).collect(),
            visits: AtomicUsize::new(0),
            inside: AtomicUsize::new(0),
        }
    }

    /// Runs `f` with the entry of this thread in its hands.
    #[track_caller]
    fn visit<R>(&self, f: impl FnOnce() -> R) -> R {
        let index = worker_index().expect("it runs in the pool");
        assert!(index < self.entries.len(), "index {index}");
        let me = thread::current().id();
        let entry = &self.entries[index];
        let first = {
            let mut entry = entry.lock().unwrap();
            assert!(
                entry.depth == 0 || entry.thread == Some(me),
                "two threads at once have index {index}"
            );
            entry.thread = Some(me);
            entry.depth += 1;
            entry.depth == 1
        };
        if first {
            let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
            assert!(inside <= self.entries.len(), "{inside} closures at once");
        }
        self.visits.fetch_add(1, Ordering::SeqCst);
        let result = f();
        if first {
            self.inside.fetch_sub(1, Ordering::SeqCst);
        }
        assert_eq!(worker_index(), Some(index), "it stays where it is");
        entry.lock().unwrap().depth -= 1;
        result
    }

    fn fib(&self, n: u64) -> u64 {
        if n < 2 {
            return self.visit(|| n);
        }
        let (a, b) = self.visit(|| join(|| self.fib(n - 1), || self.fib(n - 2)));
        a + b
    }
}

/// The pools in question, with what they are.
fn fixed(jobs: usize, policy: WaitPolicy) -> PoolBuilder {
    Pool::builder()
        .jobs(jobs)
        .guests(false)
        .spares(false)
        .wait_policy(policy)
}

/// All that a program can do in a pool, for a while.
fn everything(pool: &Pool, table: &'static Table) {
    let nap = || blocking(|| thread::sleep(Duration::from_micros(100)));
    pool.install(|| table.visit(|| table.fib(9)));
    pool.join(|| table.visit(nap), || table.visit(nap));
    pool.scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|scope| {
                table.visit(|| thread::sleep(Duration::from_micros(50)));
                scope.spawn(|_| table.visit(nap));
            });
        }
    });
    pool.in_place_scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|_| table.visit(|| ()));
        }
    });
    let sum: u64 = pool.install(|| {
        (0..200_u64)
            .into_par_iter()
            .map(|n| table.visit(|| n))
            .sum()
    });
    assert_eq!(sum, 19_900);
    let mut seen = Vec::new();
    pool.install(|| {
        let squares = stream::iter(0..50_u64).map_ordered(|n| table.visit(|| n * n));
        squares.for_each(|square| table.visit(|| seen.push(square)));
    });
    assert!(seen.iter().copied().eq((0..50).map(|n| n * n)));
    pool.broadcast(|_| table.visit(|| ()));
    pool.spawn_broadcast(|_| table.visit(|| ()));
    for _ in 0..10 {
        drop(pool.spawn(move || table.visit(|| drop(spawn(move || table.visit(|| ()))))));
    }
    let joined = pool.spawn(move || {
        table.visit(|| {
            let inner = spawn(move || table.visit(|| 6));
            drumline::yield_now();
            inner.join().unwrap() * 7
        })
    });
    assert_eq!(joined.join().unwrap(), 42);
    let nested = pool.install(|| scope(|_| table.visit(|| join(|| 1, || table.visit(|| 2)))));
    assert_eq!(nested, (1, 2));
}

/// Several threads outside do all of it at once.
#[track_caller]
fn from_outside(pool: Pool, table: &'static Table) {
    thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                everything(&pool, table);
                everything(&pool, table);
            });
        }
    });
    pool.shutdown().unwrap();
    assert!(table.visits.load(Ordering::SeqCst) > 1_000);
    assert_eq!(table.inside.load(Ordering::SeqCst), 0);
}

fn table(jobs: usize) -> &'static Table {
    Box::leak(Box::new(Table::new(jobs)))
}

fn every_index_is_less_than_the_jobs(policy: WaitPolicy) {
    ends(move || {
        for jobs in [1, 2, 8] {
            from_outside(fixed(jobs, policy).build().unwrap(), table(jobs));
        }
    });
}

#[test]
fn every_index_is_less_than_the_jobs_where_waiters_run_what_is_related() {
    every_index_is_less_than_the_jobs(WaitPolicy::Related);
}

#[test]
fn every_index_is_less_than_the_jobs_where_waiters_run_anything() {
    every_index_is_less_than_the_jobs(WaitPolicy::Steal);
}

#[test]
fn threads_of_the_program_are_as_many() {
    ends(|| {
        for jobs in [1, 2] {
            let builder = fixed(jobs, WaitPolicy::Related);
            let pool = builder
                .spawn_handler(|worker| thread::Builder::new().spawn(|| worker.run()).map(drop));
            from_outside(pool.build().unwrap(), table(jobs));
            let (builder, table) = (fixed(jobs, WaitPolicy::Related), table(jobs));
            builder
                .build_scoped(|worker| worker.run(), |pool| everything(pool, table))
                .unwrap();
        }
    });
}

/// The thread that builds the pool has one of the indices, and does not leave it.
#[test]
fn a_member_has_an_index_of_its_own() {
    for policy in [WaitPolicy::Related, WaitPolicy::Steal] {
        for jobs in [2, 3] {
            ends(move || {
                let table = table(jobs);
                let pool = fixed(jobs, policy).use_current_thread().build().unwrap();
                assert!(pool.worker_index().unwrap() < jobs);
                thread::scope(|threads| {
                    threads.spawn(|| everything(&pool, table));
                    table.visit(|| table.fib(12));
                    scope(|scope| {
                        for _ in 0..50 {
                            scope.spawn(|_| table.visit(|| ()));
                        }
                    });
                });
            });
        }
    }
}

/// If the member is the only thread, calls from outside wait until it has time for them.
#[test]
fn a_member_that_is_alone_runs_what_comes_from_outside() {
    ends(|| {
        let table = table(1);
        let builder = fixed(1, WaitPolicy::Steal);
        let pool = builder.use_current_thread().build().unwrap();
        let here = thread::current().id();
        thread::scope(|threads| {
            let call = || pool.install(|| table.visit(|| thread::current().id()));
            let outside = threads.spawn(call);
            common::eventually("it is run by the member", || {
                table.visit(drumline::yield_now);
                outside.is_finished()
            });
            assert_eq!(outside.join().unwrap(), here);
        });
    });
}

/// The system refuses some threads, or all: fewer indices, and never a larger one.
#[test]
fn where_threads_are_refused() {
    ends(|| {
        for jobs in [1, 2, 8] {
            for granted in 0..jobs {
                let mut left = granted;
                let builder = fixed(jobs, WaitPolicy::Related).warning_handler(|_| ());
                let pool = builder.spawn_handler(move |worker| {
                    if left == 0 {
                        return Err(io::Error::other("no more threads today"));
                    }
                    left -= 1;
                    thread::Builder::new().spawn(|| worker.run()).map(drop)
                });
                let (pool, table) = (pool.build().unwrap(), table(jobs));
                // Those that are missing are asked for again; without any it stays so.
                pool.install(|| table.visit(|| pool.set_jobs(jobs)))
                    .unwrap();
                from_outside(pool, table);
            }
        }
    });
}

/// With one job and no thread, callers take turns.
#[test]
fn callers_of_a_pool_without_threads_take_turns() {
    ends(|| {
        let table = table(2);
        let builder = fixed(2, WaitPolicy::Related).warning_handler(|_| ());
        let pool = builder.spawn_handler(|_| Err(io::Error::other("no threads today")));
        let pool = pool.build().unwrap();
        thread::scope(|threads| {
            for seed in 0..8 {
                let pool = &pool;
                threads.spawn(move || {
                    let mut random = Random::new(seed);
                    for _ in 0..50 {
                        let times = random.below(20);
                        pool.install(|| {
                            table.visit(|| (0..times).for_each(|_| thread::yield_now()));
                        });
                    }
                });
            }
        });
        assert_eq!(table.visits.load(Ordering::SeqCst), 8 * 50);
    });
}

/// The bound is the largest number of jobs so far.
#[test]
fn the_number_of_jobs_changes() {
    ends(|| {
        let table = table(5);
        let pool = fixed(2, WaitPolicy::Related).build().unwrap();
        for jobs in [2, 5, 1, 3, 5] {
            pool.set_jobs(jobs).unwrap();
            everything(&pool, table);
        }
        assert!(pool.stats().threads <= 5);
    });
}

/// No thread is added, whatever blocks, and however.
#[test]
fn no_thread_is_added() {
    ends(|| {
        let started = std::sync::Arc::new(AtomicUsize::new(0));
        let counts = std::sync::Arc::clone(&started);
        let builder = fixed(2, WaitPolicy::Related).start_handler(move |_| {
            counts.fetch_add(1, Ordering::SeqCst);
        });
        let pool = builder.build().unwrap();
        for announced in [true, false] {
            let release = std::sync::Arc::new(common::Event::new());
            let begun = std::sync::Arc::new(AtomicUsize::new(0));
            let mut tasks = Vec::new();
            for count in 1..=6 {
                let (begins, release) = (begun.clone(), release.clone());
                tasks.push(pool.spawn(move || {
                    begins.fetch_add(1, Ordering::SeqCst);
                    if announced {
                        blocking(|| release.wait());
                    } else {
                        release.wait();
                    }
                }));
                common::eventually("both threads are blocked", || {
                    begun.load(Ordering::SeqCst) == count.min(2)
                });
                // A spare would be made by the call that finds it missing.
                assert_eq!(pool.stats().threads, 2);
            }
            release.set();
            tasks.into_iter().for_each(|task| task.join().unwrap());
        }
        pool.shutdown().unwrap();
        assert_eq!(started.load(Ordering::SeqCst), 2);
    });
}

/// Calls that go back and forth between pools with threads that all wait.
#[test]
fn calls_come_back_from_another_pool() {
    ends(|| {
        for jobs in [1, 2] {
            let [a, b] = [(); 2].map(|()| fixed(jobs, WaitPolicy::Steal).build().unwrap());
            let (in_a, in_b) = (table(jobs), table(jobs));
            for _ in 0..20 {
                let deepest = || in_a.visit(|| join(|| 6, || 7));
                let back = || in_b.visit(|| a.install(deepest));
                assert_eq!(a.install(|| in_a.visit(|| b.install(back))), (6, 7));
                // A broadcast to the pool of the caller, from another one.
                let shares = || a.broadcast(|_| in_a.visit(|| 1)).len();
                assert_eq!(a.install(|| b.install(shares)), jobs);
                assert_eq!(a.broadcast(|_| b.broadcast(|_| 1).len()), vec![jobs; jobs]);
                let sum = || in_b.visit(|| a.install(|| a.spawn(|| 5).join().unwrap()));
                assert_eq!(
                    a.install(|| b.spawn(|| 2).join().unwrap() + b.install(sum)),
                    7
                );
            }
        }
    });
}

/// A thread that waits is asleep, and no other is left: it is woken for what comes then.
#[test]
fn a_thread_that_waits_is_woken_for_any_job() {
    ends(|| {
        let slept = std::sync::Arc::new(AtomicUsize::new(0));
        let counts = std::sync::Arc::clone(&slept);
        let builder = fixed(2, WaitPolicy::Steal).event_handler(move |event| {
            if matches!(event, drumline::Event::Slept { .. }) {
                counts.fetch_add(1, Ordering::SeqCst);
            }
        });
        let pool = builder.build().unwrap();
        for from_outside in [true, false] {
            let [arrived, asleep, released] = [(); 3].map(|()| common::Event::new());
            let first = || arrived.wait();
            // The thread of the first half waits for this one.
            let second = || {
                let before = slept.load(Ordering::SeqCst);
                arrived.set();
                common::eventually("it falls asleep", || slept.load(Ordering::SeqCst) > before);
                asleep.set();
                if from_outside {
                    released.wait();
                } else {
                    scope(|scope| {
                        scope.spawn(|_| released.set());
                        released.wait();
                    });
                }
            };
            thread::scope(|threads| {
                let caller = threads.spawn(|| pool.join(first, second));
                if from_outside {
                    asleep.wait();
                    pool.spawn(|| ()).join().unwrap();
                    released.set();
                }
                caller.join().unwrap();
            });
        }
    });
}

/// A caller waits for its broadcast, and then it turns out that no thread comes for the share: the
/// thread that learns of it runs the share, on the seat that has become free.
#[test]
#[cfg(target_os = "linux")]
fn a_share_of_a_thread_that_does_not_come_is_run() {
    ends(|| {
        for jobs in [1, 3] {
            let held = Arc::new(Mutex::new(Vec::new()));
            let builder = fixed(jobs, WaitPolicy::Related).warning_handler(|_| ());
            let into = Arc::clone(&held);
            let pool = builder.spawn_handler(move |thread| {
                into.lock().unwrap().push(thread);
                Ok(())
            });
            let pool = pool.build().unwrap();
            thread::scope(|threads| {
                let caller = thread::Builder::new().name("shares-out".to_owned());
                let caller = caller.spawn_scoped(threads, || pool.broadcast(|share| share.index()));
                common::threads::wait_until_asleep("shares-out", 1, Duration::from_millis(1));
                // All at once, so that none has a seat or another thread to hand its share to.
                for thread in held.lock().unwrap().drain(..) {
                    threads.spawn(move || drop(thread));
                }
                let shares = caller.unwrap().join().unwrap();
                assert_eq!(shares, Vec::from_iter(0..jobs));
            });
        }
    });
}

/// With one job, and without guests, nothing is left to poll a future that a job waits for with its
/// thread. It stands still, as the documentation says, until there is a second job.
#[cfg(target_os = "linux")]
#[test]
fn a_wait_for_a_future_stands_still_without_another_thread() {
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc;

    use drumline::{JoinHandle, block_on, spawn_future};

    const NAME: &str = "waits-in-place";
    let waits: [fn(JoinHandle<u32>) -> u32; 2] =
        [|task| block_on(task).unwrap(), |task| task.join().unwrap()];
    for wait in waits {
        let builder = Pool::builder().jobs(1).spares(false);
        let pool = builder.thread_name(|_| NAME.to_owned()).build().unwrap();
        let is_polled = Arc::new(AtomicBool::new(false));
        let polled = Arc::clone(&is_polled);
        let (begun, begins) = mpsc::channel();
        let outer = pool.spawn(move || {
            let task = spawn_future(async move {
                polled.store(true, Ordering::SeqCst);
                42
            });
            begun.send(()).unwrap();
            wait(task)
        });
        begins.recv().unwrap();
        common::threads::wait_until_asleep(NAME, 1, Duration::from_millis(20));
        let stats = pool.stats();
        assert_eq!((stats.spares, stats.threads), (0, 1));
        assert!(!is_polled.load(Ordering::SeqCst));
        pool.set_jobs(2).unwrap();
        assert_eq!(outer.join().unwrap(), 42);
    }
}
