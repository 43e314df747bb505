//! The thread that builds a pool as one of its threads.

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder, Yield};

/// Longer than anything here takes on the slowest machine.
const FOREVER: Duration = Duration::from_secs(120);

/// Runs `program` on a thread of its own, which stays a member of the pool to its end.
fn ends(program: impl FnOnce() + Send + 'static) {
    let (done, is_done) = mpsc::channel();
    let thread = thread::spawn(move || {
        program();
        done.send(()).unwrap();
    });
    match is_done.recv_timeout(FOREVER) {
        Ok(()) => {}
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("the program stands still"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {}
    }
    thread.join().unwrap();
}

fn build(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    pool.use_current_thread().build().unwrap()
}

/// One result for each thread, in the order of the indices.
fn check_results(indices: &[usize], threads: usize) {
    assert_eq!(indices, (0..threads).collect::<Vec<_>>());
}

fn own_index(_: rayon::BroadcastContext<'_>) -> usize {
    rayon::current_thread_index().expect("a share runs in the pool")
}

#[test]
fn a_broadcast_has_as_many_results_as_threads() {
    for threads in 1..=4 {
        ends(move || {
            let pool = build(threads);
            assert_eq!(rayon::current_thread_index(), Some(0));
            assert_eq!(pool.current_thread_index(), Some(0));
            assert_eq!(rayon::current_num_threads(), threads);
            for _ in 0..50 {
                check_results(&rayon::broadcast(own_index), threads);
                check_results(&pool.broadcast(own_index), threads);
                let count = rayon::broadcast(|context| context.num_threads());
                assert_eq!(count, vec![threads; threads]);
                let places = rayon::broadcast(|context| context.index());
                check_results(&places, threads);
            }
        });
    }
}

/// The share of the member runs on its thread, and each other share on a thread of its own.
#[test]
fn each_share_has_a_thread() {
    ends(|| {
        let pool = build(3);
        let here = thread::current().id();
        let threads = pool.broadcast(|_| thread::current().id());
        assert_eq!(threads[0], here);
        let different: BTreeSet<_> = threads.iter().map(|id| format!("{id:?}")).collect();
        assert_eq!(different.len(), 3);
    });
}

/// The member waits in a scope for the thread that broadcasts.
#[test]
fn a_member_that_waits_runs_its_share() {
    for threads in 2..=4 {
        ends(move || {
            let pool = build(threads);
            for _ in 0..50 {
                let results = Mutex::new(Vec::new());
                let here = thread::current().id();
                let (started, is_started) = mpsc::channel();
                rayon::in_place_scope(|scope| {
                    scope.spawn(|_| {
                        started.send(thread::current().id()).unwrap();
                        *results.lock().unwrap() = rayon::broadcast(own_index);
                    });
                    // Begun elsewhere, so that the share comes from another thread.
                    assert_ne!(is_started.recv_timeout(FOREVER), Ok(here));
                });
                check_results(&results.into_inner().unwrap(), threads);
            }
            drop(pool);
        });
    }
}

/// A broadcast from outside waits until the member yields.
#[test]
fn a_member_that_yields_runs_its_share() {
    for threads in 1..=3 {
        ends(move || {
            let pool = Arc::new(build(threads));
            for local in [true, false] {
                let (send, receive) = mpsc::channel();
                let there = Arc::clone(&pool);
                let outside = thread::spawn(move || send.send(there.broadcast(own_index)));
                let results = loop {
                    let step = if local {
                        rayon::yield_local()
                    } else {
                        rayon::yield_now()
                    };
                    assert!(step.is_some());
                    if let Ok(results) = receive.try_recv() {
                        break results;
                    }
                    thread::yield_now();
                };
                check_results(&results, threads);
                outside.join().unwrap().unwrap();
            }
        });
    }
}

#[test]
fn a_spawned_broadcast_goes_to_the_member_when_it_yields() {
    for threads in 1..=3 {
        ends(move || {
            let pool = build(threads);
            let (send, receive) = mpsc::channel();
            pool.spawn_broadcast(move |context| {
                let place = (context.index(), rayon::current_thread_index());
                send.send((place, thread::current().id())).unwrap();
            });
            let others: Vec<_> = (1..threads)
                .map(|_| receive.recv_timeout(FOREVER).unwrap())
                .collect();
            assert!(others.iter().all(|(place, _)| place.0 != 0));
            assert_eq!(pool.yield_local(), Some(Yield::Executed));
            let own = receive.recv_timeout(FOREVER);
            assert_eq!(own, Ok(((0, Some(0)), thread::current().id())));
            let end = receive.recv_timeout(FOREVER);
            assert_eq!(end, Err(mpsc::RecvTimeoutError::Disconnected));
            assert_eq!(rayon::yield_local(), Some(Yield::Idle));
        });
    }
}

#[test]
fn a_scope_broadcasts_to_the_member() {
    for threads in 1..=3 {
        ends(move || {
            let _pool = build(threads);
            let seen = Mutex::new(Vec::new());
            rayon::scope(|scope| {
                scope.spawn_broadcast(|_, context| {
                    assert_eq!(rayon::current_thread_index(), Some(context.index()));
                    seen.lock().unwrap().push(context.index());
                });
            });
            let mut seen = seen.into_inner().unwrap();
            seen.sort_unstable();
            check_results(&seen, threads);
        });
    }
}

/// The member of a scoped pool is one of its threads, also where there is no other.
#[test]
fn a_scoped_pool_has_the_member() {
    for threads in 1..=3 {
        ends(move || {
            let borrowed = String::from("lent to the pool");
            let pool = ThreadPoolBuilder::new().num_threads(threads);
            let length = pool
                .use_current_thread()
                .build_scoped(
                    |worker| {
                        assert!(worker.index() > 0);
                        worker.run();
                    },
                    |pool| {
                        assert_eq!(pool.current_num_threads(), threads);
                        assert_eq!(pool.current_thread_index(), Some(0));
                        check_results(&pool.broadcast(own_index), threads);
                        pool.install(|| rayon::join(|| borrowed.len(), || ()).0)
                    },
                )
                .unwrap();
            assert_eq!(length, borrowed.len());
        });
    }
}

/// A share that the member never runs keeps the pool from nothing.
#[test]
fn a_share_that_is_left_behind_does_not_keep_the_threads() {
    ends(|| {
        let (ended, ends) = mpsc::channel();
        let pool = ThreadPoolBuilder::new().num_threads(3);
        let pool = pool.exit_handler(move |index| ended.send(index).unwrap());
        let pool = pool.use_current_thread().build().unwrap();
        let (send, receive) = mpsc::channel();
        pool.spawn_broadcast(move |context| send.send(context.index()).unwrap());
        let others = [(); 2].map(|()| receive.recv_timeout(FOREVER).unwrap());
        assert_eq!(BTreeSet::from(others), BTreeSet::from([1, 2]));
        drop(pool);
        let ended = [(); 2].map(|()| ends.recv_timeout(FOREVER).unwrap());
        assert_eq!(BTreeSet::from(ended), BTreeSet::from([1, 2]));
    });
}
