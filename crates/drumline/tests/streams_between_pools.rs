//! Streams in pools that have no thread but their own: what the closures of a stream wait for may
//! be a call that comes back to the pool of the thread that waits for the stream.
//!
//! With [`WaitPolicy::Steal`] that thread runs the call. Every program here needs it: without that,
//! no thread is left for the call.

mod common;

use std::sync::Arc;
use std::thread;

use common::ends;
use drumline::stream::{self, stream};
use drumline::{Pool, WaitPolicy};

/// A stream that is begun in the first pool, and that may use the second.
type Program = fn(&Arc<Pool>, &Arc<Pool>);

const ITEMS: u64 = 40;
const SUM: u64 = ITEMS * (ITEMS - 1) / 2;

/// Streams with consumers that are threads of their own.
const WITH_THREADS: [(&str, Program); 6] = [
    ("threads, in order", |a, _| {
        let mut sum = 0;
        let stage = stream::iter(0..ITEMS).threads(2);
        let results = stage.map(|n| a.install(|| n)).ordered();
        results.for_each(|n| sum += n);
        assert_eq!(sum, SUM);
    }),
    ("threads, as they come", |a, _| {
        let mut sum = 0;
        let stage = stream::iter(0..ITEMS).threads(2);
        let results = stage.map(|n| a.join(|| n, || ()).0).unordered();
        results.for_each(|n| sum += n);
        assert_eq!(sum, SUM);
    }),
    ("one thread, an iterator", |a, _| {
        let a = Arc::clone(a);
        let stage = stream::iter(0..ITEMS).threads(1);
        let results = stage.map(move |n| a.install(|| n)).ordered();
        assert_eq!(results.into_iter().sum::<u64>(), SUM);
    }),
    ("threads, left early", |a, _| {
        let stage = stream::iter(0..ITEMS).threads(3).batch(1);
        let results = stage.map(|n| a.install(|| n)).ordered();
        assert_eq!(results.with(|results| results.next()), Some(0));
    }),
    ("threads, a parallel end", |a, _| {
        let stage = stream::iter(0..ITEMS).threads(3).batch(1);
        let sum = stage.map(|n| a.install(|| n)).reduce_with(|x, y| x + y);
        assert_eq!(sum, Some(SUM));
    }),
    ("threads, two stages", |a, b| {
        let mut sum = 0;
        let stage = stream::iter(0..ITEMS).threads(2).batch(1);
        let next = stage.map(|n| a.install(|| n)).ordered().stream();
        let results = next.batch(1).map(|n| b.install(|| a.install(|| n)));
        results.ordered().for_each(|n| sum += n);
        assert_eq!(sum, SUM);
    }),
];

/// Streams with consumers that are threads of the second pool.
const WITH_ANOTHER_POOL: [(&str, Program); 3] = [
    ("another pool, in order", |a, b| {
        let mut sum = 0;
        let stage = stream::iter(0..ITEMS).pool(b);
        let results = stage.map(|n| a.install(|| n)).ordered();
        results.for_each(|n| sum += n);
        assert_eq!(sum, SUM);
    }),
    ("another pool, a parallel end", |a, b| {
        let stage = stream::iter(0..ITEMS).pool(b).batch(1);
        let sum = stage.map(|n| a.install(|| n)).reduce_with(|x, y| x + y);
        assert_eq!(sum, Some(SUM));
    }),
    ("another pool, from a queue", |a, b| {
        let (sender, receiver) = stream::queue(4);
        thread::scope(|threads| {
            threads.spawn(move || (0..ITEMS).for_each(|n| sender.send(n).unwrap()));
            let mut sum = 0;
            let stage = stream(receiver).pool(b).batch(1);
            let results = stage.map(|n| a.install(|| n)).ordered();
            results.for_each(|n| sum += n);
            assert_eq!(sum, SUM);
        });
    }),
];

/// A pool that never gets more threads than it begins with.
fn fixed(jobs: usize) -> Arc<Pool> {
    let pool = Pool::builder().jobs(jobs).guests(false).spares(false);
    Arc::new(pool.wait_policy(WaitPolicy::Steal).build().unwrap())
}

/// One call at a time.
#[test]
fn a_call_that_comes_back_to_the_only_thread() {
    for (name, program) in WITH_THREADS.into_iter().chain(WITH_ANOTHER_POOL) {
        for jobs in 1..=3 {
            eprintln!("{name}, {jobs} jobs");
            ends(move || {
                let (a, b) = (fixed(1), fixed(jobs));
                for _ in 0..5 {
                    a.install(|| program(&a, &b));
                }
            });
        }
    }
}

/// As many calls as there are threads, and one more.
#[test]
fn calls_that_take_all_threads() {
    for (name, program) in WITH_THREADS.into_iter().chain(WITH_ANOTHER_POOL) {
        for jobs in 1..=3 {
            eprintln!("{name}, {jobs} jobs");
            ends(move || {
                let (a, b) = (fixed(jobs), fixed(2));
                thread::scope(|threads| {
                    for _ in 0..=jobs {
                        threads.spawn(|| a.install(|| program(&a, &b)));
                    }
                });
            });
        }
    }
}

/// The threads of both pools are in calls that go to the other one. Consumers with threads of their
/// own need none of these.
#[test]
fn calls_that_take_all_threads_of_both_pools() {
    for (name, program) in WITH_THREADS {
        for jobs in 1..=3 {
            eprintln!("{name}, {jobs} jobs");
            ends(move || {
                let (a, b) = (fixed(jobs), fixed(2));
                thread::scope(|threads| {
                    for _ in 0..3 {
                        threads.spawn(|| a.install(|| program(&a, &b)));
                        threads.spawn(|| b.install(|| program(&b, &a)));
                    }
                });
            });
        }
    }
}
