//! The methods of indexed parallel iterators, held against those of sequential ones.

mod in_parts;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use drumline::prelude::*;

use in_parts::*;

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
        // Relaxed, here and below: a count, read when the loop has ended.
        let count = |_: &usize| made.fetch_add(1, Ordering::Relaxed);
        numbers.par_iter().map(count).skip(700).for_each(drop);
        assert_eq!(made.swap(0, Ordering::Relaxed), 1_000);
        numbers.par_iter().map(count).take(700).for_each(drop);
        assert_eq!(made.swap(0, Ordering::Relaxed), 700);
        // Also if nothing is left for the chain.
        for skipped in [999, 1_000, usize::MAX] {
            let first = numbers.par_iter().map(count).skip(skipped);
            first.clone().chain([0; 5]).for_each(drop);
            assert_eq!(made.swap(0, Ordering::Relaxed), 1_000);
            let rest = first.chain([0; 5]).filter(|_| true);
            assert_eq!(rest.count(), 5 + usize::from(skipped == 999));
            assert_eq!(made.swap(0, Ordering::Relaxed), 1_000);
        }
    });
}
