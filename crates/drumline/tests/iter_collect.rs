//! Collecting from parallel iterators, against what sequential ones collect.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{OsStr, OsString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use drumline::Pool;
use drumline::iter::Either;
use drumline::iter::plumbing::{
    Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer, UnindexedProducer,
    bridge, bridge_unindexed,
};
use drumline::prelude::*;

const LENS: [usize; 7] = [0, 1, 2, 3, 100, 1_000, 10_000];

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

/// Takes a while now and then, so that other threads come for their part.
fn slowly(number: &u64) -> u64 {
    if number.is_multiple_of(64) {
        std::thread::yield_now();
    }
    number * 2
}

#[test]
fn vectors() {
    in_pools(|| {
        for len in LENS {
            let numbers = numbers(len);
            let doubled: Vec<u64> = numbers.iter().map(|n| n * 2).collect();
            let odd: Vec<u64> = numbers.iter().copied().filter(|n| n % 2 == 1).collect();
            let par_odd = || numbers.par_iter().map(|n| *n).filter(|n| n % 2 == 1);

            assert_eq!(numbers.par_iter().map(slowly).collect::<Vec<_>>(), doubled);
            assert_eq!(par_odd().collect::<Vec<_>>(), odd);
            let list = numbers.par_iter().map(slowly).collect_vec_list();
            assert!(list.iter().all(|vec| !vec.is_empty()));
            assert!(list.into_iter().flatten().eq(doubled.iter().copied()));
            let list = par_odd().collect_vec_list();
            assert!(list.iter().all(|vec| !vec.is_empty()));
            assert!(list.into_iter().flatten().eq(odd.iter().copied()));

            let mut target = vec![1, 2, 3];
            numbers.par_iter().map(slowly).collect_into_vec(&mut target);
            assert_eq!(target, doubled);
            target.par_extend(par_odd());
            target.par_extend(&numbers);
            target.par_extend(numbers.par_iter().map(slowly));
            let whole = [&doubled, &odd, &numbers, &doubled];
            assert!(target.iter().eq(whole.into_iter().flatten()));
        }
    });
}

#[test]
fn in_order_whatever_it_is() {
    in_pools(|| {
        for len in LENS {
            let numbers = numbers(len);
            let iter = || numbers.par_iter().map(slowly).filter(|n| n % 3 != 0);
            let expected: Vec<u64> = (numbers.iter().map(|n| n * 2))
                .filter(|n| n % 3 != 0)
                .collect();
            let expected = &expected[..];

            assert_eq!(*iter().collect::<Box<[_]>>(), *expected);
            assert_eq!(*iter().collect::<Rc<[_]>>(), *expected);
            assert_eq!(*iter().collect::<Arc<[_]>>(), *expected);
            assert_eq!(*iter().collect::<Cow<'_, [_]>>(), *expected);
            assert_eq!(iter().collect::<VecDeque<_>>(), expected);
            assert!(iter().collect::<LinkedList<_>>().iter().eq(expected));

            let mut deque: VecDeque<u64> = [1, 2].into();
            deque.par_extend(iter());
            deque.par_extend(&[3, 4]);
            assert!(
                deque
                    .iter()
                    .eq([1, 2].iter().chain(expected).chain(&[3, 4]))
            );
            let mut list: LinkedList<u64> = [1, 2].into();
            list.par_extend(iter());
            list.par_extend(&[3, 4]);
            assert!(list.iter().eq([1, 2].iter().chain(expected).chain(&[3, 4])));
        }
    });
}

#[test]
fn sets_and_maps() {
    in_pools(|| {
        for len in LENS {
            let numbers = numbers(len);
            let pairs: Vec<(u64, usize)> = (numbers.iter().map(|n| n % 97).zip(0..)).collect();

            let heap: BinaryHeap<u64> = numbers.par_iter().map(|n| *n).collect();
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            assert_eq!(heap.into_sorted_vec(), sorted);

            let hash_set: HashSet<u64> = numbers.par_iter().map(|n| *n).collect();
            assert_eq!(hash_set, numbers.iter().copied().collect());
            let tree_set: BTreeSet<u64> = numbers.par_iter().map(|n| *n).collect();
            assert_eq!(tree_set, numbers.iter().copied().collect());
            // The last value of each key, as if one after another had been inserted.
            let hash_map: HashMap<u64, usize> = pairs.clone().into_par_iter().collect();
            assert_eq!(hash_map, pairs.iter().copied().collect());
            let tree_map: BTreeMap<u64, usize> = pairs.clone().into_par_iter().collect();
            assert_eq!(tree_map, pairs.iter().copied().collect());

            let mut hash_map = HashMap::from([(3, 0), (1_000, 1)]);
            hash_map.par_extend(pairs.par_iter().map(|(k, v)| (k, v)));
            hash_map.par_extend([(4, 7)]);
            let mut tree_map = BTreeMap::from([(3, 0), (1_000, 1)]);
            tree_map.par_extend(pairs.par_iter().map(|(k, v)| (k, v)));
            tree_map.par_extend([(4, 7)]);
            let mut expected = HashMap::from([(3, 0), (1_000, 1)]);
            expected.extend(pairs.iter().copied());
            expected.insert(4, 7);
            assert_eq!(hash_map, expected);
            assert_eq!(tree_map, expected.into_iter().collect());

            let mut hash_set = HashSet::from([3, 2_000]);
            hash_set.par_extend(&numbers);
            hash_set.par_extend([4]);
            let mut tree_set = BTreeSet::from([3, 2_000]);
            tree_set.par_extend(&numbers);
            tree_set.par_extend([4]);
            let mut expected = HashSet::from([3, 4, 2_000]);
            expected.extend(&numbers);
            assert_eq!(hash_set, expected);
            assert_eq!(tree_set, expected.into_iter().collect());

            let mut heap = BinaryHeap::from([3, 2_000]);
            heap.par_extend(&numbers);
            heap.par_extend([4]);
            let mut expected = numbers.clone();
            expected.extend([3, 4, 2_000]);
            expected.sort_unstable();
            assert_eq!(heap.into_sorted_vec(), expected);
        }
    });
}

#[test]
fn strings() {
    in_pools(|| {
        let letters: Vec<char> = ('a'..='z').chain('α'..='ω').cycle().take(3_000).collect();
        let expected: String = letters.iter().collect();
        let words: Vec<String> = letters.iter().map(char::to_string).collect();
        let iter = || letters.par_iter();

        assert_eq!(iter().collect::<String>(), expected);
        assert_eq!(iter().map(|c| *c).collect::<String>(), expected);
        assert_eq!(
            words.par_iter().map(String::as_str).collect::<String>(),
            expected
        );
        assert_eq!(words.clone().into_par_iter().collect::<String>(), expected);
        let boxes = words.clone().into_par_iter().map(String::into_boxed_str);
        assert_eq!(boxes.collect::<String>(), expected);
        let cows = words.par_iter().map(|word| Cow::Borrowed(word.as_str()));
        assert_eq!(cows.collect::<String>(), expected);
        assert_eq!(*iter().collect::<Box<str>>(), expected);
        assert_eq!(iter().collect::<Cow<'_, str>>(), expected);

        let mut greeting = String::from("hello, ");
        greeting.par_extend(iter());
        greeting.par_extend(words.clone());
        assert_eq!(greeting, format!("hello, {expected}{expected}"));

        let os: OsString = words.par_iter().map(OsStr::new).collect();
        assert_eq!(os, OsString::from(&expected));
        let mut os = OsString::from("o");
        os.par_extend(words.par_iter().map(OsString::from));
        os.par_extend(words.par_iter().map(|word| Cow::Borrowed(OsStr::new(word))));
        assert_eq!(os, OsString::from(format!("o{expected}{expected}")));
    });
}

#[test]
fn options_and_results() {
    in_pools(|| {
        for len in LENS {
            let numbers = numbers(len);
            let halves = |n: &u64| n.is_multiple_of(2).then_some(n / 2);
            let all = |n: &u64| Some(slowly(n));
            assert_eq!(
                numbers.par_iter().map(halves).collect::<Option<Vec<_>>>(),
                numbers.iter().map(halves).collect::<Option<Vec<_>>>(),
            );
            assert_eq!(
                numbers.par_iter().map(all).collect::<Option<Vec<_>>>(),
                numbers.iter().map(all).collect::<Option<Vec<_>>>(),
            );
            let checked = |n: &u64| if *n == 1_008 { Err(*n) } else { Ok(slowly(n)) };
            assert_eq!(
                numbers
                    .par_iter()
                    .map(checked)
                    .collect::<Result<Vec<_>, _>>(),
                numbers.iter().map(checked).collect::<Result<Vec<_>, _>>(),
            );
            let count = AtomicUsize::new(0);
            let counting = |_: &u64| match count.fetch_add(1, Ordering::Relaxed) {
                0 => Err(()),
                _ => Ok(()),
            };
            let nothing: Result<(), ()> = numbers.par_iter().map(counting).collect();
            assert_eq!(nothing.is_err(), len > 0);
        }
    });
}

#[test]
fn an_error_ends_it_early() {
    let pool = Pool::builder().jobs(1).build().unwrap();
    let seen = AtomicUsize::new(0);
    let result = pool.install(|| {
        let numbers = numbers(10_000);
        let check = |n: &u64| {
            seen.fetch_add(1, Ordering::Relaxed);
            if *n == 0 { Err("zero") } else { Ok(*n) }
        };
        numbers.par_iter().map(check).collect::<Result<Vec<_>, _>>()
    });
    assert_eq!(result, Err("zero"));
    assert_eq!(seen.into_inner(), 1);
}

#[test]
fn two_at_once() {
    in_pools(|| {
        for len in LENS {
            let numbers = numbers(len);
            let pair = |n: &u64| (slowly(n), n.to_string());
            let (left, right): (Vec<u64>, Vec<String>) = numbers.iter().map(pair).unzip();

            let both: (Vec<u64>, Vec<String>) = numbers.par_iter().map(pair).unzip();
            assert_eq!(both, (left.clone(), right.clone()));
            let both: (Vec<u64>, LinkedList<String>) = numbers.par_iter().map(pair).collect();
            assert!(both.0 == left && both.1.iter().eq(&right));
            let some = numbers.par_iter().filter(|n| **n % 5 == 0).map(pair);
            let both: (Vec<u64>, Vec<String>) = some.collect();
            assert_eq!(
                both,
                numbers.iter().filter(|n| **n % 5 == 0).map(pair).unzip()
            );
            let nested = numbers.par_iter().map(|n| (*n, pair(n)));
            let nested: (Vec<u64>, (Vec<u64>, Vec<String>)) = nested.unzip();
            assert_eq!(nested, (numbers.clone(), (left.clone(), right.clone())));

            let (mut into_left, mut into_right) = (vec![9], vec![String::new()]);
            let pairs = numbers.par_iter().map(pair);
            pairs.unzip_into_vecs(&mut into_left, &mut into_right);
            assert_eq!((&into_left, &into_right), (&left, &right));
            let mut extended = (into_left, into_right);
            extended.par_extend(numbers.par_iter().map(pair));
            assert_eq!((extended.0.len(), extended.1.len()), (2 * len, 2 * len));

            let even = |n: &u64| n.is_multiple_of(2);
            let parts: (Vec<u64>, Vec<u64>) = numbers.par_iter().map(|n| *n).partition(even);
            assert_eq!(parts, numbers.iter().partition(|n| even(n)));
            let side = |n: &u64| match even(n) {
                true => Either::Left(*n),
                false => Either::Right(n.to_string()),
            };
            let odd: Vec<String> = parts.1.iter().map(u64::to_string).collect();
            let sides: (Vec<u64>, Vec<String>) = numbers.par_iter().partition_map(side);
            assert_eq!(sides, (parts.0.clone(), odd.clone()));
            let sides: (Vec<u64>, Vec<String>) = numbers.par_iter().map(side).collect();
            assert_eq!(sides, (parts.0, odd));
        }
    });
}

#[test]
fn an_unhelped_loop_makes_one_vector() {
    let pool = Pool::builder().jobs(1).build().unwrap();
    let numbers = numbers(100_000);
    let list = pool.install(|| {
        numbers
            .par_iter()
            .filter(|n| **n % 3 == 0)
            .collect_vec_list()
    });
    assert_eq!(list.len(), 1);
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

/// Gives so many strings.
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

/// The items of a range, which nobody knows the number of, by halves.
struct Unknown(std::ops::Range<u64>);

impl ParallelIterator for Unknown {
    type Item = u64;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<u64>,
    {
        bridge_unindexed(self, consumer)
    }
}

impl UnindexedProducer for Unknown {
    type Item = u64;

    fn split(self) -> (Self, Option<Self>) {
        let middle = self.0.start.midpoint(self.0.end);
        if middle == self.0.start {
            return (self, None);
        }
        let right = Unknown(middle..self.0.end);
        (Unknown(self.0.start..middle), Some(right))
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<u64>,
    {
        folder.consume_iter(self.0)
    }
}

#[test]
fn many_pieces() {
    in_pools(|| {
        let odd = || Unknown(0..5_000).filter(|n| n % 2 == 1);
        let expected: Vec<u64> = (1..5_000).step_by(2).collect();
        assert_eq!(odd().collect::<Vec<_>>(), expected);
        let list = odd().collect_vec_list();
        assert!(list.len() > 1 && list.iter().all(|vec| !vec.is_empty()));
        assert!(list.into_iter().flatten().eq(expected.iter().copied()));
        assert!(odd().collect::<LinkedList<_>>().iter().eq(&expected));
        assert_eq!(odd().collect::<VecDeque<_>>(), expected);
        let text: String = odd().map(|n| n.to_string()).collect();
        assert_eq!(
            text,
            expected.iter().map(u64::to_string).collect::<String>()
        );
        let parts: (Vec<u64>, String) = odd().partition_map(|n| match n % 3 {
            0 => Either::Left(n),
            _ => Either::Right('x'),
        });
        assert_eq!(parts.0.len() + parts.1.len(), 2_500);
        assert!(
            Unknown(0..100)
                .filter(|_| false)
                .collect_vec_list()
                .is_empty()
        );
    });
}
