//! Streams as iterators that borrow nothing: dropped early, moved about, kept when their pool is
//! gone.

mod common;
mod streams;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use common::{ends, eventually, pool, without_guests, without_spares};
use drumline::Pool;
use drumline::stream;
use streams::{Ledger, setups, some_setups};

#[test]
fn an_iterator_that_is_dropped_early_leaves_nothing() {
    for setup in setups() {
        for taken in [0, 1, 5, 200] {
            let ledger = Ledger::new(1_000);
            let made = ledger.clone();
            let items = setup.apply(stream::iter(
                (0..1_000).map(move |number| made.item(number)),
            ));
            let mut results = items.map(|item| item).ordered().into_iter();
            for number in 0..taken {
                assert_eq!(results.next().unwrap().number, number, "{}", setup.name);
            }
            drop(results);
            if taken == 0 {
                assert_eq!(ledger.made(), 0, "no item was asked for");
            }
            eventually("what was in flight is dropped", || ledger.is_even());
        }
    }
}

#[test]
fn an_iterator_moves_between_threads() {
    for setup in setups() {
        let mut results = setup.apply(stream::iter(0..300)).ordered().into_iter();
        for part in 0..3 {
            results = thread::spawn(move || {
                for item in 0..100 {
                    assert_eq!(results.next(), Some(part * 100 + item));
                }
                results
            })
            .join()
            .unwrap();
        }
        assert_eq!(results.next(), None);
    }
}

/// The pool may go in between: the thread that asks does the rest, or the thread that shuts it down
/// runs what is left.
#[test]
fn an_iterator_outlives_its_pool() {
    for guests in [true, false] {
        for taken in [0, 1, 50] {
            ends(move || {
                let pool = Pool::builder().jobs(2).guests(guests).build().unwrap();
                let items = stream::iter(0..500_u64).pool(&pool).batch(1).in_flight(4);
                let mut results = items.map(|item| item + 1).ordered().into_iter();
                for item in 0..taken {
                    assert_eq!(results.next(), Some(item + 1));
                }
                drop(pool);
                assert!(results.eq(taken + 1..=500));
            });
        }
    }
}

/// A stream that the program does not ask any more, in an endless source that never waits.
#[test]
fn an_iterator_over_an_endless_source_is_dropped() {
    for setup in setups() {
        ends(move || {
            let pulled = Arc::new(AtomicU64::new(0));
            let source = Arc::clone(&pulled);
            let all = setup.apply(stream::iter((0..).inspect(move |_| {
                source.fetch_add(1, Ordering::Relaxed);
            })));
            let few: Vec<u64> = all.ordered().into_iter().take(5).collect();
            assert_eq!(few, [0, 1, 2, 3, 4]);
            eventually("the source is gone", || Arc::strong_count(&pulled) == 1);
        });
    }
}

/// Inside of the only thread of a pool, which no other thread replaces.
#[test]
fn an_iterator_in_the_only_thread_of_its_pool() {
    for guests in [true, false] {
        ends(move || {
            let home = without_spares(1, guests);
            home.install(|| {
                let all = stream::iter(0..300_u64).map(|item| item + 1).ordered();
                assert!(all.into_iter().eq(1..=300));
                let few = stream::iter(0_u64..).unordered().into_iter().take(5);
                assert_eq!(few.sum::<u64>(), 10);
            });
        });
    }
}

/// A thread of another pool asks for the results. The jobs that do the work run in their own pool.
#[test]
fn work_is_done_in_the_pool_that_was_asked_for() {
    for guests in [true, false] {
        let home = Pool::builder().jobs(3).guests(guests).build().unwrap();
        for other in [pool(1), pool(2), without_guests(2)] {
            other.install(|| {
                let items = || {
                    stream::iter(0..200_u64)
                        .pool(&home)
                        .map(|_| drumline::current_jobs() == 3)
                };
                assert!(items().ordered().into_iter().all(|inside| inside));
                assert!(items().ordered().with(|all| all.all(|inside| inside)));
                assert!(items().reduce_with(|a, b| a && b).unwrap());
                // The next stage is in a pool of its own.
                let there = || drumline::current_jobs() == other.jobs();
                let both = items()
                    .ordered()
                    .stream()
                    .pool(&other)
                    .map(|inside| inside && there());
                assert!(both.ordered().with(|all| all.all(|inside| inside)));
                let both = items()
                    .unordered()
                    .stream()
                    .pool(&other)
                    .map(|inside| inside && there());
                assert!(both.reduce_with(|a, b| a && b).unwrap());
            });
        }
    }
}

/// States are handed on where consumers come and go all the time: there are never more than
/// consumers at once.
#[test]
fn states_are_handed_on() {
    for setup in some_setups() {
        let most = match setup.pool.as_ref() {
            Some(pool) => pool.jobs(),
            None => 3,
        };
        for _ in 0..100 {
            let states = AtomicUsize::new(0);
            let init = || {
                states.fetch_add(1, Ordering::Relaxed);
            };
            let all = setup.apply(stream::iter(0..100)).in_flight(2).batch(1);
            all.map_init(init, |(), item| item)
                .ordered()
                .for_each(|_: u64| thread::yield_now());
            let states = states.into_inner();
            assert!(states <= most, "{}: {states} states", setup.name);
        }
    }
}
