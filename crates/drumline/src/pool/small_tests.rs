//! Small cases for Miri, which runs a few million steps a second: a deque of
//! 15 entries, fences for barriers, a pool of two threads.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::Pool;
use crate::join;

fn sum(values: &[u32]) -> u32 {
    match values {
        [] => 0,
        [one] => *one,
        _ => {
            let (left, right) = values.split_at(values.len() / 2);
            let (l, r) = join(|| sum(left), || sum(right));
            l + r
        }
    }
}

#[test]
fn miri_a_tree_on_two_threads() {
    let pool = Pool::builder().jobs(2).build().unwrap();
    let values: Vec<u32> = (0..32).collect();
    assert_eq!(pool.install(|| sum(&values)), 496);
    pool.shutdown().unwrap();
}

#[test]
fn miri_a_stolen_half_borrows_and_returns_a_box() {
    let pool = Pool::builder().jobs(2).build().unwrap();
    let text = String::from("borrowed");
    let met = AtomicBool::new(false);
    let ((), boxed) = pool.join(
        || {
            while !met.load(Ordering::Acquire) {
                thread::yield_now();
            }
        },
        || {
            met.store(true, Ordering::Release);
            Box::new(text.len())
        },
    );
    assert_eq!(*boxed, 8);
    pool.shutdown().unwrap();
}

#[test]
fn miri_deeper_than_a_deque() {
    fn left(depth: usize, ran: &AtomicUsize) {
        if depth > 0 {
            join(
                || left(depth - 1, ran),
                || ran.fetch_add(1, Ordering::Relaxed),
            );
        }
    }
    let pool = Pool::builder().jobs(2).build().unwrap();
    let ran = AtomicUsize::new(0);
    pool.install(|| left(60, &ran));
    assert_eq!(ran.into_inner(), 60);
    pool.shutdown().unwrap();
}

#[test]
fn miri_panics_drop_what_they_should() {
    let pool = Pool::builder().jobs(2).guests(false).build().unwrap();
    let values: Vec<Box<u32>> = (0..8).map(Box::new).collect();
    let (left, right) = (values.clone(), values);
    let payload = catch_unwind(AssertUnwindSafe(|| {
        pool.join(
            move || {
                drop(left);
                resume_unwind(Box::new(1_u32))
            },
            move || right,
        )
    }));
    assert_eq!(
        *payload
            .map(|_: ((), _)| ())
            .unwrap_err()
            .downcast::<u32>()
            .unwrap(),
        1
    );
    pool.shutdown().unwrap();
}
