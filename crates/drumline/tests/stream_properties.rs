//! Streams: programs made at random do what a loop would do.

mod common;
mod streams;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use common::{Random, quiet_panic};
use drumline::stream::{
    self, Feed, OnPanic, Report, Results, Serial, Source, Stream, Work, stream,
};
use streams::{Setup, setups};

/// What a stage does with its items, all of which are numbers.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Map,
    Filter,
    FilterMap,
    FlatMap,
    MapInit,
    TryMap,
    Long,
}

/// A stage, and how it is run.
#[derive(Clone, Debug)]
struct Stage {
    shape: Shape,
    /// A number of its functions.
    key: u64,
    /// It panics with items that are divisible by the first number once they are multiplied by a
    /// large one.
    panics: Option<u64>,
    on_panic: OnPanic,
    ordered: bool,
    batch: Option<usize>,
    batch_limit: Option<usize>,
    in_flight: Option<usize>,
    weight: Option<usize>,
    setup: usize,
}

const SHAPES: [Shape; 7] = [
    Shape::Map,
    Shape::Filter,
    Shape::FilterMap,
    Shape::FlatMap,
    Shape::MapInit,
    Shape::TryMap,
    Shape::Long,
];

impl Stage {
    fn random(random: &mut Random, setups: u64) -> Self {
        let some = |random: &mut Random, bound: u64| {
            (random.below(3) == 0).then(|| 1 + usize::try_from(random.below(bound)).unwrap())
        };
        Stage {
            shape: SHAPES[usize::try_from(random.below(7)).unwrap()],
            key: 1 + random.below(9),
            panics: (random.below(3) == 0).then(|| 1 + random.below(400)),
            on_panic: [OnPanic::Stop, OnPanic::Continue][usize::try_from(random.below(2)).unwrap()],
            ordered: random.below(3) > 0,
            batch: some(random, 40),
            batch_limit: some(random, 40),
            in_flight: some(random, 60),
            weight: some(random, 100),
            setup: usize::try_from(random.below(setups)).unwrap(),
        }
    }

    /// Passes an item, or panics with it.
    fn touch(&self, item: u64) -> u64 {
        if self.panics_with(item) {
            quiet_panic(item);
        }
        item
    }

    fn panics_with(&self, item: u64) -> bool {
        let panics =
            |every: u64| (item.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32).is_multiple_of(every);
        self.panics.is_some_and(panics)
    }

    /// What comes of an item in a loop.
    fn outcome(&self, item: u64) -> Vec<u64> {
        let key = self.key;
        match self.shape {
            Shape::Map | Shape::MapInit | Shape::TryMap => vec![item + key],
            Shape::Filter => (!item.is_multiple_of(key))
                .then_some(item)
                .into_iter()
                .collect(),
            Shape::FilterMap => (item % key != 1).then_some(item * 2).into_iter().collect(),
            Shape::FlatMap => (0..item % key).map(|more| item + more).collect(),
            Shape::Long => {
                let twice = (0..2).map(|more| item + 1 + more);
                twice
                    .filter(|item| item % key != 2)
                    .map(|item| item * 3)
                    .collect()
            }
        }
    }

    /// What is told to a stream.
    fn knobs<F: Feed<Item = u64>>(&self, stream: Stream<F>, setups: &[Setup]) -> Stream<F> {
        let mut stream = setups[self.setup].apply(stream).on_panic(self.on_panic);
        if let Some(batch) = self.batch {
            stream = stream.batch(batch);
        }
        if let Some(limit) = self.batch_limit {
            stream = stream.batch_limit(limit);
        }
        if let Some(items) = self.in_flight {
            stream = stream.in_flight(items);
        }
        if let Some(weight) = self.weight {
            stream = stream.weigh(weight, |item| usize::try_from(item % 10).unwrap());
        }
        stream
    }

    /// Calls `end` with the stream of this stage.
    fn run<F: Feed<Item = u64>, E: End>(
        &self,
        stream: Stream<F>,
        setups: &[Setup],
        end: E,
    ) -> E::Out {
        let key = self.key;
        let stream = self.knobs(stream, setups).map(|item| self.touch(item));
        match self.shape {
            Shape::Map => end.of(stream.map(|item| item + key)),
            Shape::Filter => end.of(stream.filter(|item| !item.is_multiple_of(key))),
            Shape::FilterMap => {
                end.of(stream.filter_map(|item| (item % key != 1).then_some(item * 2)))
            }
            Shape::FlatMap => {
                end.of(stream.flat_map(|item| (0..item % key).map(move |more| item + more)))
            }
            Shape::MapInit => end.of(stream.map_init(
                || 0_u64,
                |used, item| {
                    *used += 1;
                    item + key
                },
            )),
            Shape::TryMap => {
                let tried = stream.try_map(|item| Ok::<_, String>(item + key));
                end.of(tried.map(|result| result.unwrap()))
            }
            Shape::Long => {
                let twice = stream
                    .map(|item| item + 1)
                    .flat_map(|item| [item, item + 1]);
                end.of(twice
                    .filter(|item| item % key != 2)
                    .map_init(|| 3, |three, item| item * *three))
            }
        }
    }
}

/// What is done with the stream of a stage.
trait End {
    type Out;
    fn of<F: Feed, W: Work<F::Item, Out = u64>>(self, stream: Stream<F, W>) -> Self::Out;
}

fn serial<F: Feed, W: Work<F::Item, Out = u64>>(
    stage: &Stage,
    stream: Stream<F, W>,
) -> Serial<F, W> {
    if stage.ordered {
        stream.ordered()
    } else {
        stream.unordered()
    }
}

/// The last stage: all results, and what was done.
struct Collect<'a>(&'a Stage, u64, &'a mut Vec<u64>);

impl End for Collect<'_> {
    type Out = Report;

    fn of<F: Feed, W: Work<F::Item, Out = u64>>(self, stream: Stream<F, W>) -> Report {
        let Collect(stage, way, results) = self;
        match way {
            0 => serial(stage, stream).for_each(|item| results.push(item)),
            1 => {
                let all = std::sync::Mutex::new(std::mem::take(results));
                let report = catch_unwind(AssertUnwindSafe(|| {
                    stream.for_each(|item| all.lock().unwrap().push(item))
                }));
                *results = all.into_inner().unwrap();
                report.unwrap_or_else(|payload| std::panic::resume_unwind(payload))
            }
            _ => {
                let (all, report) =
                    stream.fold_init_report(Vec::new, Vec::push, |all, mut more| {
                        all.append(&mut more)
                    });
                *results = all;
                report
            }
        }
    }
}

/// A stage before the last: the results go to the next.
struct Next<'a> {
    stages: &'a [Stage],
    way: u64,
    results: &'a mut Vec<u64>,
    setups: &'a [Setup],
}

impl End for Next<'_> {
    type Out = Report;

    fn of<F: Feed, W: Work<F::Item, Out = u64>>(self, stream: Stream<F, W>) -> Report {
        let Next {
            stages,
            way,
            results,
            setups,
        } = self;
        let (here, later) = stages.split_first().unwrap();
        serial(here, stream)
            .with(|items: &mut Results<'_, u64>| run(items, later, way, results, setups))
    }
}

fn run<S: Source<Item = u64>>(
    source: S,
    stages: &[Stage],
    way: u64,
    results: &mut Vec<u64>,
    setups: &[Setup],
) -> Report {
    match stages {
        [] => unreachable!("there is a last one"),
        [last] => last.run(stream(source), setups, Collect(last, way, results)),
        [first, ..] => {
            // The type of a stage in a stage in a stage would have no end.
            let source: Box<dyn Source<Item = u64> + '_> = Box::new(source);
            first.run(
                stream(source),
                setups,
                Next {
                    stages,
                    way,
                    results,
                    setups,
                },
            )
        }
    }
}

/// What a loop makes of the first `items` items, and which panic in the first stage.
fn in_a_loop(items: u64, stages: &[Stage]) -> Vec<u64> {
    let mut all: Vec<u64> = (0..items).collect();
    for stage in stages {
        all.retain(|&item| !stage.panics_with(item));
        all = all
            .into_iter()
            .flat_map(|item| stage.outcome(item))
            .collect();
    }
    all
}

/// Whether all of `few` is in `all`, as often.
fn is_part_of(few: &[u64], all: &[u64]) -> bool {
    let mut left = BTreeMap::new();
    all.iter()
        .for_each(|&item| *left.entry(item).or_insert(0_i64) += 1);
    few.iter()
        .for_each(|&item| *left.entry(item).or_insert(0) -= 1);
    left.values().all(|&left| left >= 0)
}

/// Runs one program, and compares.
fn check(seed: u64, setups: &[Setup]) {
    let random = &mut Random::new(seed);
    let count = u64::try_from(setups.len()).unwrap();
    let stages = 1 + random.below(3);
    let stages: Vec<_> = (0..stages).map(|_| Stage::random(random, count)).collect();
    let items = [random.below(20), random.below(300), random.below(3_000)]
        [usize::try_from(random.below(3)).unwrap()];
    let way = random.below(4).saturating_sub(1);
    let queued = random.below(3) == 0;
    let what = format!("seed {seed}: {items} items, queued {queued}, way {way}, {stages:#?}");

    let pulled = AtomicU64::new(0);
    let mut results = Vec::new();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        if queued {
            let (send, receive) = stream::queue(7);
            thread::scope(|scope| {
                let pulled = &pulled;
                scope.spawn(move || {
                    for item in 0..items {
                        if send.send(item).is_err() {
                            return;
                        }
                    }
                    pulled.store(items, Ordering::Relaxed);
                });
                run(receive, &stages, way, &mut results, setups)
            })
        } else {
            let pulled = &pulled;
            let source = (0..items).inspect(move |_| {
                pulled.fetch_add(1, Ordering::Relaxed);
            });
            run(Numbers(source), &stages, way, &mut results, setups)
        }
    }));
    let pulled = pulled.into_inner();
    let expected = in_a_loop(items, &stages);
    let in_order = way == 0 && stages.iter().all(|stage| stage.ordered);
    let stopping: Vec<usize> = (0..stages.len())
        .filter(|&n| {
            let before = in_a_loop(items, &stages[..n]);
            stages[n].on_panic == OnPanic::Stop
                && before.iter().any(|&item| stages[n].panics_with(item))
        })
        .collect();
    match outcome {
        Ok(report) => {
            assert!(stopping.is_empty(), "it did not panic; {what}");
            let last = stages.last().unwrap();
            let seen = in_a_loop(items, &stages[..stages.len() - 1]);
            assert_eq!(report.items, u64::try_from(seen.len()).unwrap(), "{what}");
            if in_order {
                assert!(results == expected, "not the same sequence; {what}");
            }
            let lost: Vec<u64> = (0..)
                .zip(&seen)
                .filter(|&(_, &item)| last.panics_with(item))
                .map(|(at, _)| at)
                .collect();
            if stages[..stages.len() - 1].iter().all(|stage| stage.ordered) {
                let told: Vec<u64> = report.panics.iter().map(stream::Panicked::index).collect();
                assert_eq!(told, lost, "{what}");
            }
            let mut carried: Vec<u64> = report
                .panics
                .into_iter()
                .map(|panic| *panic.into_payload().downcast().unwrap())
                .collect();
            let mut carried_in_a_loop: Vec<u64> = seen
                .into_iter()
                .filter(|&item| last.panics_with(item))
                .collect();
            carried.sort_unstable();
            carried_in_a_loop.sort_unstable();
            assert_eq!(carried, carried_in_a_loop, "{what}");
            let (mut some, mut all) = (results, expected);
            some.sort_unstable();
            all.sort_unstable();
            assert!(some == all, "not the same items; {what}");
        }
        Err(payload) => {
            let payload: u64 = *payload
                .downcast()
                .unwrap_or_else(|_| panic!("a panic of its own; {what}"));
            let may = |&n: &usize| {
                let before = in_a_loop(items, &stages[..n]);
                let mut panics = before
                    .into_iter()
                    .filter(|&item| stages[n].panics_with(item));
                if stages[..n].iter().all(|stage| stage.ordered) {
                    panics.next() == Some(payload)
                } else {
                    panics.any(|item| item == payload)
                }
            };
            assert!(stopping.iter().any(may), "panicked with {payload}; {what}");
            assert!(is_part_of(&results, &expected), "too much; {what}");
            if !queued && stages.len() == 1 && way < 2 {
                // What was taken was handled, and has arrived.
                let mut expected = in_a_loop(pulled, &stages);
                if !in_order {
                    results.sort_unstable();
                    expected.sort_unstable();
                }
                assert!(results == expected, "not what was taken; {what}");
            }
        }
    }
}

/// An iterator as a source, one item at a time.
struct Numbers<I>(I);

impl<I: Iterator<Item = u64> + Send> Source for Numbers<I> {
    type Item = u64;

    fn recv(&mut self) -> Option<u64> {
        self.0.next()
    }

    fn try_recv(&mut self) -> stream::Polled<u64> {
        self.0
            .next()
            .map_or(stream::Polled::Ended, stream::Polled::Item)
    }
}

fn check_all(seeds: std::ops::Range<u64>) {
    let setups = setups();
    let base: u64 = std::env::var("DRUMLINE_SEED").map_or(0, |text| text.parse().unwrap());
    for seed in seeds {
        check(base + seed, &setups);
    }
}

#[test]
fn random_programs_1() {
    check_all(0..400);
}

#[test]
fn random_programs_2() {
    check_all(1_000..1_400);
}

#[test]
fn random_programs_inside_of_a_pool() {
    for home in [common::pool(2), common::without_guests(2)] {
        home.install(|| check_all(2_000..2_150));
    }
}

/// Errors: what had been taken arrives, and nothing after it.
#[test]
fn a_function_that_fails_ends_a_prefix() {
    let setups = setups();
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let stage = Stage {
            panics: None,
            ..Stage::random(random, u64::try_from(setups.len()).unwrap())
        };
        let (items, bad) = (random.below(2_000), random.below(2_000));
        let pulled = AtomicU64::new(0);
        let numbers = (0..items).inspect(|_| {
            pulled.fetch_add(1, Ordering::Relaxed);
        });
        let stream = stage.knobs(stream(Numbers(numbers)), &setups);
        let mut results = Vec::new();
        let tried = stream
            .try_map(|item| if item >= bad { Err(item) } else { Ok(item) })
            .ordered();
        let report = tried.for_each(|result| results.push(result));
        let pulled = pulled.into_inner();
        assert_eq!(report.items, pulled, "seed {seed}");
        assert_eq!(pulled > bad, items > bad, "seed {seed}");
        let expected = (0..pulled).map(|item| if item >= bad { Err(item) } else { Ok(item) });
        assert!(results.into_iter().eq(expected), "seed {seed}: {stage:?}");
    }
}
