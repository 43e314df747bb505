//! What the tests of sources have in common.
#![allow(dead_code, reason = "not every test uses everything")]

use std::fmt::Debug;
use std::sync::Mutex;

use drumline::Pool;
use drumline::iter::plumbing::{Producer, ProducerCallback};
use drumline::prelude::*;

/// The items, sorted.
pub fn sorted<I>(iter: I) -> Vec<I::Item>
where
    I: ParallelIterator<Item: Ord>,
{
    let items = Mutex::new(Vec::new());
    iter.for_each(|item| items.lock().unwrap().push(item));
    let mut items = items.into_inner().unwrap();
    items.sort();
    items
}

/// The items, in order.
pub fn ordered<I>(iter: I) -> Vec<I::Item>
where
    I: ParallelIterator,
{
    let join = |mut left: Vec<_>, right: Vec<_>| {
        left.extend(right);
        left
    };
    iter.map(|item| vec![item]).reduce(Vec::new, join)
}

/// Pools of several sizes.
pub fn in_pools(check: impl Fn() + Sync) {
    for jobs in [1, 2, 4] {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        pool.install(&check);
    }
}

/// Splits the producer of what `make` makes in every way into four, and goes through the parts in
/// both directions.
pub fn check_splits<I>(expected: &[I::Item], make: impl Fn() -> I)
where
    I: IndexedParallelIterator<Item: PartialEq + Debug>,
{
    let len = expected.len();
    assert_eq!((make().len(), make().opt_len()), (len, Some(len)));
    check_cuts(len, |cut| {
        let items = make().with_producer(cut);
        assert_eq!(cut.in_order(items), expected);
    });
}

/// Calls `check` with every way to cut `len` items into four.
pub fn check_cuts(len: usize, mut check: impl FnMut(Cut)) {
    for c in 0..=len {
        for b in 0..=c {
            for a in 0..=b {
                check(Cut([a, b, c], false));
                check(Cut([a, b, c], true));
            }
        }
    }
}

/// Where to cut, and whether to go backwards.
#[derive(Clone, Copy, Debug)]
pub struct Cut(pub [usize; 3], pub bool);

impl Cut {
    /// The items that came of it, in their order.
    pub fn in_order<T>(self, mut items: Vec<T>) -> Vec<T> {
        if self.1 {
            items.reverse();
        }
        items
    }
}

impl<T> ProducerCallback<T> for Cut {
    type Output = Vec<T>;

    fn callback<P: Producer<Item = T>>(self, producer: P) -> Vec<T> {
        let [a, b, c] = self.0;
        let (rest, fourth) = producer.split_at(c);
        let (first, rest) = rest.split_at(a);
        let (second, third) = rest.split_at(b - a);
        let parts = [first, second, third, fourth].map(Producer::into_iter);
        for (part, len) in parts.iter().zip([a, b - a, c - b]) {
            assert_eq!((part.len(), part.size_hint()), (len, (len, Some(len))));
        }
        let parts = parts.into_iter();
        if self.1 {
            parts.rev().flat_map(|part| part.rev()).collect()
        } else {
            parts.flatten().collect()
        }
    }
}
