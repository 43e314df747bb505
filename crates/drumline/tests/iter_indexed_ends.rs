//! The methods of indexed parallel iterators, held against those of sequential ones. The second
//! half.

mod in_parts;

use std::sync::atomic::{AtomicUsize, Ordering};

use drumline::Pool;
use drumline::iter::plumbing::{Consumer, Folder, Reducer};
use drumline::prelude::*;

use in_parts::*;

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
    /// A vector, as a thing with references that are parallel iterators.
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
