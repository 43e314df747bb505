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
