//! States of loops: a thread completes its own before it waits for others, and so never has two of
//! one loop. So a state may be a lock that is held, a permit, a borrow of thread-local state.

mod common;

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

use common::{ends, without_spares};
use drumline::Pool;
use drumline::iter::plumbing::{Folder, UnindexedConsumer};
use drumline::prelude::*;

// Relaxed throughout: these are counts, and publish nothing else. They are read after the loop that
// changed them.

thread_local! {
    static LIVE_HERE: Cell<usize> = const { Cell::new(0) };
}

/// Counts the states that live at once, in all and on each thread.
#[derive(Default)]
struct Census {
    live: AtomicUsize,
    most: AtomicUsize,
}

impl Census {
    fn enter(&self) -> Counted<'_> {
        let live = self.live.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(live, Ordering::Relaxed);
        LIVE_HERE.with(|here| {
            here.set(here.get() + 1);
            assert_eq!(here.get(), 1, "two states of one loop on one thread");
        });
        Counted(self)
    }
}

/// A state; it never leaves its thread.
struct Counted<'c>(&'c Census);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        LIVE_HERE.with(|here| here.set(here.get() - 1));
        self.0.live.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Permits, of which a thread can wait for one.
struct Permits {
    free: Mutex<usize>,
    changed: Condvar,
}

impl Permits {
    fn new(count: usize) -> Self {
        Permits {
            free: Mutex::new(count),
            changed: Condvar::new(),
        }
    }

    fn acquire(&self) -> Permit<'_> {
        let free = self.free.lock().unwrap();
        let mut free = self
            .changed
            .wait_timeout_while(free, common::FOREVER, |free| *free == 0)
            .unwrap();
        assert!(*free.0 > 0, "waited in vain for a permit");
        *free.0 -= 1;
        Permit(self)
    }
}

struct Permit<'p>(&'p Permits);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap() += 1;
        self.0.changed.notify_one();
    }
}

/// Items of uneven cost: most are nothing, some sleep, as if on a processor of their own.
fn work(item: usize) -> usize {
    match item % 64 {
        7 | 11 => thread::sleep(Duration::from_micros(200)),
        13 => thread::yield_now(),
        _ => {}
    }
    item
}

/// Pools of any size, without spares: the threads in a loop are those of the pool, and a guest.
fn pools() -> impl Iterator<Item = (usize, bool, Pool)> {
    [1, 2, 4, 8, 16]
        .into_iter()
        .flat_map(|jobs| [false, true].map(|guests| (jobs, guests, without_spares(jobs, guests))))
}

const ITEMS: usize = 512;
const SUM: usize = ITEMS * (ITEMS - 1) / 2;

/// What is done with a census of states: flat loops of each kind.
type Loop = (&'static str, fn(&Census) -> usize);

const LOOPS: [Loop; 12] = [
    ("map_init", |census| {
        let all = (0..ITEMS).into_par_iter();
        all.map_init(|| census.enter(), |_, item| work(item)).sum()
    }),
    ("map_init, collected", |census| {
        let all = (0..ITEMS).into_par_iter();
        let all = all.map_init(|| census.enter(), |_, item| work(item));
        let all: Vec<usize> = all.collect();
        assert!(all.is_sorted());
        all.into_iter().sum()
    }),
    ("map_init, a list, filtered", |census| {
        let all = (0..2 * ITEMS).into_par_iter().filter(|item| item % 2 == 0);
        let all = all.map_init(|| census.enter(), |_, item| work(item / 2));
        let all: Vec<usize> = all.collect();
        assert!(all.is_sorted());
        all.into_iter().sum()
    }),
    ("for_each_init", |census| {
        let sum = AtomicUsize::new(0);
        (0..ITEMS).into_par_iter().for_each_init(
            || census.enter(),
            |_, item| {
                sum.fetch_add(work(item), Ordering::Relaxed);
            },
        );
        sum.into_inner()
    }),
    ("try_for_each_init", |census| {
        let sum = AtomicUsize::new(0);
        let done: Result<(), ()> = (0..ITEMS).into_par_iter().try_for_each_init(
            || census.enter(),
            |_, item| {
                sum.fetch_add(work(item), Ordering::Relaxed);
                Ok(())
            },
        );
        done.unwrap();
        sum.into_inner()
    }),
    ("fold", |census| {
        let all = (0..ITEMS).into_par_iter();
        all.fold(
            || (census.enter(), 0),
            |(state, sum), item| (state, sum + work(item)),
        )
        .map(|(_, sum)| sum)
        .sum()
    }),
    ("try_fold", |census| {
        let all = (0..ITEMS).into_par_iter();
        all.try_fold(
            || (census.enter(), 0),
            |(state, sum), item| Some((state, sum + work(item))),
        )
        .map(|part| part.map_or(0, |(_, sum)| sum))
        .sum()
    }),
    ("par_bridge", |census| {
        let all = (0..ITEMS).par_bridge();
        all.map_init(|| census.enter(), |_, item| work(item)).sum()
    }),
    ("chain", |census| {
        let first = (0..ITEMS / 2).into_par_iter();
        let all = first.chain((ITEMS / 2..ITEMS).into_par_iter());
        all.map_init(|| census.enter(), |_, item| work(item)).sum()
    }),
    ("chain, unindexed", |census| {
        let first = (0..ITEMS / 2).into_par_iter().filter(|_| true);
        let all = first.chain((ITEMS / 2..ITEMS).into_par_iter());
        all.map_init(|| census.enter(), |_, item| work(item)).sum()
    }),
    ("flat_map", |census| {
        let all = (0..ITEMS / 16).into_par_iter();
        all.flat_map(|outer| (0..16).into_par_iter().map(move |inner| outer * 16 + inner))
            .map_init(|| census.enter(), |_, item| work(item))
            .sum()
    }),
    ("flat_map in flat_map, unindexed", |census| {
        let all = (0..ITEMS / 64).into_par_iter();
        all.flat_map(|outer| {
            (0..8_usize).into_par_iter().flat_map(move |middle| {
                let base = outer * 64 + middle * 8;
                (base..base + 8).into_par_iter().filter(|_| true)
            })
        })
        .map_init(|| census.enter(), |_, item| work(item))
        .sum()
    }),
];

#[test]
fn a_thread_has_one_state_of_a_loop() {
    for (jobs, guests, pool) in pools() {
        for (name, run) in LOOPS {
            let census = Census::default();
            assert_eq!(pool.install(|| run(&census)), SUM, "{name}");
            // A thread of the pool may still look around when a guest comes.
            let most = census.most.into_inner();
            let threads = jobs + usize::from(guests);
            assert!(
                most <= threads,
                "{name}: {most} states on {threads} threads"
            );
            assert_eq!(census.live.into_inner(), 0, "{name}");
        }
    }
}

#[test]
fn no_more_states_than_the_limit_allows() {
    for (_, _, pool) in pools() {
        for limit in [1, 2, 3] {
            let census = Census::default();
            let sum: usize = pool.install(|| {
                (0..ITEMS)
                    .into_par_iter()
                    .jobs(limit)
                    .map_init(|| census.enter(), |_, item| work(item))
                    .sum()
            });
            assert_eq!(sum, SUM);
            let most = census.most.into_inner();
            assert!(most <= limit, "{most} states, limit {limit}");
        }
    }
}

#[test]
fn a_state_may_be_a_lock_that_is_held() {
    for (_, _, pool) in pools() {
        ends(move || {
            let lock = Mutex::new(0);
            for _ in 0..4 {
                pool.install(|| {
                    (0..128)
                        .into_par_iter()
                        .for_each_init(|| lock.lock().unwrap(), |sum, item| **sum += work(item));
                    let inner = (0..16_usize).into_par_iter();
                    inner
                        .flat_map(|_| (0..8_usize).into_par_iter())
                        .for_each_init(|| lock.lock().unwrap(), |sum, item| **sum += work(item));
                });
            }
            assert_eq!(lock.into_inner().unwrap(), 4 * (127 * 64 + 16 * 28));
        });
    }
    // With spares, for threads that wait for the lock.
    for jobs in [1, 2, 4] {
        ends(move || {
            let pool = common::pool(jobs);
            let lock = Mutex::new(0);
            pool.install(|| {
                (0..64)
                    .into_par_iter()
                    .for_each_init(|| lock.lock().unwrap(), |sum, item| **sum += work(item));
            });
            assert_eq!(lock.into_inner().unwrap(), 63 * 32);
        });
    }
}

#[test]
fn a_state_may_be_a_permit() {
    for (jobs, _, pool) in pools() {
        ends(move || {
            let permits = Permits::new(jobs);
            let sum: usize = pool.install(|| {
                (0..ITEMS)
                    .into_par_iter()
                    .map_init(|| permits.acquire(), |_, item| work(item))
                    .sum()
            });
            assert_eq!(sum, SUM);
            assert_eq!(*permits.free.lock().unwrap(), jobs);
        });
    }
}

/// A state that holds a `RefMut` of thread-local state as long as it lives.
#[test]
fn a_state_may_hold_a_borrow() {
    /// Leaked, so that a `RefMut` of it can be kept.
    fn own() -> &'static RefCell<usize> {
        thread_local! {
            static OWN: &'static RefCell<usize> = Box::leak(Box::new(RefCell::new(0)));
        }
        OWN.with(|own| *own)
    }
    for (_, _, pool) in pools() {
        for _ in 0..4 {
            pool.install(|| {
                (0..ITEMS).into_par_iter().for_each_init(
                    || own().borrow_mut(),
                    |calls, item| {
                        **calls += 1;
                        work(item);
                    },
                );
            });
        }
    }
}

/// The state of an outer loop stays open in an inner one, and there is one of either on a thread.
#[test]
fn loops_in_loops_have_a_state_each() {
    thread_local! {
        static OUTER: Cell<usize> = const { Cell::new(0) };
    }
    struct Outer;
    impl Outer {
        fn new() -> Self {
            OUTER.with(|outer| {
                assert_eq!(outer.replace(1), 0, "two states of the outer loop");
            });
            Outer
        }
    }
    impl Drop for Outer {
        fn drop(&mut self) {
            OUTER.with(|outer| outer.set(0));
        }
    }
    for (_, _, pool) in pools() {
        let census = Census::default();
        let sum: usize = pool.install(|| {
            (0..16_usize)
                .into_par_iter()
                .map_init(Outer::new, |_, outer| {
                    (0..32)
                        .into_par_iter()
                        .map_init(|| census.enter(), |_, inner| work(outer * 32 + inner))
                        .sum::<usize>()
                })
                .sum()
        });
        assert_eq!(sum, SUM);
    }
}

/// A thread that waits for what another one has taken has no state, also if its own part of the
/// loop panics between two items.
#[test]
fn a_split_that_panics_gives_the_state_back() {
    for jobs in [2, 3, 4] {
        ends(move || {
            for _ in 0..20 {
                let pool = without_spares(jobs, true);
                let (lock, begun) = (Mutex::new(()), AtomicUsize::new(0));
                let halves = |numbers: std::ops::Range<u32>| {
                    assert!(numbers != (1..2), "the splitter");
                    if numbers.len() < 2 {
                        return (numbers, None);
                    }
                    let middle = numbers.start.midpoint(numbers.end);
                    (numbers.start..middle, Some(middle..numbers.end))
                };
                let state = || {
                    // Relaxed, here and below: a count that publishes nothing.
                    begun.fetch_add(1, Ordering::Relaxed);
                    lock.lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner)
                };
                let looped = std::panic::AssertUnwindSafe(|| {
                    pool.install(|| {
                        let parts = drumline::iter::split(0..8, halves);
                        // Another thread waits for the lock by then.
                        parts
                            .map_init(state, |_, _| {
                                while begun.load(Ordering::Relaxed) < 2 {
                                    thread::yield_now();
                                }
                            })
                            .for_each(drop);
                    });
                });
                assert!(std::panic::catch_unwind(looped).is_err());
            }
        });
    }
}

/// No items, and a note of what the consumer says.
struct Probe<'a>(&'a AtomicBool);

impl ParallelIterator for Probe<'_> {
    type Item = u32;

    fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
        self.0.store(C::SUCCEEDS, Ordering::Relaxed);
        consumer.into_folder().complete()
    }
}

/// A thread that goes on with another part of a loop keeps its state: the consumers of adapters
/// with states say so. The others have nothing to hand on.
#[test]
fn adapters_with_states_hand_them_on() {
    let succeeds = AtomicBool::new(false);
    let said = || succeeds.swap(false, Ordering::Relaxed);
    Probe(&succeeds).map_init(|| 0, |_, n| n).for_each(drop);
    assert!(said());
    Probe(&succeeds).map_with(0, |_, n| n).for_each(drop);
    assert!(said());
    Probe(&succeeds).for_each_init(|| 0, |_, _| ());
    assert!(said());
    Probe(&succeeds)
        .map(|n| n + 1)
        .filter(|n| n % 2 == 0)
        .for_each(drop);
    assert!(!said());
}
