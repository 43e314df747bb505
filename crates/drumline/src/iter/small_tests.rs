//! Small cases for Miri.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::Pool;
use crate::prelude::*;

fn in_pool<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    let pool = Pool::builder().jobs(2).build().unwrap();
    let result = pool.install(op);
    pool.shutdown().unwrap();
    result
}

/// Whether `op` panics, in a pool that goes on.
fn panics(op: impl FnOnce() + Send) -> bool {
    in_pool(|| catch_unwind(AssertUnwindSafe(op)).is_err())
}

#[test]
fn miri_collecting() {
    let boxes: Vec<Box<usize>> = in_pool(|| (0..40).into_par_iter().map(Box::new).collect());
    assert!(boxes.iter().map(|number| **number).eq(0..40));
    let odd: Vec<Box<usize>> = in_pool(|| boxes.into_par_iter().filter(|n| **n % 2 == 1).collect());
    assert_eq!(odd.len(), 20);
    assert!(panics(|| {
        let make = |n: u32| {
            if n == 21 {
                resume_unwind(Box::new(n))
            } else {
                Box::new(n)
            }
        };
        let _: Vec<Box<u32>> = (0..40).into_par_iter().map(make).collect();
    }));
}

#[test]
fn miri_taking_out() {
    let mut boxes: Vec<Box<usize>> = (0..30).map(Box::new).collect();
    in_pool(|| {
        let found = boxes.par_drain(5..25).find_any(|number| **number == 9);
        assert_eq!(found.as_deref(), Some(&9));
    });
    assert_eq!(boxes.len(), 10);
    let words = in_pool(|| {
        ["a b", "c"]
            .repeat(6)
            .into_par_iter()
            .flat_map_iter(str::split_whitespace)
            .count()
    });
    assert_eq!(words, 18);
}

#[test]
fn miri_slices() {
    let mut numbers: Vec<Box<usize>> = (0..60).map(|n| Box::new(n * 37 % 60)).collect();
    in_pool(|| {
        numbers.par_chunks_mut(7).for_each(|chunk| chunk.reverse());
        numbers.par_sort();
    });
    assert!(numbers.iter().map(|number| **number).eq(0..60));
    numbers.reverse();
    numbers.swap(3, 40);
    assert!(panics(|| numbers.par_sort_by(|a, b| {
        if **a == 30 {
            resume_unwind(Box::new(()))
        } else {
            a.cmp(b)
        }
    })));
    in_pool(|| numbers.par_sort_unstable());
    assert!(numbers.iter().map(|number| **number).eq(0..60));
}

/// A tree of boxes, walked down to `depth`.
fn children(node: &(Box<u32>, u32)) -> impl DoubleEndedIterator<Item = (Box<u32>, u32)> + use<> {
    let (number, depth) = (*node.0, node.1);
    (0..2 * depth.min(1)).map(move |child| (Box::new(number * 2 + child), depth - 1))
}

#[cfg(not(any(drumline_loom, drumline_shuttle)))]
#[test]
fn miri_what_others_take() {
    use crate::iter::walk_tree_prefix;
    use crate::join::forced;

    let numbers = || (0..20).into_par_iter().map(Box::new);
    for seed in 0..6 {
        let sums = in_pool(|| {
            forced::with_seed(seed, || {
                let states = numbers()
                    .map_init(|| Box::new(0), |state, n: Box<u32>| (**state, *n).1)
                    .sum::<u32>();
                let eager = numbers().with_max_len(2).map(|n| *n).sum::<u32>();
                let limited = numbers().jobs(2).map(|n| *n).sum::<u32>();
                let lists = numbers().fold(Vec::new, |mut list, n| {
                    list.push(n);
                    list
                });
                let folded = lists.flatten_iter().map(|n| *n).sum::<u32>();
                [states, eager, limited, folded]
            })
        });
        assert_eq!(sums, [190; 4], "seed {seed}");
        let nodes = in_pool(|| {
            forced::with_seed(seed, || {
                walk_tree_prefix((Box::new(1), 3), children)
                    .map(|(number, _)| *number)
                    .collect::<Vec<_>>()
            })
        });
        assert_eq!(nodes, [1, 2, 4, 8, 9, 5, 10, 11, 3, 6, 12, 13, 7, 14, 15]);
        assert!(panics(|| {
            forced::with_seed(seed, || {
                numbers().for_each(|n| {
                    if *n == 13 {
                        resume_unwind(n)
                    }
                });
            });
        }));
    }
}

/// What a loop has offered and another thread may have is not moved as what it is.
#[test]
fn miri_what_is_asked_for() {
    in_pool(|| {
        for _ in 0..120 {
            let sum: u64 = (0..5u64)
                .into_par_iter()
                .map_with(Box::new(1), |one, number| {
                    std::thread::yield_now();
                    number + **one
                })
                .sum();
            assert_eq!(sum, 15);
        }
    });
}
