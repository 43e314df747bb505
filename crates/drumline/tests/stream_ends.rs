//! Streams: every end on every source, with all kinds of consumers.

mod common;
mod streams;

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use common::{Event, ends, pool, without_guests, without_spares};
use drumline::join;
use drumline::stream::{self, Feed, Source, Stream, stream};
use streams::every_source::{Check, every_source};
use streams::{Setup, setups, some_setups, without_threads};

fn numbers(items: u64) -> Vec<u64> {
    (0..items).collect()
}

fn sorted(mut items: Vec<u64>) -> Vec<u64> {
    items.sort_unstable();
    items
}

/// The parallel ends.
struct Parallel<'a>(&'a Setup);

impl Check for Parallel<'_> {
    fn check<S: Source<Item = u64> + 'static>(
        &self,
        name: &str,
        items: u64,
        make: &dyn Fn() -> Stream<S>,
    ) {
        let name = format!("{name}, {items} items, {}", self.0.name);
        let make = || self.0.apply(make());
        let seen = Mutex::new(Vec::new());
        let report = make().for_each(|item| seen.lock().unwrap().push(item));
        assert_eq!(report.items, items, "{name}");
        assert_eq!(sorted(seen.into_inner().unwrap()), numbers(items), "{name}");

        let report = make().try_for_each(|_| Ok::<_, Infallible>(())).unwrap();
        assert_eq!(report.items, items, "{name}");
        if items > 0 {
            let last = items - 1;
            let failed = make().try_for_each(|item| if item == last { Err(item) } else { Ok(()) });
            let failed = failed.unwrap_err();
            assert_eq!(
                (failed.index, failed.error, failed.report.items),
                (last, last, items),
                "{name}"
            );
            let failed =
                make().try_for_each(|item| if item >= last / 2 { Err(item) } else { Ok(()) });
            let failed = failed.unwrap_err();
            assert_eq!((failed.index, failed.error), (last / 2, last / 2), "{name}");
            assert!(failed.report.items > last / 2, "{name}");
        }

        let (all, report) =
            make().fold_init_report(Vec::new, Vec::push, |all, mut more| all.append(&mut more));
        assert_eq!(
            (sorted(all), report.items),
            (numbers(items), items),
            "{name}"
        );
        let sum = make().reduce_with(|a, b| a + b);
        assert_eq!(sum, (0..items).reduce(|a, b| a + b), "{name}");
        assert_eq!(
            make().filter(|item| item % 3 == 1).count() as u64,
            (items + 1) / 3,
            "{name}"
        );
    }
}

/// The serial ends.
struct InOneHand<'a>(&'a Setup);

impl Check for InOneHand<'_> {
    fn check<S: Source<Item = u64> + 'static>(
        &self,
        name: &str,
        items: u64,
        make: &dyn Fn() -> Stream<S>,
    ) {
        let name = format!("{name}, {items} items, {}", self.0.name);
        let here = thread::current().id();
        let make = || self.0.apply(make());
        let mut seen = Vec::new();
        let report = make().ordered().for_each(|item| {
            assert_eq!(thread::current().id(), here);
            seen.push(item);
        });
        assert_eq!((report.items, &seen), (items, &numbers(items)), "{name}");
        let mut seen = Vec::new();
        let report = make().unordered().for_each(|item| seen.push(item));
        assert_eq!(
            (report.items, sorted(seen)),
            (items, numbers(items)),
            "{name}"
        );

        let all: Vec<_> = make()
            .map_ordered(|item| item * 2)
            .with(|results| results.collect());
        assert!(
            all.iter().copied().eq((0..items).map(|item| item * 2)),
            "{name}"
        );
        let few: Vec<_> = make().ordered().with(|results| results.take(3).collect());
        assert_eq!(few, numbers(items.min(3)), "{name}");
        make().ordered().with(|_| ());

        let mut seen = Vec::new();
        let limit = items / 2;
        let stopped = make().ordered().try_for_each(|item| {
            seen.push(item);
            if item == limit { Err("enough") } else { Ok(()) }
        });
        assert_eq!(stopped.is_err(), items > 0, "{name}");
        assert_eq!(seen, numbers(items.min(limit + 1)), "{name}");

        let (send, receive) = stream::queue(3);
        thread::scope(|scope| {
            let all = scope.spawn(move || {
                self.0
                    .apply(stream(receive))
                    .ordered()
                    .into_iter()
                    .collect::<Vec<_>>()
            });
            let report = make().ordered().send_to(&send).unwrap();
            drop(send);
            assert_eq!(
                (report.items, all.join().unwrap()),
                (items, numbers(items)),
                "{name}"
            );
        });

        let all: Vec<_> = make().ordered().into_iter().collect();
        assert_eq!(all, numbers(items), "{name}");
        let all: Vec<_> = make().unordered().into_iter().collect();
        assert_eq!(sorted(all), numbers(items), "{name}");
        let mut one_by_one = make().ordered().into_iter();
        for item in 0..items {
            assert_eq!(one_by_one.next(), Some(item), "{name}");
        }
        assert_eq!(
            (one_by_one.next(), one_by_one.next()),
            (None, None),
            "{name}"
        );
        let few: Vec<_> = make().ordered().into_iter().take(3).collect();
        assert_eq!(few, numbers(items.min(3)), "{name}");
        drop(make().ordered().into_iter());
    }
}

/// Stages behind one another.
struct Stages<'a>(&'a Setup);

impl Check for Stages<'_> {
    fn check<S: Source<Item = u64> + 'static>(
        &self,
        name: &str,
        items: u64,
        make: &dyn Fn() -> Stream<S>,
    ) {
        let name = format!("{name}, {items} items, {}", self.0.name);
        let make = || self.0.apply(make());
        let mut all = Vec::new();
        let two = make().map_ordered(|item| item + 1).stream();
        let report = two
            .map_ordered(|item| item * 2)
            .for_each(|item| all.push(item));
        assert_eq!(report.items, items, "{name}");
        assert!(
            all.iter().copied().eq((1..=items).map(|item| item * 2)),
            "{name}"
        );
        let two = make().map(|item| item + 1).unordered().stream();
        assert_eq!(
            two.fold_init(|| 0, |sum, item| *sum += item, |sum, more| *sum += more),
            (1..=items).sum::<u64>(),
            "{name}"
        );
        let three = make()
            .map_ordered(|item| item + 1)
            .stream()
            .map_ordered(|item| item + 1)
            .stream();
        let all: Vec<_> = three
            .map_ordered(|item| item + 1)
            .with(|results| results.collect());
        assert!(
            all.iter().copied().eq((0..items).map(|item| item + 3)),
            "{name}"
        );
        let three = make()
            .map_ordered(|item| item + 1)
            .stream()
            .filter(|item| item % 2 == 0)
            .unordered()
            .stream();
        assert_eq!(three.count() as u64, items / 2, "{name}");
        let first = make()
            .ordered()
            .stream()
            .ordered()
            .with(|results| results.next());
        assert_eq!(first, (items > 0).then_some(0), "{name}");
    }
}

#[test]
fn parallel_ends() {
    for setup in setups() {
        for items in [0, 1, 300] {
            every_source(items, &Parallel(&setup));
        }
    }
}

#[test]
fn serial_ends() {
    for setup in setups() {
        for items in [0, 1, 300] {
            every_source(items, &InOneHand(&setup));
        }
    }
}

#[test]
fn stages_behind_one_another() {
    for setup in setups() {
        for items in [0, 1, 300] {
            every_source(items, &Stages(&setup));
        }
    }
}

#[test]
fn inside_of_a_pool() {
    for home in [
        pool(1),
        pool(3),
        without_guests(1),
        without_guests(2),
        without_threads(),
    ] {
        for setup in some_setups() {
            home.install(|| {
                every_source(50, &Parallel(&setup));
                every_source(50, &InOneHand(&setup));
                every_source(50, &Stages(&setup));
            });
        }
    }
}

/// A pool of one thread that no other thread can replace.
#[test]
fn inside_of_a_pool_whose_only_thread_is_never_replaced() {
    for guests in [true, false] {
        let run = move |inside: bool| {
            let home = without_spares(1, guests);
            let setup = Setup::in_pool("its own", home);
            let checks = || {
                let make = || setup.apply(stream::iter(0..100));
                Parallel(&setup).check("iterator", 100, &|| stream::iter(0..100_u64));
                let all: Vec<u64> = make().ordered().into_iter().collect();
                assert_eq!(all, numbers(100));
                Stages(&setup).check("iterator", 100, &make);
            };
            match &setup.pool {
                Some(home) if inside => home.install(checks),
                _ => checks(),
            }
        };
        ends(move || run(true));
        ends(move || run(false));
    }
}

#[test]
fn streams_in_streams_and_in_joins() {
    for setup in some_setups() {
        let inner = |n: u64| {
            setup
                .apply(stream::iter(0..n))
                .map(|item| item + 1)
                .reduce_with(|a, b| a + b)
        };
        let run = || {
            let mut sums = Vec::new();
            setup
                .apply(stream::iter(0..40))
                .map_ordered(|n| inner(n).unwrap_or(0))
                .for_each(|sum| sums.push(sum));
            assert!(
                sums.iter().copied().eq((0..40).map(|n| n * (n + 1) / 2)),
                "{}",
                setup.name
            );
            let (left, right) = join(
                || {
                    setup
                        .apply(stream::iter(0..200))
                        .map_ordered(|n| n)
                        .with(|results| results.sum::<u64>())
                },
                || setup.apply(stream::iter(0..200)).count(),
            );
            assert_eq!((left, right), (199 * 100, 200), "{}", setup.name);
            // The results of one stream drive another, from inside of its serial end.
            let mut counts = 0;
            setup.apply(stream::iter(0..20)).ordered().for_each(|n| {
                counts += setup.apply(stream::iter(0..n)).map(inner).count();
            });
            assert_eq!(counts, 190, "{}", setup.name);
        };
        run();
        pool(2).install(run);
        without_guests(2).install(run);
    }
}

#[test]
fn joins_and_scopes_in_streams() {
    for setup in some_setups() {
        let run = || {
            let sum = setup
                .apply(stream::iter(0..60))
                .map(|n| common::fib(n % 10))
                .reduce_with(|a, b| a + b);
            assert_eq!(sum, Some(88 * 6));
            let total = AtomicU64::new(0);
            setup.apply(stream::iter(0..60)).ordered().for_each(|n| {
                drumline::scope(|scope| {
                    scope.spawn(|_| {
                        total.fetch_add(n, Ordering::Relaxed);
                    });
                });
            });
            assert_eq!(total.into_inner(), 59 * 30);
        };
        run();
        pool(2).install(run);
    }
}

#[test]
fn consumers_meet() {
    // Each item waits for the other one. So there are two consumers, of any kind.
    let two = vec![
        Setup::in_pool("2 jobs", pool(2)),
        Setup::in_pool("2 jobs, no guests", without_guests(2)),
        Setup::in_pool("8 jobs", pool(8)),
        Setup::jobs(pool(4), 2),
        Setup::threads(2),
        Setup::threads(5),
    ];
    for setup in &two {
        let events = Arc::new([Event::new(), Event::new()]);
        let wait = |item: usize| {
            events[item].set();
            events[1 - item].wait();
        };
        assert_eq!(
            setup
                .apply(stream::iter(0..2))
                .batch(1)
                .for_each(wait)
                .items,
            2
        );
        for ordered in [true, false] {
            let events = Arc::new([Event::new(), Event::new()]);
            let wait = |item: usize| {
                events[item].set();
                events[1 - item].wait();
            };
            let both = setup.apply(stream::iter(0..2)).batch(1).map(wait);
            let both = if ordered {
                both.ordered()
            } else {
                both.unordered()
            };
            let mut count = 0;
            both.for_each(|()| count += 1);
            assert_eq!(count, 2, "{}", setup.name);
        }
    }
}

#[test]
fn a_source_can_be_used_again() {
    for setup in setups() {
        let (send, mut receive) = stream::queue(100);
        (0..100).for_each(|item| send.send(item).unwrap());
        let mut seen = BTreeSet::new();
        while seen.len() < 100 {
            // Some are taken, handled, and dropped unseen; none is taken twice.
            let before = seen.len();
            let taken = Mutex::new(Vec::new());
            setup
                .apply(stream(&mut receive))
                .batch(2)
                .map(|item| {
                    taken.lock().unwrap().push(item);
                    item
                })
                .ordered()
                .with(|results| assert!(results.next().is_some()));
            for item in taken.into_inner().unwrap() {
                assert!(seen.insert(item), "{}: {item} twice", setup.name);
            }
            assert!(seen.len() > before, "{}", setup.name);
        }
        assert_eq!(send.len(), 0);
    }
}

fn debug<F: Feed>(stream: &Stream<F>) -> String
where
    Stream<F>: std::fmt::Debug,
{
    format!("{stream:?}")
}

#[test]
fn what_is_zero_is_refused_with_advice() {
    let advice = |make: fn() -> Stream<stream::Iter<std::ops::Range<u64>>>| {
        let payload = std::panic::catch_unwind(|| drop(make())).unwrap_err();
        common::message(&*payload).to_owned()
    };
    type Make = fn() -> Stream<stream::Iter<std::ops::Range<u64>>>;
    let zeros: [(&str, Make); 6] = [
        ("jobs", || stream::iter(0..1).jobs(0)),
        ("threads", || stream::iter(0..1).threads(0)),
        ("batch", || stream::iter(0..1).batch(0)),
        ("batch_limit", || stream::iter(0..1).batch_limit(0)),
        ("in_flight", || stream::iter(0..1).in_flight(0)),
        ("weight", || stream::iter(0..1).weigh(0, |_| 1)),
    ];
    for (what, make) in zeros {
        let text = advice(make);
        assert!(text.contains(what) && text.contains("at least 1"), "{text}");
    }
    assert!(debug(&stream::iter(0..1)).contains("Stream"));
}
