//! Streams: the methods that parallel iterators have as well, on every source, with all kinds of
//! consumers.

mod common;
mod streams;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::{ends, quiet_panic};
use drumline::CancellationToken;
use drumline::stream::{self, OnPanic, Source, Stream, StreamEnd};
use streams::every_source::{Check, every_source};
use streams::{Setup, setups, some_setups};

/// An item that is too much.
#[derive(Debug, PartialEq, Eq)]
struct TooMuch(u64);

fn below(limit: u64) -> impl Fn(u64) -> Result<u64, TooMuch> + Copy {
    move |item| {
        if item < limit {
            Ok(item)
        } else {
            Err(TooMuch(item))
        }
    }
}

/// One by one.
struct Adapters<'a>(&'a Setup);

impl Check for Adapters<'_> {
    fn check<S: Source<Item = u64> + 'static>(
        &self,
        name: &str,
        items: u64,
        make: &dyn Fn() -> Stream<S>,
    ) {
        let name = format!("{name}, {items} items, {}", self.0.name);
        let make = || self.0.apply(make());
        let numbers: Vec<u64> = (0..items).collect();
        let seen = AtomicU64::new(0);
        let see = |item: &u64| {
            seen.fetch_add(*item, Ordering::Relaxed);
        };
        assert_eq!(make().inspect(see).collect::<Vec<_>>(), numbers, "{name}");
        assert_eq!(seen.into_inner(), numbers.iter().sum::<u64>(), "{name}");

        let numbered: Vec<(usize, u64)> = make()
            .map(|n| n * 2)
            .enumerate()
            .filter(|(index, _)| index % 2 == 1)
            .collect();
        let odd = numbers.iter().copied().filter(|n| n % 2 == 1);
        assert!(
            numbered.into_iter().eq(odd.map(|n| (n as usize, n * 2))),
            "{name}"
        );

        for count in [0, 1, items / 2, items, items + 1] {
            let name = format!("{count} of {name}");
            let taken = count.min(items);
            let mut all = Vec::new();
            let report = make()
                .take(count as usize)
                .ordered()
                .for_each(|n| all.push(n));
            assert_eq!(
                (report.items, report.end),
                (taken, StreamEnd::Ended),
                "{name}"
            );
            assert_eq!(all, numbers[..taken as usize], "{name}");
            let later = make().ordered().stream().take(count as usize);
            assert_eq!(later.count() as u64, taken, "{name}");
        }

        for size in [1, 3, items as usize + 1] {
            let name = format!("groups of {size}, {name}");
            let groups: Vec<Vec<u64>> = make().chunks(size).collect();
            assert!(
                groups.iter().map(Vec::as_slice).eq(numbers.chunks(size)),
                "{name}"
            );
            let results: Vec<Vec<u64>> = make().map_ordered(|n| n).stream().chunks(size).collect();
            assert_eq!(results, groups, "{name}");
        }
    }
}

#[test]
fn adapters_do_what_those_of_iterators_do() {
    ends(|| {
        for setup in &setups() {
            for items in [0, 1, 2, 40] {
                every_source(items, &Adapters(setup));
            }
        }
        every_source(3_000, &Adapters(&some_setups()[0]));
    });
}

/// One by one.
struct Reductions<'a>(&'a Setup);

impl Check for Reductions<'_> {
    fn check<S: Source<Item = u64> + 'static>(
        &self,
        name: &str,
        items: u64,
        make: &dyn Fn() -> Stream<S>,
    ) {
        let name = format!("{name}, {items} items, {}", self.0.name);
        let make = || self.0.apply(make());
        let sum: u64 = (0..items).sum();
        let add = |a: u64, b: u64| a + b;
        let try_add = |a: u64, b: u64| Ok::<u64, TooMuch>(a + b);
        assert_eq!(make().reduce(|| 0, add), sum, "{name}");
        assert_eq!(make().reduce_with(add), (0..items).reduce(add), "{name}");
        assert_eq!(make().fold(|| 0, add).reduce(|| 0, add), sum, "{name}");
        let values: Vec<u64> = make().fold(|| 0, add).collect();
        assert_eq!(values.iter().sum::<u64>(), sum, "{name}");
        assert_eq!(values.is_empty(), items == 0, "{name}");
        let checked = |limit| make().map(below(limit)).try_reduce(|| 0, try_add);
        assert_eq!(checked(items), Ok(sum), "{name}");
        let with = make().map(below(items)).try_reduce_with(try_add);
        assert_eq!(with, (items > 0).then_some(Ok(sum)), "{name}");
        let folded = |limit| {
            let fold = make().try_fold(|| 0, move |all, item| below(limit)(item).map(|n| all + n));
            fold.try_reduce(|| 0, try_add)
        };
        assert_eq!(folded(items), Ok(sum), "{name}");
        // Of several failures it is the first one of the source.
        for limit in [0, items / 2, items.saturating_sub(1)] {
            if limit < items {
                assert_eq!(checked(limit), Err(TooMuch(limit)), "{name}");
                assert_eq!(folded(limit), Err(TooMuch(limit)), "{name}");
            }
        }
        let fits = |limit| move |a: u64, b: u64| a.checked_add(b).filter(|sum| *sum <= limit);
        let all = || make().map(Some);
        assert_eq!(all().try_reduce(|| 0, fits(sum)), Some(sum), "{name}");
        if items > 1 {
            assert_eq!(all().try_reduce(|| 0, fits(sum - 1)), None, "{name}");
        }
    }
}

#[test]
fn reductions_do_what_those_of_iterators_do() {
    ends(|| {
        for setup in &setups() {
            for items in [0, 1, 2, 40] {
                every_source(items, &Reductions(setup));
            }
        }
        every_source(3_000, &Reductions(&some_setups()[0]));
    });
}

#[test]
fn what_take_leaves_stays_in_the_source() {
    ends(|| {
        for setup in &setups() {
            let (send, mut receive) = stream::queue(16);
            (0..10).for_each(|item| send.send(item).unwrap());
            let first = setup.apply(stream::stream(&mut receive)).take(4);
            assert_eq!(
                first.collect::<BTreeSet<_>>(),
                (0..4).collect(),
                "{}",
                setup.name
            );
            // Not even asked for: this one would wait for ever.
            let none = setup.apply(stream::stream(&mut receive)).take(0).count();
            let rest = setup.apply(stream::stream(&mut receive)).take(6);
            assert_eq!(
                (none, rest.reduce(|| 0, |a, b| a + b)),
                (0, 39),
                "{}",
                setup.name
            );
        }
    });
}

#[test]
fn a_fold_loses_what_met_a_panic() {
    ends(|| {
        for setup in &some_setups() {
            let items = || {
                setup
                    .apply(stream::iter(0..100))
                    .on_panic(OnPanic::Continue)
            };
            let add = |sum: u64, item: u64| {
                if item == 50 {
                    quiet_panic("not this one");
                }
                sum + item
            };
            let sum = items().fold(|| 0, add).reduce(|| 0, |a, b| a + b);
            assert!(
                sum < 4_950 - 50 || setup.name.contains("jobs"),
                "{sum}, {}",
                setup.name
            );
            assert!((51..100).sum::<u64>() <= sum, "{sum}, {}", setup.name);
            let tried = items().try_fold(|| 0, |sum, item| Some(add(sum, item)));
            let tried = tried.try_reduce(|| 0, |a, b| Some(a + b));
            assert!((51..100).sum::<u64>() <= tried.unwrap(), "{}", setup.name);
            let report = items().fold(|| 0, add).for_each(|_| ());
            let lost: Vec<_> = report
                .panics
                .iter()
                .map(|lost| (lost.stage(), lost.index()))
                .collect();
            assert_eq!(lost, [(0, 50)], "{}", setup.name);
        }
    });
}

#[test]
fn a_fold_panics_at_its_end() {
    ends(|| {
        for setup in &some_setups() {
            let fold = setup.apply(stream::iter(0..100)).fold(
                || 0,
                |sum, item| {
                    if item == 7 {
                        quiet_panic(item)
                    } else {
                        sum + item
                    }
                },
            );
            let panicked = catch_unwind(AssertUnwindSafe(|| fold.count()));
            let payload = panicked.unwrap_err();
            assert_eq!(payload.downcast_ref(), Some(&7), "{}", setup.name);
        }
    });
}

#[test]
#[should_panic(expected = "a stream with chunk size = 0 could never go on")]
fn groups_of_none_are_refused() {
    let _ = stream::iter(0..3).chunks(0);
}

#[test]
#[should_panic(expected = "`weigh` before `chunks` weighs items")]
fn weights_of_items_are_none_of_groups() {
    let _ = stream::iter(0..3).weigh(10, |_| 1).chunks(2);
}

/// What a stage begins with is made before that stage runs, and a token stops both.
#[test]
fn a_token_after_a_fold_stops_it() {
    ends(|| {
        for setup in &setups() {
            let (send, mut receive) = stream::queue(4);
            send.send(1).unwrap();
            let token = CancellationToken::new();
            let items = setup.apply(stream::stream(&mut receive));
            let fold = items.fold(
                || 0,
                |sum, item: u32| {
                    token.cancel();
                    sum + item
                },
            );
            let twice = fold.fold(|| 0, |sum, item| sum + item).ordered().stream();
            let report = twice.cancel_on(&token).for_each(|_| ());
            assert_eq!(report.end, StreamEnd::Cancelled, "{}", setup.name);
            drop(send);
        }
    });
}

/// The value is in a safe place before the state of a function, which panics in its drop.
#[test]
fn a_fold_leaks_nothing_where_a_drop_panics() {
    struct PanicsInDrop;
    impl Drop for PanicsInDrop {
        fn drop(&mut self) {
            quiet_panic("in a drop");
        }
    }
    ends(|| {
        let alive = Arc::new(());
        let items = stream::iter(0..10)
            .jobs(1)
            .map_init(|| PanicsInDrop, |_, item| item);
        let fold = items.fold(|| Arc::clone(&alive), |value, _: u32| value);
        catch_unwind(AssertUnwindSafe(|| fold.count())).unwrap_err();
        let items = stream::iter(0..10)
            .jobs(1)
            .map_init(|| PanicsInDrop, |_, item| item);
        let fold = items.try_fold(|| Arc::clone(&alive), |value, _: u32| Some(value));
        catch_unwind(AssertUnwindSafe(|| fold.count())).unwrap_err();
        assert_eq!(Arc::strong_count(&alive), 1);
    });
}
