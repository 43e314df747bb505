//! The methods of indexed parallel iterators, held against those of sequential ones.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use drumline::Pool;
use drumline::iter::plumbing::{Consumer, Folder, Producer, ProducerCallback, Reducer};
use drumline::prelude::*;

const SIZES: [usize; 7] = [0, 1, 2, 3, 7, 100, 10_000];

/// Calls `check` in pools of 1, 2 and 4 jobs.
fn in_pools(check: impl Fn() + Sync) {
    for jobs in [1, 2, 4] {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        pool.install(&check);
    }
}

/// Calls `check` with `0..size` for several sizes, in several pools.
fn with_numbers(check: impl Fn(&[usize]) + Sync) {
    in_pools(|| {
        for size in SIZES {
            let numbers: Vec<usize> = (0..size).collect();
            check(&numbers);
        }
    });
}

/// The items of `iter`, in their order.
fn items<I: IndexedParallelIterator>(iter: I) -> Vec<I::Item> {
    let len = iter.len();
    let mut slots: Vec<Option<I::Item>> = (0..len).map(|_| None).collect();
    slots
        .par_iter_mut()
        .zip(iter)
        .for_each(|(slot, item)| assert!(slot.replace(item).is_none()));
    slots.into_iter().map(Option::unwrap).collect()
}

/// The items of `iter`, in their order, where it is not indexed.
fn unindexed_items<I: ParallelIterator>(iter: I) -> Vec<I::Item> {
    iter.map(|item| vec![item]).reduce(Vec::new, |mut a, b| {
        a.extend(b);
        a
    })
}

/// Goes through a producer in one of several ways, in three parts.
struct InParts {
    first: usize,
    second: usize,
    way: Way,
}

#[derive(Clone, Copy)]
enum Way {
    Forward,
    Backward,
    FromBothEnds,
    ByFold,
    ByRfold,
    ByFoldWith,
}

const WAYS: [Way; 6] = [
    Way::Forward,
    Way::Backward,
    Way::FromBothEnds,
    Way::ByFold,
    Way::ByRfold,
    Way::ByFoldWith,
];

impl<T> ProducerCallback<T> for InParts {
    type Output = Vec<T>;

    fn callback<P: Producer<Item = T>>(self, producer: P) -> Vec<T> {
        let (first, rest) = producer.split_at(self.first);
        let (second, third) = rest.split_at(self.second);
        let mut items = Vec::new();
        for part in [first, second, third] {
            items.extend(one_part(part, self.way));
        }
        items
    }
}

fn one_part<P: Producer>(part: P, way: Way) -> Vec<P::Item> {
    let mut items = Vec::new();
    if let Way::ByFoldWith = way {
        return part.fold_with(Collecting(items)).0;
    }
    let mut iter = part.into_iter();
    let mut left = iter.len();
    let mut check_len = |len: usize, hint: (usize, Option<usize>)| {
        assert_eq!((len, hint), (left, (left, Some(left))));
        left = left.saturating_sub(1);
    };
    match way {
        Way::Forward => loop {
            check_len(iter.len(), iter.size_hint());
            match iter.next() {
                Some(item) => items.push(item),
                None => break,
            }
        },
        Way::Backward => {
            loop {
                check_len(iter.len(), iter.size_hint());
                match iter.next_back() {
                    Some(item) => items.push(item),
                    None => break,
                }
            }
            items.reverse();
        }
        Way::FromBothEnds => {
            let mut back = Vec::new();
            loop {
                check_len(iter.len(), iter.size_hint());
                let Some(item) = iter.next() else { break };
                items.push(item);
                check_len(iter.len(), iter.size_hint());
                let Some(item) = iter.next_back() else { break };
                back.push(item);
            }
            items.extend(back.into_iter().rev());
        }
        Way::ByFold => iter.for_each(|item| items.push(item)),
        Way::ByRfold => {
            iter.rev().for_each(|item| items.push(item));
            items.reverse();
        }
        Way::ByFoldWith => unreachable!(),
    }
    items
}

struct Collecting<T>(Vec<T>);

impl<T> Folder<T> for Collecting<T> {
    type Result = Vec<T>;

    fn consume(mut self, item: T) -> Self {
        self.0.push(item);
        self
    }

    fn complete(self) -> Vec<T> {
        self.0
    }

    fn full(&self) -> bool {
        false
    }
}

/// Whether what `make` makes has the items `expected`, however one goes through it.
fn check<I>(make: impl Fn() -> I, expected: impl IntoIterator<Item = I::Item>)
where
    I: IndexedParallelIterator,
    I::Item: Clone + Debug + PartialEq,
{
    let expected: Vec<I::Item> = expected.into_iter().collect();
    let len = expected.len();
    assert_eq!(make().len(), len);
    assert_eq!(make().opt_len(), Some(len));
    assert_eq!(items(make()), expected);
    assert_eq!(unindexed_items(make()), expected);
    let reversed: Vec<I::Item> = expected.iter().rev().cloned().collect();
    assert_eq!(items(make().rev()), reversed);
    let splits: &[(usize, usize)] = if len <= 8 {
        &[
            (0, 0),
            (0, 1),
            (1, 0),
            (1, 1),
            (1, 2),
            (2, 1),
            (2, 3),
            (3, 3),
            (3, 5),
        ]
    } else {
        &[(0, 5), (4, 4), (5, 1)]
    };
    for &(first, second) in splits {
        if first + second > len {
            continue;
        }
        for way in WAYS {
            let parts = InParts { first, second, way };
            assert_eq!(make().with_producer(parts), expected);
            let parts = InParts { first, second, way };
            assert_eq!(make().rev().with_producer(parts), reversed);
        }
    }
}

#[test]
fn rev() {
    with_numbers(|numbers| {
        check(|| numbers.par_iter().rev(), numbers.iter().rev());
        let make = || numbers.par_iter().map(|n| n * 2).rev().rev();
        check(make, numbers.iter().map(|n| n * 2));
    });
}

#[test]
fn zip() {
    with_numbers(|numbers| {
        let make = || numbers.par_iter().zip(numbers);
        check(make, numbers.iter().zip(numbers));
        for shorter in [0, 1, 2, numbers.len() / 2] {
            let some = &numbers[..shorter.min(numbers.len())];
            check(
                || numbers.par_iter().zip(some.par_iter().map(|n| n + 1)),
                numbers.iter().zip(some.iter().map(|n| n + 1)),
            );
            check(
                || some.par_iter().zip(numbers.par_iter().rev()),
                some.iter().zip(numbers.iter().rev()),
            );
        }
        let mut sums = vec![0; numbers.len()];
        let twice = numbers.par_iter().zip_eq(numbers);
        check(|| twice.clone(), numbers.iter().zip(numbers));
        sums.par_iter_mut()
            .zip_eq(twice)
            .for_each(|(sum, (a, b))| *sum = a + b);
        assert!(sums.iter().copied().eq(numbers.iter().map(|n| n * 2)));
    });
}

#[test]
#[should_panic(expected = "iterators must have the same length")]
fn zip_eq_of_unequals() {
    let _ = [1, 2].par_iter().zip_eq(&[1, 2, 3][..]);
}

/// What `interleave` is to give.
fn in_turns<'n>(a: &'n [usize], b: &'n [usize]) -> Vec<&'n usize> {
    let (mut a, mut b) = (a.iter(), b.iter());
    let mut items = Vec::new();
    loop {
        let before = items.len();
        items.extend(a.next());
        items.extend(b.next());
        if items.len() == before {
            return items;
        }
    }
}

/// What `interleave_shortest` is to give.
fn in_turns_shortest<'n>(a: &'n [usize], b: &'n [usize]) -> Vec<&'n usize> {
    let (mut a, mut b) = (a.iter(), b.iter());
    let mut items = Vec::new();
    loop {
        let Some(item) = a.next() else { return items };
        items.push(item);
        let Some(item) = b.next() else { return items };
        items.push(item);
    }
}

#[test]
fn interleave() {
    with_numbers(|numbers| {
        let len = numbers.len();
        for shorter in [0, 1, 2, len / 2, len.saturating_sub(1), len] {
            let some = &numbers[..shorter.min(len)];
            for (a, b) in [(numbers, some), (some, numbers)] {
                check(|| a.par_iter().interleave(b), in_turns(a, b));
                let make = || a.par_iter().interleave_shortest(b);
                check(make, in_turns_shortest(a, b));
            }
        }
    });
}

#[test]
fn interleave_in_all_parts() {
    let numbers: Vec<usize> = (0..8).collect();
    for a in 0..5 {
        for b in 0..5 {
            let (a, b) = (&numbers[..a], &numbers[4..4 + b.min(4)]);
            let expected = in_turns(a, b);
            for first in 0..=expected.len() {
                for second in 0..=expected.len() - first {
                    for way in WAYS {
                        let parts = InParts { first, second, way };
                        let made = a.par_iter().interleave(b).with_producer(parts);
                        assert_eq!(made, expected);
                    }
                }
            }
        }
    }
}

#[test]
fn chunks() {
    with_numbers(|numbers| {
        for size in [1, 2, 3, 7, 64, 20_000, usize::MAX] {
            let expected = || numbers.chunks(size).map(<[usize]>::to_vec);
            let make = || numbers.par_iter().map(|n| *n).chunks(size);
            check(make, expected());
            let sums = || expected().map(|chunk| chunk.iter().sum::<usize>());
            let add = |sum: usize, number: &usize| sum + number;
            check(|| numbers.par_iter().fold_chunks(size, || 0, add), sums());
            check(|| numbers.par_iter().fold_chunks_with(size, 0, add), sums());
        }
    });
}

#[test]
fn fold_chunks_folds_in_order() {
    with_numbers(|numbers| {
        let push = |mut made: Vec<usize>, number: &usize| {
            made.push(*number);
            made
        };
        let expected = || numbers.chunks(3).map(<[usize]>::to_vec);
        let make = || numbers.par_iter().fold_chunks(3, Vec::new, push);
        check(make, expected());
        let make = || numbers.par_iter().fold_chunks_with(3, Vec::new(), push);
        check(make, expected());
    });
}

#[test]
#[should_panic(expected = "chunk_size must not be zero")]
fn no_chunks() {
    let _ = [1].par_iter().chunks(0);
}

#[test]
#[should_panic(expected = "chunk_size must not be zero")]
fn no_fold_chunks() {
    let _ = [1].par_iter().fold_chunks(0, || 0, |a, b| a + b);
}

#[test]
#[should_panic(expected = "chunk_size must not be zero")]
fn no_fold_chunks_with() {
    let _ = [1].par_iter().fold_chunks_with(0, 0, |a, b| a + b);
}

#[test]
fn chunks_drop_each_item_once() {
    struct Counted<'c>(&'c AtomicUsize);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    in_pools(|| {
        let (made, dropped) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let numbers: Vec<usize> = (0..1_000).collect();
        for (bad_item, bad_chunk) in [(555, 1_000), (1_000, 77), (1_000, 1_000)] {
            let run = || {
                numbers
                    .par_iter()
                    .map(|&number| {
                        assert_ne!(number, bad_item);
                        made.fetch_add(1, Ordering::Relaxed);
                        Counted(&dropped)
                    })
                    .chunks(7)
                    .enumerate()
                    .for_each(|(index, _)| assert_ne!(index, bad_chunk));
            };
            let ended = catch_unwind(AssertUnwindSafe(run));
            assert_eq!(ended.is_ok(), bad_item == bad_chunk);
            assert_eq!(
                made.load(Ordering::Relaxed),
                dropped.load(Ordering::Relaxed)
            );
        }
    });
}

#[test]
fn enumerate() {
    with_numbers(|numbers| {
        check(
            || numbers.par_iter().enumerate(),
            numbers.iter().enumerate(),
        );
        check(
            || numbers.par_iter().rev().enumerate().map(|(a, b)| (b, a)),
            numbers.iter().rev().enumerate().map(|(a, b)| (b, a)),
        );
    });
}

#[test]
fn step_by() {
    with_numbers(|numbers| {
        for step in [1, 2, 3, 7, 99, 20_000, usize::MAX] {
            let make = || numbers.par_iter().step_by(step);
            check(make, numbers.iter().step_by(step));
            let make = || numbers.par_iter().rev().step_by(step);
            check(make, numbers.iter().rev().step_by(step));
        }
    });
}

#[test]
#[should_panic(expected = "step must not be zero")]
fn no_step() {
    let _ = [1].par_iter().step_by(0);
}

#[test]
fn skip_and_take() {
    with_numbers(|numbers| {
        for count in [0, 1, 2, 5, 50, 9_999, 10_000, usize::MAX] {
            let make = || numbers.par_iter().skip(count);
            check(make, numbers.iter().skip(count));
            let make = || numbers.par_iter().take(count);
            check(make, numbers.iter().take(count));
            let make = || numbers.par_iter().skip(count).take(3).skip(1);
            check(make, numbers.iter().skip(count).take(3).skip(1));
        }
    });
}

#[test]
fn what_is_skipped_is_made_and_what_is_not_taken_is_not() {
    in_pools(|| {
        let numbers: Vec<usize> = (0..1_000).collect();
        let made = AtomicUsize::new(0);
        let count = |_: &usize| made.fetch_add(1, Ordering::Relaxed);
        numbers.par_iter().map(count).skip(700).for_each(drop);
        assert_eq!(made.swap(0, Ordering::Relaxed), 1_000);
        numbers.par_iter().map(count).take(700).for_each(drop);
        assert_eq!(made.swap(0, Ordering::Relaxed), 700);
    });
}

#[test]
fn positions() {
    with_numbers(|numbers| {
        let len = numbers.len();
        let odd = |n: &usize| n % 7 % 2 == 1;
        let expected: Vec<usize> = (0..len).filter(odd).collect();
        let made = unindexed_items(numbers.par_iter().positions(odd));
        assert_eq!(made, expected);
        for wanted in [0, 1, 2, 6, 50, 99, 7_000, 9_999, 10_000] {
            let is = |n: &usize| *n == wanted;
            let expected = numbers.iter().position(|n| *n == wanted);
            assert_eq!(numbers.par_iter().position_any(is), expected);
            assert_eq!(numbers.par_iter().position_first(is), expected);
            assert_eq!(numbers.par_iter().position_last(is), expected);
            let from = |n: &usize| *n >= wanted;
            let first = numbers.iter().position(from_ref(&from));
            assert_eq!(numbers.par_iter().position_first(from), first);
            let any = numbers.par_iter().position_any(from);
            assert_eq!(any.is_some(), first.is_some());
            assert!(any.is_none_or(|index| index >= wanted));
            let to = |n: &usize| *n <= wanted;
            let last = numbers.iter().rposition(from_ref(&to));
            assert_eq!(numbers.par_iter().position_last(to), last);
        }
    });
}

/// A predicate for the sequential methods, which want another type.
fn from_ref<T>(predicate: &impl Fn(T) -> bool) -> impl Fn(T) -> bool {
    move |item| predicate(item)
}

#[test]
fn searches_end_early() {
    let pool = Pool::builder().jobs(1).build().unwrap();
    let numbers: Vec<usize> = (0..100_000).collect();
    let asked = AtomicUsize::new(0);
    let five = |n: &usize| {
        asked.fetch_add(1, Ordering::Relaxed);
        *n == 5
    };
    pool.install(|| {
        assert_eq!(numbers.par_iter().position_first(five), Some(5));
        assert_eq!(asked.swap(0, Ordering::Relaxed), 6);
        assert_eq!(numbers.par_iter().position_any(five), Some(5));
        assert_eq!(asked.swap(0, Ordering::Relaxed), 6);
        assert_eq!(numbers.par_iter().rev().position_last(five), Some(99_994));
        assert_eq!(asked.swap(0, Ordering::Relaxed), 6);
    });
}

#[test]
fn comparisons() {
    with_numbers(|numbers| {
        let len = numbers.len();
        let mut others = vec![numbers.to_vec(), Vec::new(), vec![0], vec![1]];
        others.push(numbers[..len / 2].to_vec());
        for at in [0, len / 3, len.saturating_sub(1)] {
            let mut other = numbers.to_vec();
            if let Some(number) = other.get_mut(at) {
                *number += 1;
            }
            // What comes after the first difference does not count.
            if let Some(number) = other.last_mut() {
                *number /= 2;
            }
            others.push(other);
        }
        for other in &others {
            for (a, b) in [(numbers, &other[..]), (other, numbers)] {
                let p = || a.par_iter();
                let i = || a.iter();
                assert_eq!(IndexedParallelIterator::cmp(p(), b), i().cmp(b));
                assert_eq!(
                    IndexedParallelIterator::partial_cmp(p(), b),
                    i().partial_cmp(b)
                );
                assert_eq!(IndexedParallelIterator::eq(p(), b), i().eq(b));
                assert_eq!(IndexedParallelIterator::ne(p(), b), i().ne(b));
                assert_eq!(IndexedParallelIterator::lt(p(), b), i().lt(b));
                assert_eq!(IndexedParallelIterator::le(p(), b), i().le(b));
                assert_eq!(IndexedParallelIterator::gt(p(), b), i().gt(b));
                assert_eq!(IndexedParallelIterator::ge(p(), b), i().ge(b));
            }
        }
    });
}

#[test]
fn comparisons_without_order() {
    in_pools(|| {
        let a = [1.0, f64::NAN, 3.0];
        for b in [[1.0, 2.0, 4.0], [0.0, 2.0, 4.0], a] {
            let p = || a.par_iter();
            assert_eq!(p().partial_cmp(&b[..]), a.iter().partial_cmp(&b));
            assert_eq!(p().eq(&b[..]), a.iter().eq(&b));
            assert_eq!(p().lt(&b[..]), a.iter().lt(&b));
            assert_eq!(p().le(&b[..]), a.iter().le(&b));
            assert_eq!(p().gt(&b[..]), a.iter().gt(&b));
            assert_eq!(p().ge(&b[..]), a.iter().ge(&b));
        }
    });
}

#[test]
fn blocks() {
    with_numbers(|numbers| {
        let blocks = numbers.par_iter().by_exponential_blocks();
        assert!(unindexed_items(blocks).into_iter().eq(numbers));
        for size in [1, 2, 3, 7, 1_000, 10_000, usize::MAX] {
            let blocks = numbers.par_iter().by_uniform_blocks(size);
            assert!(unindexed_items(blocks).into_iter().eq(numbers));
        }
    });
}

#[test]
fn one_block_after_the_other() {
    in_pools(|| {
        let numbers: Vec<usize> = (0..10_000).collect();
        let done = AtomicUsize::new(0);
        // `first` says where the block of an item begins.
        let in_order = |number: usize, first: usize| {
            assert!(done.fetch_add(1, Ordering::Relaxed) >= first);
            assert!(first <= number);
        };
        numbers
            .par_iter()
            .by_uniform_blocks(64)
            .for_each(|&number| in_order(number, number / 64 * 64));
        assert_eq!(done.swap(0, Ordering::Relaxed), 10_000);
        let jobs = drumline::current_jobs();
        numbers
            .par_iter()
            .by_exponential_blocks()
            .for_each(|&number| {
                // The blocks begin at 0, 1, 3, 7, … times `jobs`.
                let blocks = (number / jobs + 1).ilog2();
                in_order(number, ((1 << blocks) - 1) * jobs);
            });
        assert_eq!(done.load(Ordering::Relaxed), 10_000);
    });
}

#[test]
#[should_panic(expected = "block_size must not be zero")]
fn no_blocks() {
    let _ = [1].par_iter().by_uniform_blocks(0);
}

#[test]
fn tuples() {
    with_numbers(|numbers| {
        let less = &numbers[..numbers.len() / 2];
        check(
            || (numbers,).into_par_iter(),
            numbers.iter().map(|number| (number,)),
        );
        check(
            || (numbers, less).into_par_iter(),
            numbers.iter().zip(less.iter()),
        );
        check(
            || (numbers, numbers.par_iter().rev(), less.par_iter()).into_par_iter(),
            (0..less.len()).map(|i| (&numbers[i], &numbers[numbers.len() - 1 - i], &less[i])),
        );
        let n = numbers;
        check(
            || (n, n, n, n, n, n, n, n, n, n, n, less).into_par_iter(),
            less.iter().map(|i| (i, i, i, i, i, i, i, i, i, i, i, i)),
        );
    });
}

#[test]
fn tuples_by_reference() {
    /// A vector, as a thing whose references are parallel iterators.
    struct Many(Vec<usize>);
    impl<'m> IntoParallelIterator for &'m Many {
        type Iter = drumline::slice::Iter<'m, usize>;
        type Item = &'m usize;
        fn into_par_iter(self) -> Self::Iter {
            self.0.par_iter()
        }
    }
    impl<'m> IntoParallelIterator for &'m mut Many {
        type Iter = drumline::slice::IterMut<'m, usize>;
        type Item = &'m mut usize;
        fn into_par_iter(self) -> Self::Iter {
            self.0.par_iter_mut()
        }
    }
    with_numbers(|numbers| {
        let mut both = (Many(numbers.to_vec()), Many(vec![1; 8]));
        check(|| both.par_iter(), numbers.iter().zip(&[1; 8]));
        both.par_iter_mut().for_each(|(a, b)| *b = *a + 5);
        assert!(both.1.0.iter().zip(numbers).all(|(b, a)| *b == a + 5));
    });
}

#[test]
fn nests() {
    with_numbers(|numbers| {
        let len = numbers.len();
        check(
            || {
                numbers
                    .par_iter()
                    .map(|n| *n)
                    .chunks(3)
                    .rev()
                    .zip(numbers.par_iter().step_by(2).skip(1))
                    .enumerate()
                    .take(40)
                    .rev()
            },
            numbers
                .chunks(3)
                .map(<[usize]>::to_vec)
                .rev()
                .zip(numbers.iter().step_by(2).skip(1))
                .enumerate()
                .take(40)
                .collect::<Vec<_>>()
                .into_iter()
                .rev(),
        );
        let turns = in_turns(numbers, &numbers[..len / 2]);
        check(
            || {
                numbers
                    .par_iter()
                    .interleave(&numbers[..len / 2])
                    .with_max_len(5)
                    .step_by(3)
                    .map(|n| *n)
                    .chunks(2)
            },
            turns
                .iter()
                .step_by(3)
                .map(|n| **n)
                .collect::<Vec<_>>()
                .chunks(2)
                .map(<[usize]>::to_vec),
        );
    });
}

/// How many items each part has. Its folders do not go on where a part is split off.
struct PartLens;

impl<T> Consumer<T> for PartLens {
    type Folder = PartLen;
    type Reducer = Self;
    type Result = Vec<usize>;

    fn split_at(self, _index: usize) -> (Self, Self, Self) {
        (PartLens, PartLens, PartLens)
    }

    fn into_folder(self) -> PartLen {
        PartLen(0)
    }

    fn full(&self) -> bool {
        false
    }
}

impl Reducer<Vec<usize>> for PartLens {
    fn reduce(self, mut left: Vec<usize>, right: Vec<usize>) -> Vec<usize> {
        left.extend(right);
        left
    }
}

struct PartLen(usize);

impl<T> Folder<T> for PartLen {
    type Result = Vec<usize>;

    fn consume(self, _item: T) -> Self {
        PartLen(self.0 + 1)
    }

    fn complete(self) -> Vec<usize> {
        vec![self.0]
    }

    fn full(&self) -> bool {
        false
    }
}

#[test]
fn limits_of_parts() {
    with_numbers(|numbers| {
        let make = || numbers.par_iter().with_max_len(3).with_min_len(2);
        check(make, numbers);
        for limit in [1, 2, 10, 1_234] {
            let lens = numbers.par_iter().with_max_len(limit).drive(PartLens);
            assert_eq!(lens.iter().sum::<usize>(), numbers.len());
            assert!(lens.iter().all(|len| *len <= limit));
            let lens = numbers.par_iter().with_min_len(limit).rev().drive(PartLens);
            assert_eq!(lens.iter().sum::<usize>(), numbers.len());
            assert!(lens.len() == 1 || lens.iter().all(|len| *len >= limit));
            // The adapters hand limits on, in their own measure.
            let limited = || numbers.par_iter().with_max_len(limit);
            let lens = limited().zip(numbers).enumerate().drive(PartLens);
            assert!(lens.iter().all(|len| *len <= limit));
            let lens = limited().step_by(2).drive(PartLens);
            assert!(lens.iter().all(|len| *len <= (limit / 2).max(1)));
            let lens = limited().map(|n| *n).chunks(2).drive(PartLens);
            assert!(lens.iter().all(|len| *len <= (limit / 2).max(1)));
        }
    });
}

#[test]
fn outside_of_every_pool() {
    let numbers: Vec<usize> = (0..1_000).collect();
    check(
        || numbers.par_iter().skip(10).zip(&numbers[..]).rev(),
        numbers.iter().skip(10).zip(&numbers[..990]).rev(),
    );
    let blocks = numbers.par_iter().by_exponential_blocks();
    assert_eq!(blocks.map(|n| *n).sum::<usize>(), 499_500);
}
