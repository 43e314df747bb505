//! Streams: the n-th call of every function that a program supplies panics, for all n.
//!
//! In each case the panic arrives where the stream was called (or in its report), every item is
//! dropped once, nothing hangs, and the pool is good for more.

mod common;
mod streams;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{ends, eventually};
use drumline::CancellationToken;
use drumline::channel::CloseReason;
use drumline::stream::{
    self, Drained, OnPanic, Polled, SendError, Sink, Source, Stopper, Stream, StreamStats, biased,
    stream,
};
use streams::some_setups;

/// The functions of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Site {
    Recv,
    TryRecv,
    RecvBatch,
    LenHint,
    MeasureWaits,
    Waits,
    Stopper,
    Stop,
    EndReason,
    SourceDrop,
    Next,
    SizeHint,
    ItemDrop,
    Map,
    Filter,
    FilterMap,
    FlatMap,
    FlatNext,
    Init,
    MapInit,
    StateDrop,
    TryMap,
    Weigh,
    End,
    FoldInit,
    FoldOp,
    Merge,
    Serial,
    Send,
}

const SITES: [Site; 29] = [
    Site::Recv,
    Site::TryRecv,
    Site::RecvBatch,
    Site::LenHint,
    Site::MeasureWaits,
    Site::Waits,
    Site::Stopper,
    Site::Stop,
    Site::EndReason,
    Site::SourceDrop,
    Site::Next,
    Site::SizeHint,
    Site::ItemDrop,
    Site::Map,
    Site::Filter,
    Site::FilterMap,
    Site::FlatMap,
    Site::FlatNext,
    Site::Init,
    Site::MapInit,
    Site::StateDrop,
    Site::TryMap,
    Site::Weigh,
    Site::End,
    Site::FoldInit,
    Site::FoldOp,
    Site::Merge,
    Site::Serial,
    Site::Send,
];

/// Items of a stream, and the most calls of a site that are tried.
const ITEMS: usize = 5;
const CALLS: usize = 12;

type Boom = common::fuse::Boom<Site>;
type Fuse = common::fuse::Fuse<Site>;
type Thing = common::fuse::Thing<Site>;

/// A queue that says now and then that it is empty.
struct Queue {
    fuse: Fuse,
    items: VecDeque<Thing>,
    asked: usize,
    _state: Thing,
}

impl Queue {
    fn new(fuse: &Fuse) -> Self {
        Queue {
            fuse: fuse.clone(),
            items: (0..ITEMS).map(|_| fuse.thing(Site::ItemDrop)).collect(),
            asked: 0,
            _state: fuse.thing(Site::SourceDrop),
        }
    }
}

impl Source for Queue {
    type Item = Thing;

    fn recv(&mut self) -> Option<Thing> {
        self.fuse.at(Site::Recv);
        self.items.pop_front()
    }

    fn try_recv(&mut self) -> Polled<Thing> {
        self.fuse.at(Site::TryRecv);
        self.asked += 1;
        if self.asked.is_multiple_of(3) {
            return Polled::Empty;
        }
        self.items.pop_front().map_or(Polled::Ended, Polled::Item)
    }

    fn recv_batch(&mut self, most: usize, batch: &mut Vec<Thing>) -> Drained {
        for _ in 0..most {
            match self.try_recv() {
                Polled::Item(item) => batch.push(item),
                Polled::Empty => return Drained::Empty,
                Polled::Ended => return Drained::Ended,
            }
            self.fuse.at(Site::RecvBatch);
        }
        Drained::More
    }

    fn len_hint(&self) -> Option<usize> {
        self.fuse.at(Site::LenHint);
        Some(self.items.len())
    }

    fn measure_waits(&mut self, _measures: bool) {
        self.fuse.at(Site::MeasureWaits);
    }

    fn waits(&mut self, waits: &mut Vec<Duration>) {
        self.fuse.at(Site::Waits);
        waits.push(Duration::ZERO);
    }

    fn stopper(&self) -> Option<Stopper> {
        self.fuse.at(Site::Stopper);
        let fuse = self.fuse.clone();
        Some(Stopper::new(move || fuse.at(Site::Stop)))
    }

    fn end_reason(&self) -> Option<CloseReason> {
        self.fuse.at(Site::EndReason);
        None
    }
}

/// The same as an iterator.
struct Items {
    fuse: Fuse,
    items: VecDeque<Thing>,
    _state: Thing,
}

impl Items {
    fn new(fuse: &Fuse) -> Self {
        Items {
            fuse: fuse.clone(),
            items: (0..ITEMS).map(|_| fuse.thing(Site::ItemDrop)).collect(),
            _state: fuse.thing(Site::SourceDrop),
        }
    }
}

impl Iterator for Items {
    type Item = Thing;

    fn next(&mut self) -> Option<Thing> {
        self.fuse.at(Site::Next);
        self.items.pop_front()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.fuse.at(Site::SizeHint);
        (self.items.len(), Some(self.items.len()))
    }
}

/// What `flat_map` goes through.
struct One {
    fuse: Fuse,
    item: Option<Thing>,
}

impl Iterator for One {
    type Item = Thing;

    fn next(&mut self) -> Option<Thing> {
        self.fuse.at(Site::FlatNext);
        self.item.take()
    }
}

struct Drain(Fuse);

impl Sink<Thing> for Drain {
    fn send(&mut self, item: Thing) -> Result<(), SendError<Thing>> {
        self.0.at(Site::Send);
        drop(item);
        Ok(())
    }
}

/// What is left of a stream that went to its end: the panics of its report.
type Panics = Vec<Boom>;

fn booms(report: stream::Report) -> Panics {
    let panics = report.panics.into_iter();
    panics
        .map(|panicked| *panicked.into_payload().downcast::<Boom>().unwrap())
        .collect()
}

/// The same for ends that return no report.
fn none<R>(result: R) -> Panics {
    drop(result);
    Vec::new()
}

/// A stream with all links, whatever its source.
fn links<S: Source<Item = Thing>>(
    stream: Stream<S>,
    fuse: &Fuse,
) -> Stream<S, impl stream::Work<Thing, Out = Thing> + use<S>> {
    let f = || fuse.clone();
    let (map, filter, filter_map, flat_map) = (f(), f(), f(), f());
    let (init, map_init) = (f(), f());
    stream
        .map(move |item| {
            map.at(Site::Map);
            item
        })
        .filter(move |_| {
            filter.at(Site::Filter);
            true
        })
        .filter_map(move |item| {
            filter_map.at(Site::FilterMap);
            Some(item)
        })
        .flat_map(move |item| {
            flat_map.at(Site::FlatMap);
            let (fuse, item) = (flat_map.clone(), Some(item));
            One { fuse, item }
        })
        .map_init(
            move || {
                init.at(Site::Init);
                init.thing(Site::StateDrop)
            },
            move |_, item| {
                map_init.at(Site::MapInit);
                item
            },
        )
}

const ENDS: usize = 13;

/// Runs a stream to one of the ends.
fn run<S: Source<Item = Thing> + 'static>(stream: Stream<S>, end: usize, fuse: &Fuse) -> Panics {
    let stream = links(stream, fuse);
    match end {
        0 => booms(stream.for_each(|item| {
            fuse.at(Site::End);
            drop(item);
        })),
        1 => {
            let outcome = stream.try_for_each(|item| {
                fuse.at(Site::End);
                drop(item);
                Ok::<(), ()>(())
            });
            booms(outcome.unwrap())
        }
        2 => {
            let (all, report) = stream.fold_init_report(
                || {
                    fuse.at(Site::FoldInit);
                    Vec::new()
                },
                |all, item| {
                    fuse.at(Site::FoldOp);
                    all.push(item);
                },
                |all, mut more| {
                    fuse.at(Site::Merge);
                    all.append(&mut more);
                },
            );
            let booms = booms(report);
            drop(all);
            booms
        }
        3 => none(stream.reduce_with(|a, b| {
            fuse.at(Site::FoldOp);
            // By hand: a value that is being returned is leaked if the drop of another panics.
            drop(b);
            a
        })),
        4 => none(stream.count()),
        5 => booms(stream.ordered().for_each(|item| {
            fuse.at(Site::Serial);
            drop(item);
        })),
        6 => booms(stream.unordered().for_each(|item| {
            fuse.at(Site::Serial);
            drop(item);
        })),
        7 => none(stream.ordered().with(|results| {
            fuse.at(Site::Serial);
            results.take(2).count()
        })),
        8 => match stream.ordered().send_to(Drain(fuse.clone())) {
            Ok(report) => booms(report),
            Err(SendError(_)) => unreachable!("it takes all"),
        },
        9 => {
            let results = stream.try_map(|item| {
                fuse.at(Site::TryMap);
                Ok::<_, ()>(item)
            });
            let outcome = results.ordered().try_for_each(|item| {
                fuse.at(Site::Serial);
                item.map(drop)
            });
            booms(outcome.unwrap())
        }
        10 => {
            let next = stream.ordered().stream().map(|item| {
                fuse.at(Site::End);
                item
            });
            let next = next.on_panic(OnPanic::Stop);
            booms(next.unordered().for_each(|item| {
                fuse.at(Site::Serial);
                drop(item);
            }))
        }
        11 => none(stream.ordered().into_iter().count()),
        12 => none(stream.unordered().into_iter().take(2).count()),
        _ => unreachable!("there are {ENDS}"),
    }
}

/// Ends that keep the panics of items to themselves if the stream goes on after them.
fn reports(end: usize) -> bool {
    !matches!(end, 3 | 4 | 7 | 11 | 12)
}

/// Ends of stages without a frame: what panics after they have left goes to the pool, or nowhere.
fn has_frame(end: usize) -> bool {
    end < 11
}

/// Runs all streams in one setup.
fn every_call(number: usize) {
    ends(move || {
        for setup in some_setups().into_iter().skip(number).take(1) {
            for site in SITES {
                for end in 0..ENDS {
                    for kind in 0..8 {
                        for call in 1..=CALLS {
                            let fuse = Fuse::new(site, call);
                            let on_panic = if kind & 1 == 0 {
                                OnPanic::Stop
                            } else {
                                OnPanic::Continue
                            };
                            let name = format!(
                                "{}, call {call} of {site:?}, end {end}, {on_panic:?}, kind {kind}",
                                setup.name
                            );
                            let outcome = catch_unwind(AssertUnwindSafe(|| {
                                if kind & 2 == 0 {
                                    let all = setup.apply(stream(Queue::new(&fuse)));
                                    run(knobs(all, kind, on_panic, &fuse), end, &fuse)
                                } else {
                                    let all = setup.apply(stream::iter(Items::new(&fuse)));
                                    run(knobs(all, kind, on_panic, &fuse), end, &fuse)
                                }
                            }));
                            let blown = fuse.has_blown();
                            check(&name, outcome, site, end, on_panic, blown);
                            eventually(&format!("all is dropped: {name}"), || fuse.alive() == 0);
                            assert!(fuse.made() > ITEMS, "{name}");
                            if !blown {
                                break;
                            }
                        }
                    }
                }
                let count = setup.apply(stream::iter(0..100)).count();
                assert_eq!(count, 100, "{}, {site:?}", setup.name);
                if let Some(pool) = &setup.pool {
                    assert_eq!(pool.install(|| common::fib(5)), 5);
                }
            }
        }
    });
}

#[test]
fn every_call_of_every_function_in_one_job() {
    every_call(0);
}

#[test]
fn every_call_of_every_function_in_three_jobs() {
    every_call(1);
}

#[test]
fn every_call_of_every_function_in_a_pool_without_guests() {
    every_call(2);
}

#[test]
fn every_call_of_every_function_without_threads() {
    every_call(3);
}

#[test]
fn every_call_of_every_function_in_threads_of_its_own() {
    every_call(4);
}

fn knobs<S: Source<Item = Thing>>(
    stream: Stream<S>,
    kind: usize,
    on_panic: OnPanic,
    fuse: &Fuse,
) -> Stream<S> {
    let stream = stream.on_panic(on_panic);
    if kind & 4 == 0 {
        return stream;
    }
    let fuse = fuse.clone();
    stream
        .stats(&StreamStats::new())
        .cancel_on(&CancellationToken::new())
        .weigh(2, move |_| {
            fuse.at(Site::Weigh);
            1
        })
}

/// The panic has arrived, if there was one.
#[track_caller]
fn check(
    name: &str,
    outcome: std::thread::Result<Panics>,
    site: Site,
    end: usize,
    on_panic: OnPanic,
    blown: bool,
) {
    match outcome {
        Err(payload) => match payload.downcast::<Boom>() {
            Ok(boom) => assert!(
                blown && *boom == common::fuse::Boom(site),
                "{name}: {boom:?}"
            ),
            Err(other) => panic!("{name}: {}", common::message(&*other)),
        },
        Ok(panics) if panics.is_empty() => {
            let may_be_quiet = !has_frame(end) || on_panic == OnPanic::Continue && !reports(end);
            assert!(!blown || may_be_quiet, "{name}: the panic is lost");
        }
        Ok(panics) => assert_eq!(panics, [common::fuse::Boom(site)], "{name}"),
    }
}

#[test]
fn every_call_of_a_source_under_biased_receivers() {
    let sites = [
        Site::Recv,
        Site::TryRecv,
        Site::LenHint,
        Site::SourceDrop,
        Site::ItemDrop,
    ];
    ends(move || {
        for site in sites {
            for count in [1, 3] {
                for call in 1..=CALLS {
                    let fuse = Fuse::new(site, call);
                    let received = AtomicUsize::new(0);
                    let receivers = biased::consumers(Queue::new(&fuse), count, 1);
                    let outcomes = Mutex::new(Vec::new());
                    std::thread::scope(|scope| {
                        for mut receiver in receivers {
                            let (received, outcomes) = (&received, &outcomes);
                            scope.spawn(move || {
                                let outcome = catch_unwind(AssertUnwindSafe(move || {
                                    while let Some(item) = receiver.recv() {
                                        received.fetch_add(1, Ordering::Relaxed);
                                        drop(item);
                                    }
                                    drop(receiver);
                                }));
                                outcomes.lock().unwrap().extend(outcome.err());
                            });
                        }
                    });
                    let name = format!("call {call} of {site:?}, {count} receivers");
                    let outcomes = outcomes.into_inner().unwrap();
                    assert_eq!(outcomes.len(), usize::from(fuse.has_blown()), "{name}");
                    assert_eq!(fuse.alive(), 0, "{name}");
                    if !fuse.has_blown() {
                        assert_eq!(received.into_inner(), ITEMS, "{name}");
                        break;
                    }
                }
            }
        }
    });
}

/// Functions that do not come with a stream: jobs of scopes, tasks, what they return.
#[test]
fn every_call_of_jobs_and_tasks() {
    ends(|| {
        for setup in some_setups() {
            let Some(pool) = &setup.pool else { continue };
            let before = pool.lost_panics();
            for site in [Site::End, Site::ItemDrop, Site::Serial] {
                for call in 1..=CALLS {
                    let fuse = Fuse::new(site, call);
                    let outcome = catch_unwind(AssertUnwindSafe(|| {
                        pool.scope(|scope| {
                            for _ in 0..ITEMS {
                                let (fuse, item) = (&fuse, fuse.thing(Site::ItemDrop));
                                scope.spawn(move |scope| {
                                    fuse.at(Site::End);
                                    let inner = fuse.thing(Site::ItemDrop);
                                    scope.spawn(move |_| drop((item, inner)));
                                });
                            }
                            fuse.at(Site::Serial);
                        });
                    }));
                    let name = format!("{}, call {call} of {site:?}", setup.name);
                    assert_eq!(outcome.is_err(), fuse.has_blown(), "{name}");
                    assert_eq!(fuse.alive(), 0, "{name}");
                    let outcome = catch_unwind(AssertUnwindSafe(|| {
                        let fuse = Fuse::new(site, call);
                        let tasks: Vec<_> = (0..ITEMS)
                            .map(|_| {
                                let (fuse, item) = (fuse.clone(), fuse.thing(Site::ItemDrop));
                                pool.spawn(move || {
                                    fuse.at(Site::End);
                                    item
                                })
                            })
                            .collect();
                        let outcomes: Vec<_> = tasks.into_iter().map(|task| task.join()).collect();
                        let failed = outcomes.iter().filter(|outcome| outcome.is_err()).count();
                        let is_ours = fuse.has_blown() && site == Site::End;
                        assert_eq!(failed, usize::from(is_ours), "{name}");
                    }));
                    // The values are dropped here.
                    if let Err(payload) = outcome {
                        assert!(payload.is::<Boom>() && site == Site::ItemDrop, "{name}");
                    }
                    // If no thread joins a task, the pool hears of its panic.
                    let detached = Fuse::new(site, call);
                    for _ in 0..ITEMS {
                        let (fuse, item) = (detached.clone(), detached.thing(Site::ItemDrop));
                        drop(pool.spawn(move || {
                            fuse.at(Site::End);
                            item
                        }));
                    }
                    eventually(&name, || detached.alive() == 0);
                    if !fuse.has_blown() && !detached.has_blown() {
                        break;
                    }
                }
                assert_eq!(pool.install(|| common::fib(5)), 5);
            }
            let expected = 2 * ITEMS - before;
            eventually("the pool has counted the detached ones", || {
                pool.lost_panics() == expected
            });
        }
    });
}
