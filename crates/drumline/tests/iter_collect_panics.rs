//! Collecting from parallel iterators that panic, or lie about how many items they have.

use std::cell::Cell;
use std::collections::LinkedList;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use drumline::Pool;
use drumline::iter::plumbing::{
    Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer, bridge,
};
use drumline::prelude::*;

/// In pools with one, two and four jobs.
fn in_pools(test: impl Fn() + Sync + Send) {
    for jobs in [1, 2, 4] {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        pool.install(&test);
        pool.shutdown().unwrap();
    }
}

fn numbers(len: usize) -> Vec<u64> {
    (0..len as u64).map(|n| n * 7919 % 1009).collect()
}

/// Counts how many of its kind are alive.
struct Counted<'a> {
    alive: &'a AtomicUsize,
    is_dropped: Cell<bool>,
}

impl<'a> Counted<'a> {
    fn new(alive: &'a AtomicUsize) -> Self {
        alive.fetch_add(1, Ordering::Relaxed);
        Counted {
            alive,
            is_dropped: Cell::new(false),
        }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        assert!(!self.is_dropped.replace(true), "dropped twice");
        let before = self.alive.fetch_sub(1, Ordering::Relaxed);
        assert!(before > 0, "more are dropped than have been made");
    }
}

/// Runs `collect` with each position to panic at.
fn panics_everywhere<F>(len: usize, collect: F)
where
    F: Fn(Vec<Counted<'_>>, usize) + Sync,
{
    for jobs in [1, 2, 4] {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        for position in 0..len {
            let alive = AtomicUsize::new(0);
            let caught = pool.install(|| {
                let items = (0..len).map(|_| Counted::new(&alive)).collect();
                catch_unwind(AssertUnwindSafe(|| collect(items, position)))
            });
            let payload = caught.expect_err("it panics");
            assert_eq!(payload.downcast_ref(), Some(&"here"), "{jobs} {position}");
            assert_eq!(alive.into_inner(), 0, "{jobs} {position}");
        }
        pool.shutdown().unwrap();
    }
}

/// A closure that makes a new item of each, and panics with the `at`th that it gets.
fn remade<'a>(at: usize) -> impl Fn(Counted<'a>) -> Counted<'a> + Sync + Send {
    let count = AtomicUsize::new(0);
    move |item| {
        if count.fetch_add(1, Ordering::Relaxed) == at {
            std::panic::panic_any("here");
        }
        if at.is_multiple_of(7) {
            std::thread::yield_now();
        }
        Counted::new(item.alive)
    }
}

#[test]
fn a_panic_leaks_nothing_in_place() {
    panics_everywhere(130, |items, at| {
        let collected: Vec<_> = items.into_par_iter().map(remade(at)).collect();
        drop(collected);
    });
}

#[test]
fn a_panic_leaks_nothing_in_pieces() {
    panics_everywhere(130, |items, at| {
        let remade = items.into_par_iter().map(remade(at));
        let collected: Vec<_> = remade.filter(|_| true).collect();
        drop(collected);
    });
}

#[test]
fn a_panic_leaks_nothing_of_two() {
    panics_everywhere(100, |items, at| {
        let remade = items.into_par_iter().map(remade(at));
        let pairs = remade.map(|item| (Counted::new(item.alive), item));
        let (mut left, mut right) = (Vec::new(), Vec::new());
        pairs.unzip_into_vecs(&mut left, &mut right);
    });
    panics_everywhere(100, |items, at| {
        let remade = items.into_par_iter().map(remade(at));
        let pairs = remade.map(|item| (Counted::new(item.alive), item));
        let both: (Vec<_>, LinkedList<_>) = pairs.collect();
        drop(both);
    });
}

#[test]
fn a_panic_leaks_nothing_of_what_is_drained() {
    panics_everywhere(100, |mut items, at| {
        let kept = items.len() - 20;
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let drained = items.par_drain(10..30).map(remade(at % 20));
            drained.collect::<Vec<_>>()
        }));
        assert_eq!(items.len(), kept);
        assert!(items.iter().all(|item| !item.is_dropped.get()));
        std::panic::resume_unwind(caught.map(drop).expect_err("it panics"));
    });
}

#[test]
fn items_without_a_size() {
    static ALIVE: AtomicUsize = AtomicUsize::new(0);

    struct Nothing;

    impl Nothing {
        fn new() -> Self {
            ALIVE.fetch_add(1, Ordering::Relaxed);
            Nothing
        }
    }

    impl Drop for Nothing {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }

    in_pools(|| {
        let numbers = numbers(1_000);
        let collected: Vec<Nothing> = numbers.par_iter().map(|_| Nothing::new()).collect();
        assert_eq!(collected.len(), 1_000);
        assert_eq!(ALIVE.load(Ordering::Relaxed), 1_000);
        let again: Vec<Nothing> = collected.into_par_iter().collect();
        assert_eq!(again.len(), 1_000);
        drop(again);
        assert_eq!(ALIVE.load(Ordering::Relaxed), 0);

        let caught = catch_unwind(|| {
            let some = numbers.par_iter().map(|n| match n {
                500 => panic!("here"),
                _ => Nothing::new(),
            });
            some.collect::<Vec<_>>().len()
        });
        assert!(caught.is_err());
        assert_eq!(ALIVE.load(Ordering::Relaxed), 0);
    });
}

/// Says that it has `said` items, and gives `given`.
struct Liar {
    said: usize,
    given: usize,
}

impl ParallelIterator for Liar {
    type Item = String;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<String>,
    {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.said)
    }
}

impl IndexedParallelIterator for Liar {
    fn len(&self) -> usize {
        self.said
    }

    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<String>,
    {
        bridge(self, consumer)
    }

    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<String>,
    {
        callback.callback(Lies(self.given))
    }
}

/// Gives this many strings.
struct Lies(usize);

impl Producer for Lies {
    type Item = String;
    type IntoIter = std::vec::IntoIter<String>;

    fn into_iter(self) -> Self::IntoIter {
        vec![String::from("a lie"); self.0].into_iter()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let left = index.min(self.0);
        (Lies(left), Lies(self.0 - left))
    }
}

fn message(op: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(op)).expect_err("it panics");
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => payload.downcast_ref::<&str>().unwrap().to_string(),
    }
}

#[test]
fn lies_are_told() {
    in_pools(|| {
        for said in [0, 1, 2, 5, 100, 1_000] {
            let more = || Liar {
                said,
                given: said + 1,
            };
            let too_many = "gave more items than it has said";
            assert!(message(|| drop(more().collect::<Vec<_>>())).contains(too_many));
            assert!(message(|| more().collect_into_vec(&mut vec![])).contains(too_many));
            let mut kept = vec![String::from("true")];
            assert!(message(|| kept.par_extend(more())).contains(too_many));
            assert_eq!(kept, ["true"]);

            for given in [0, said / 2, said.saturating_sub(1)] {
                if given == said {
                    continue;
                }
                let fewer = || Liar { said, given };
                let too_few = format!("has said it has {said} items gave ");
                assert!(message(|| drop(fewer().collect::<Vec<_>>())).contains(&too_few));
                assert!(message(|| fewer().collect_into_vec(&mut vec![])).contains(&too_few));
                let pairs = fewer().map(|lie| (lie.clone(), lie));
                let (mut left, mut right) = (vec![], vec![]);
                let said = message(|| pairs.unzip_into_vecs(&mut left, &mut right));
                assert!(said.contains(&too_few));
                assert!(left.is_empty() && right.is_empty());
            }
        }
    });
}

/// Drives its consumer in a way that is not allowed.
struct Abuse<F>(usize, F);

/// What `Abuse` does with its consumer.
trait Abuser: Send {
    fn abuse<C: UnindexedConsumer<String>>(self, consumer: C) -> C::Result;
}

impl<F: Abuser> ParallelIterator for Abuse<F> {
    type Item = String;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<String>,
    {
        self.1.abuse(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.0)
    }
}

fn full<F: Folder<String>>(folder: F, count: usize) -> F {
    folder.consume_iter(vec![String::from("item"); count])
}

/// Gives away one of two halves.
struct OneHalf {
    is_left: bool,
}

impl Abuser for OneHalf {
    fn abuse<C: UnindexedConsumer<String>>(self, consumer: C) -> C::Result {
        let (left, right, _) = consumer.split_at(4);
        let left = full(left.into_folder(), 4).complete();
        let right = full(right.into_folder(), 4).complete();
        if self.is_left { left } else { right }
    }
}

/// Joins two halves the wrong way round.
struct WrongWayRound;

impl Abuser for WrongWayRound {
    fn abuse<C: UnindexedConsumer<String>>(self, consumer: C) -> C::Result {
        let (left, right, reducer) = consumer.split_at(4);
        let left = full(left.into_folder(), 4).complete();
        let right = full(right.into_folder(), 4).complete();
        reducer.reduce(right, left)
    }
}

/// Lets a folder go on behind a part that is missing.
struct WithAGap;

impl Abuser for WithAGap {
    fn abuse<C: UnindexedConsumer<String>>(self, consumer: C) -> C::Result {
        let (left, rest, _) = consumer.split_at(2);
        let (_, right, _) = rest.split_at(2);
        let folder = right.resume(full(left.into_folder(), 2));
        full(folder, 4).complete()
    }
}

/// Splits without saying where.
struct Anywhere;

impl Abuser for Anywhere {
    fn abuse<C: UnindexedConsumer<String>>(self, consumer: C) -> C::Result {
        let left = consumer.split_off_left();
        let left = full(left.into_folder(), 4).complete();
        let reducer = consumer.to_reducer();
        reducer.reduce(left, full(consumer.into_folder(), 4).complete())
    }
}

/// Splits behind the end.
struct Beyond;

impl Abuser for Beyond {
    fn abuse<C: UnindexedConsumer<String>>(self, consumer: C) -> C::Result {
        let (left, _, _) = consumer.split_at(9);
        full(left.into_folder(), 9).complete()
    }
}

/// Is right about its number, and has an iterator that is wrong about its own.
struct WrongHint;

impl Abuser for WrongHint {
    fn abuse<C: UnindexedConsumer<String>>(self, consumer: C) -> C::Result {
        struct Hint(usize);

        impl Iterator for Hint {
            type Item = String;

            fn next(&mut self) -> Option<String> {
                self.0 = self.0.checked_sub(1)?;
                Some(String::from("item"))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (0, Some(0))
            }
        }

        let folder = consumer.into_folder();
        folder
            .consume_iter(Hint(4))
            .consume_iter(Hint(5))
            .complete()
    }
}

#[test]
fn abuse_is_no_more_than_a_panic() {
    fn collected<A: Abuser>(abuser: A) -> Vec<String> {
        Abuse(8, abuser).collect()
    }

    for is_left in [false, true] {
        let said = message(|| drop(collected(OneHalf { is_left })));
        assert!(said.contains("8 items gave 4"), "{said}");
    }
    let said = message(|| drop(collected(WrongWayRound)));
    assert!(said.contains("8 items gave 4"), "{said}");
    let said = message(|| drop(collected(WithAGap)));
    assert!(said.contains("goes on with its neighbour"), "{said}");
    let said = message(|| drop(collected(Anywhere)));
    assert!(said.contains("must say where it splits"), "{said}");
    let said = message(|| drop(collected(Beyond)));
    assert!(said.contains("within its items"), "{said}");
    // No more than there is room for, whatever the hint says.
    assert!(catch_unwind(|| collected(WrongHint)).is_ok_and(|vec| vec.len() == 8));
}
