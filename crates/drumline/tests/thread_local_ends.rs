//! Thread-local state that uses the runtime while it is destroyed, at the end of any thread: of
//! the program, of a pool, of a spare.

mod common;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use common::{Event, ends, fib};
use drumline::prelude::*;
use drumline::{Pool, blocking, stream};

// Relaxed throughout: these are counts, and publish nothing else. They are read after the threads
// that changed them have ended.

/// Calls what it holds when it is dropped.
struct AtEnd(Option<Box<dyn FnOnce()>>);

impl Drop for AtEnd {
    fn drop(&mut self) {
        if let Some(call) = self.0.take() {
            call();
        }
    }
}

thread_local! {
    static EARLY: RefCell<Vec<AtEnd>> = const { RefCell::new(Vec::new()) };
    static LATE: RefCell<Vec<AtEnd>> = const { RefCell::new(Vec::new()) };
}

/// Calls `f` while this thread's thread-local state is destroyed: before and after that of all
/// that the thread has used in between.
fn at_end(f: impl Fn() + Clone + 'static) {
    // What is used first is, as a rule, destroyed last or first: one of each.
    EARLY.with(|list| list.borrow_mut().push(AtEnd(Some(Box::new(f.clone())))));
    everything(None);
    LATE.with(|list| list.borrow_mut().push(AtEnd(Some(Box::new(f)))));
}

/// Each part of the interface that may keep something for the thread.
fn everything(pool: Option<&Pool>) {
    fn parts() {
        assert_eq!(fib(8), 21);
        let numbers: Vec<u32> = (0..100).collect();
        assert_eq!(numbers.par_iter().jobs(2).sum::<u32>(), 4_950);
        assert_eq!(numbers.par_iter().skip(1).jobs(1).count(), 99);
        let doubled: Vec<u32> = numbers.par_iter().map(|n| n * 2).collect();
        assert_eq!(doubled[99], 198);
        assert_eq!(numbers.iter().par_bridge().map(|n| n % 2).sum::<u32>(), 50);
        assert_eq!(
            (0..10_u32)
                .into_par_iter()
                .flat_map(|n| (0..n).into_par_iter())
                .count(),
            45
        );
        let mut sorted = numbers.clone();
        sorted.par_sort_by(|a, b| b.cmp(a));
        assert_eq!(sorted[0], 99);
        let mut sum = 0;
        stream::iter(0..50_u32)
            .map_ordered(|n| n)
            .for_each(|n| sum += n);
        assert_eq!(sum, 1_225);
        assert_eq!(drumline::spawn(|| 7).join().unwrap(), 7);
        drumline::scope(|scope| scope.spawn(|_| blocking(thread::yield_now)));
        assert!(!drumline::broadcast(|_| ()).is_empty());
        drumline::yield_now();
    }
    parts();
    if let Some(pool) = pool {
        pool.install(parts);
    }
}

#[test]
fn of_a_thread_of_the_program() {
    ends(|| {
        let pool = Arc::new(Pool::builder().jobs(2).build().unwrap());
        let ended = Arc::new(AtomicUsize::new(0));
        for _ in 0..4 {
            let (pool, ended) = (Arc::clone(&pool), Arc::clone(&ended));
            let thread = thread::spawn(move || {
                at_end(move || {
                    everything(Some(&pool));
                    ended.fetch_add(1, Ordering::Relaxed);
                });
            });
            thread.join().unwrap();
        }
        assert_eq!(ended.load(Ordering::Relaxed), 8);
    });
}

#[test]
fn of_the_threads_of_a_pool() {
    ends(|| {
        let ended = Arc::new(AtomicUsize::new(0));
        let pool = Pool::builder().jobs(3).guests(false).build().unwrap();
        pool.broadcast(|_| {
            let ended = Arc::clone(&ended);
            at_end(move || {
                everything(None);
                ended.fetch_add(1, Ordering::Relaxed);
            });
        });
        pool.shutdown().unwrap();
        assert_eq!(ended.load(Ordering::Relaxed), 6);
    });
}

/// The last handle of a pool lies in the thread-local state of a spare, which ends before the pool.
#[test]
fn the_pool_of_the_thread_itself() {
    for shuts_down in [false, true] {
        ends(move || {
            let pool = Pool::builder().jobs(1).guests(false).build().unwrap();
            let (give, take) = mpsc::channel::<Pool>();
            let (gone, end) = mpsc::channel();
            let done = Arc::new(Event::new());
            let wait = Arc::clone(&done);
            drop(pool.spawn(move || blocking(|| wait.wait())));
            common::eventually("the worker is blocked", || pool.stats().blocked == 1);
            // So this runs on a spare.
            let keep = Arc::clone(&done);
            drop(pool.spawn(move || {
                let pool = take.recv().unwrap();
                let pool = RefCell::new(Some(pool));
                at_end_once(move || {
                    let pool = pool.borrow_mut().take().unwrap();
                    let refused = shuts_down.then(|| pool.shutdown().is_err());
                    gone.send(refused).unwrap();
                });
                keep.set();
            }));
            give.send(pool).unwrap();
            assert_eq!(end.recv().unwrap(), shuts_down.then_some(true));
        });
    }
}

fn at_end_once(f: impl FnOnce() + 'static) {
    LATE.with(|list| list.borrow_mut().push(AtEnd(Some(Box::new(f)))));
}
