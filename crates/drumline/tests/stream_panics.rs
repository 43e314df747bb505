//! Streams: panics in every place where code of the program runs. Nothing is lost but what
//! panicked, nothing is dropped twice or never, and the pool goes on.

mod common;
mod streams;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::quiet_panic;
use drumline::stream::{self, Iter, OnPanic, Stream};
use streams::{Item, Ledger, Setup, setups, some_setups};

const ITEMS: u64 = 120;

/// Panics with the number of an item that it does not like.
fn dislike(number: u64) {
    if number % 50 == 17 {
        quiet_panic(number);
    }
}

type Items = Iter<Box<dyn Iterator<Item = Item> + Send>>;

/// A stream of items in the ledger.
fn items(setup: &Setup, ledger: &Ledger) -> Stream<Items> {
    let ledger = ledger.clone();
    let items: Box<dyn Iterator<Item = Item> + Send> =
        Box::new((0..ITEMS).map(move |number| ledger.item(number)));
    setup.apply(stream::iter(items))
}

/// Runs `f` for every setup and a few ways to take batches; it has to panic with this number, leave
/// nothing, and the setup has to be good for more.
#[track_caller]
fn panics_with<R>(payload: u64, f: impl Fn(Stream<Items>) -> R) {
    for setup in setups() {
        for batch in [Some(1), Some(30), None] {
            let ledger = Ledger::new(ITEMS);
            let mut stream = items(&setup, &ledger);
            if let Some(batch) = batch {
                stream = stream.batch(batch);
            }
            let name = format!("{}, batch {batch:?}", setup.name);
            let result = catch_unwind(AssertUnwindSafe(|| drop(f(stream))));
            let caught = result.expect_err(&name);
            let caught = caught.downcast::<u64>().map(|caught| *caught);
            assert_eq!(caught.ok(), Some(payload), "{name}");
            common::eventually("what was in flight is dropped", || ledger.is_even());
            assert_eq!(setup.apply(stream::iter(0..100)).count(), 100, "{name}");
            if let Some(pool) = &setup.pool {
                assert_eq!(pool.install(|| common::fib(8)), 21);
                assert_eq!(pool.lost_panics(), 0, "{name}");
            }
        }
    }
}

#[test]
fn in_the_functions_before_a_parallel_end() {
    panics_with(17, |items| items.for_each(|item| dislike(item.number)));
    panics_with(17, |items| items.map(|item| dislike(item.number)).count());
    panics_with(17, |items| {
        items
            .filter(|item| {
                dislike(item.number);
                true
            })
            .count()
    });
    panics_with(17, |items| {
        items
            .filter_map(|item| {
                dislike(item.number);
                Some(item)
            })
            .for_each(drop)
    });
    panics_with(17, |items| {
        let all = items.flat_map(|item| {
            let number = item.number;
            [item].into_iter().inspect(move |_| dislike(number))
        });
        drop(all.for_each(drop));
    });
    panics_with(17, |items| {
        items.try_for_each(|item| {
            dislike(item.number);
            Ok::<_, ()>(())
        })
    });
    panics_with(17, |items| {
        items
            .map_init(|| (), |(), item| dislike(item.number))
            .count()
    });
    panics_with(3, |items| {
        items
            .map_init(|| quiet_panic(3_u64), |(), item| item)
            .count()
    });
    panics_with(17, |items| {
        items.fold_init(|| (), |(), item| dislike(item.number), |(), ()| ())
    });
    panics_with(17, |items| {
        items.fold_init(
            Vec::new,
            |all, item| {
                dislike(item.number);
                all.push(item);
            },
            |all, mut more| all.append(&mut more),
        )
    });
    panics_with(4, |items| {
        items.fold_init(|| quiet_panic(4_u64), |(), _| (), |(), ()| ())
    });
    panics_with(5, |items| {
        items.map(|_| 1).reduce_with(|_, _| quiet_panic(5_u64))
    });
}

#[test]
fn in_the_source_and_in_the_scales() {
    for setup in setups() {
        for bad in [0, 1, 40] {
            let ledger = Ledger::new(ITEMS);
            let made = ledger.clone();
            let source = (0..ITEMS).map(move |number| {
                if number == bad {
                    quiet_panic(number);
                }
                made.item(number)
            });
            let handled = AtomicUsize::new(0);
            let stream = setup.apply(stream::iter(source));
            let stream = stream.on_panic(OnPanic::Continue);
            let all = stream
                .map(|item| {
                    handled.fetch_add(1, Ordering::Relaxed);
                    item
                })
                .ordered();
            let mut numbers = Vec::new();
            let result = catch_unwind(AssertUnwindSafe(|| {
                all.for_each(|item| numbers.push(item.number))
            }));
            assert_eq!(
                *result.unwrap_err().downcast::<u64>().unwrap(),
                bad,
                "{}",
                setup.name
            );
            assert!(
                numbers.into_iter().eq(0..bad),
                "{}: what came before is there",
                setup.name
            );
            assert_eq!(handled.into_inner(), usize::try_from(bad).unwrap());
            ledger.check(&setup.name);
        }
    }
    panics_with(17, |items| {
        items
            .weigh(100, |item| {
                dislike(item.number);
                1
            })
            .for_each(drop)
    });
    panics_with(17, |items| {
        items
            .weigh(100, |item| {
                dislike(item.number);
                1
            })
            .ordered()
            .for_each(drop)
    });
}

#[test]
fn before_and_in_a_serial_end() {
    panics_with(17, |items| {
        items
            .map_ordered(|item| {
                dislike(item.number);
                item
            })
            .for_each(drop)
    });
    panics_with(17, |items| {
        items
            .map(|item| {
                dislike(item.number);
                item
            })
            .unordered()
            .for_each(drop)
    });
    panics_with(17, |items| {
        items
            .map_ordered(|item| {
                dislike(item.number);
                item
            })
            .into_iter()
            .for_each(drop)
    });
    panics_with(17, |items| {
        items
            .map_ordered(|item| {
                dislike(item.number);
                item
            })
            .with(|results| while results.next().is_some() {});
    });
    // The program does not ask for the result, but it is told.
    panics_with(17, |items| {
        let all = items.in_flight(64).batch(1).map_ordered(|item| {
            dislike(item.number);
            item
        });
        all.with(|results| results.find(|item| item.number == 16).map(drop));
        // Perhaps no consumer has come to the 17th.
        quiet_panic(17_u64);
    });
    panics_with(17, |items| {
        items.ordered().for_each(|item| dislike(item.number))
    });
    panics_with(6, |items| items.ordered().with(|_| quiet_panic(6_u64)));
    panics_with(17, |items| {
        let (sender, _receiver) = stream::queue(usize::try_from(ITEMS).unwrap());
        let all = items.map_ordered(|item| {
            dislike(item.number);
            item
        });
        drop(all.send_to(&sender));
    });
    panics_with(17, |items| {
        items.ordered().try_for_each(|item| {
            dislike(item.number);
            Ok::<_, ()>(())
        })
    });
}

#[test]
fn in_stages_behind_one_another() {
    panics_with(17, |items| {
        items
            .map_ordered(|item| {
                dislike(item.number);
                item
            })
            .stream()
            .ordered()
            .for_each(drop);
    });
    panics_with(17, |items| {
        items
            .ordered()
            .stream()
            .map_ordered(|item| {
                dislike(item.number);
                item
            })
            .for_each(drop);
    });
    panics_with(17, |items| {
        items
            .ordered()
            .stream()
            .ordered()
            .stream()
            .for_each(|item| dislike(item.number))
    });
    panics_with(17, |items| {
        items
            .map_ordered(|item| {
                dislike(item.number);
                item
            })
            .stream()
            .ordered()
            .stream()
            .count();
    });
}

/// With [`OnPanic::Continue`], in order, and all of it told.
#[test]
fn it_goes_on_if_it_is_to() {
    for setup in setups() {
        for batch in [1, 7, 200] {
            let name = format!("{}, batch {batch}", setup.name);
            let expected = (0..ITEMS).filter(|number| number % 50 != 17);
            let ledger = Ledger::new(ITEMS);
            let stream = || {
                items(&setup, &ledger)
                    .batch(batch)
                    .on_panic(OnPanic::Continue)
            };
            let mut numbers = Vec::new();
            let report = stream()
                .map_ordered(|item| {
                    dislike(item.number);
                    item
                })
                .for_each(|item| numbers.push(item.number));
            assert!(numbers.into_iter().eq(expected.clone()), "{name}");
            assert_eq!(report.items, ITEMS, "{name}");
            let told: Vec<_> = report
                .panics
                .into_iter()
                .map(|panic| {
                    (
                        panic.index(),
                        *panic.into_payload().downcast::<u64>().unwrap(),
                    )
                })
                .collect();
            assert_eq!(told, [(17, 17), (67, 67), (117, 117)], "{name}");
            // What was gathered before stays.
            let (sum, report) = stream().fold_init_report(
                || 0,
                |sum, item| {
                    dislike(item.number);
                    *sum += item.number;
                },
                |sum, more| *sum += more,
            );
            assert_eq!((sum, report.panics.len()), (expected.sum(), 3), "{name}");
            // A state that cannot be made: each item is lost, and told.
            let report = stream()
                .map_init(|| quiet_panic(8_u64), |(), item| item)
                .for_each(drop);
            let told = report.panics.iter().map(stream::Panicked::index);
            assert!(told.eq(0..ITEMS), "{name}");
            ledger.check(&name);
        }
    }
}

/// What an item made before it panicked is lost with it.
#[test]
fn an_item_arrives_whole_or_not_at_all() {
    for setup in some_setups() {
        for batch in [1, 10] {
            let all = setup
                .apply(stream::iter(0..30_u64))
                .batch(batch)
                .on_panic(OnPanic::Continue);
            let all = all.flat_map(|n| {
                (0..3).map(move |part| {
                    if n % 10 == 4 && part == 2 {
                        quiet_panic(n);
                    }
                    (n, part)
                })
            });
            let mut seen = Vec::new();
            let report = all.ordered().for_each(|part| seen.push(part));
            assert_eq!(report.panics.len(), 3);
            let expected = (0..30)
                .filter(|n| n % 10 != 4)
                .flat_map(|n| (0..3).map(move |part| (n, part)));
            assert!(
                seen.iter().copied().eq(expected),
                "{}: {seen:?}",
                setup.name
            );
        }
    }
}

/// Panics when it is dropped.
struct Bomb(u64);

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            quiet_panic(self.0);
        }
    }
}

/// The same, wherever it is dropped, but for a thread that panics already, where nothing can be
/// done.
struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        quiet_panic(Grenade);
    }
}

#[test]
fn in_the_drop_of_an_item() {
    for setup in setups() {
        let bombs = || {
            setup
                .apply(stream::iter(0..100))
                .map(|number| (number == 60).then(|| Bomb(number)))
        };
        let result = catch_unwind(AssertUnwindSafe(|| bombs().for_each(drop)));
        assert_eq!(
            *result.unwrap_err().downcast::<u64>().unwrap(),
            60,
            "{}",
            setup.name
        );
        let result = catch_unwind(AssertUnwindSafe(|| bombs().filter(|_| false).count()));
        assert_eq!(
            *result.unwrap_err().downcast::<u64>().unwrap(),
            60,
            "{}",
            setup.name
        );
        let report = bombs().on_panic(OnPanic::Continue).for_each(drop);
        assert_eq!(report.panics[0].index(), 60, "{}", setup.name);
        // In the hands of the serial end.
        let result = catch_unwind(AssertUnwindSafe(|| bombs().ordered().for_each(drop)));
        assert_eq!(
            *result.unwrap_err().downcast::<u64>().unwrap(),
            60,
            "{}",
            setup.name
        );
    }
}

#[test]
fn in_the_drop_of_a_payload() {
    for setup in setups() {
        // The payloads that do not go on are dropped inside.
        for items in [1, 2, 100] {
            let all = || setup.apply(stream::iter(0..items)).batch(3);
            let result = catch_unwind(AssertUnwindSafe(|| {
                all().for_each(|_| quiet_panic(Grenade))
            }));
            std::mem::forget(result);
            let result = catch_unwind(AssertUnwindSafe(|| {
                all()
                    .map(|_| quiet_panic(Grenade))
                    .ordered()
                    .for_each(drop::<()>)
            }));
            std::mem::forget(result);
            // The serial end panics while others have.
            let result = catch_unwind(AssertUnwindSafe(|| {
                all()
                    .map(|n| {
                        if n > 0 {
                            quiet_panic(Grenade)
                        }
                    })
                    .ordered()
                    .for_each(|()| quiet_panic(9_u64));
            }));
            assert_eq!(
                *result.unwrap_err().downcast::<u64>().unwrap(),
                9,
                "{}",
                setup.name
            );
        }
        assert_eq!(setup.apply(stream::iter(0..100)).count(), 100);
    }
}

/// Panics of all stages are in the report of the last one.
#[test]
fn of_earlier_stages_are_reported() {
    let lose = |which: u32| move |n: u32| if n == which { quiet_panic(which) } else { n };
    let report = stream::iter(0..100)
        .on_panic(OnPanic::Continue)
        .map(lose(3))
        .ordered()
        .stream()
        .on_panic(OnPanic::Continue)
        .map(lose(50))
        .for_each(drop);
    assert_eq!(report.items, 99);
    let panics = report.panics.into_iter();
    let said: Vec<_> = panics
        .map(|panicked| {
            let place = (panicked.stage(), panicked.index());
            (place, *panicked.into_payload().downcast::<u32>().unwrap())
        })
        .collect();
    assert_eq!(said, [((0, 3), 3), ((1, 49), 50)]);
}
