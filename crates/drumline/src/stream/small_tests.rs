//! Small cases for Miri.

use super::{OnPanic, biased, iter, queue, stream};
use crate::sync::thread;
use crate::{Pool, unwind};

fn pool() -> Pool {
    Pool::builder().jobs(2).build().unwrap()
}

#[test]
fn miri_ordered_with_panics() {
    let pool = pool();
    let mut kept = Vec::new();
    let report = iter((0..24).map(Box::new))
        .pool(&pool)
        .batch(2)
        .on_panic(OnPanic::Continue)
        .map_ordered(|n| if *n % 8 == 3 { unwind::resume(n) } else { n })
        .for_each(|n| kept.push(*n));
    let expected: Vec<i32> = (0..24).filter(|n| n % 8 != 3).collect();
    assert_eq!((report.panics.len(), kept), (3, expected));
    pool.shutdown().unwrap();
}

#[test]
fn miri_a_queue_and_two_stages() {
    let pool = pool();
    let (sender, receiver) = queue(3);
    let producer = thread::spawn(move || {
        for n in 0..12 {
            sender.send(Box::new(n)).unwrap();
        }
    });
    let sum = stream(receiver)
        .pool(&pool)
        .map_ordered(|n| *n + 1)
        .stream()
        .map(Box::new)
        .fold_init(|| 0, |sum, n| *sum += *n, |sum, more| *sum += more);
    producer.join().unwrap();
    assert_eq!(sum, 78);
    pool.shutdown().unwrap();
}

#[test]
fn miri_an_iterator_dropped_early() {
    let pool = pool();
    let results = iter((0..20).map(Box::new)).pool(&pool).map(|n| n).ordered();
    let first: Vec<_> = results.into_iter().take(3).map(|n| *n).collect();
    assert_eq!(first, [0, 1, 2]);
    pool.shutdown().unwrap();
}

#[test]
fn miri_biased_receivers() {
    let (sender, receiver) = queue(4);
    let threads: Vec<_> = biased::consumers(receiver, 2, 1)
        .into_iter()
        .map(|items| thread::spawn(move || items.map(|n: Box<u32>| *n).sum::<u32>()))
        .collect();
    (1..=10).for_each(|n| sender.send(Box::new(n)).unwrap());
    drop(sender);
    let sum: u32 = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .sum();
    assert_eq!(sum, 55);
}
