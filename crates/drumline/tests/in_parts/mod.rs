//! What the tests of the indexed adapters have in common.
#![allow(dead_code, unused_imports, reason = "each test uses a part of it")]

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use drumline::Pool;
use drumline::iter::plumbing::{Consumer, Folder, Producer, ProducerCallback, Reducer};
use drumline::prelude::*;

pub const SIZES: [usize; 7] = [0, 1, 2, 3, 7, 100, 10_000];

/// Calls `check` in pools of 1, 2 and 4 jobs.
pub fn in_pools(check: impl Fn() + Sync) {
    for jobs in [1, 2, 4] {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        pool.install(&check);
    }
}

/// Calls `check` with `0..size` for several sizes, in several pools.
pub fn with_numbers(check: impl Fn(&[usize]) + Sync) {
    in_pools(|| {
        for size in SIZES {
            let numbers: Vec<usize> = (0..size).collect();
            check(&numbers);
        }
    });
}

/// The items of `iter`, in their order.
pub fn items<I: IndexedParallelIterator>(iter: I) -> Vec<I::Item> {
    let len = iter.len();
    let mut slots: Vec<Option<I::Item>> = (0..len).map(|_| None).collect();
    slots
        .par_iter_mut()
        .zip(iter)
        .for_each(|(slot, item)| assert!(slot.replace(item).is_none()));
    slots.into_iter().map(Option::unwrap).collect()
}

/// The items of `iter`, in their order, where it is not indexed.
pub fn unindexed_items<I: ParallelIterator>(iter: I) -> Vec<I::Item> {
    iter.map(|item| vec![item]).reduce(Vec::new, |mut a, b| {
        a.extend(b);
        a
    })
}

/// Goes through a producer in one of several ways, in three parts.
pub struct InParts {
    pub first: usize,
    pub second: usize,
    pub way: Way,
}

#[derive(Clone, Copy)]
pub enum Way {
    Forward,
    Backward,
    FromBothEnds,
    ByFold,
    ByRfold,
    ByFoldWith,
}

pub const WAYS: [Way; 6] = [
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

pub fn one_part<P: Producer>(part: P, way: Way) -> Vec<P::Item> {
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

pub struct Collecting<T>(pub Vec<T>);

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
pub fn check<I>(make: impl Fn() -> I, expected: impl IntoIterator<Item = I::Item>)
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

/// What `interleave` is to give.
pub fn in_turns<'n>(a: &'n [usize], b: &'n [usize]) -> Vec<&'n usize> {
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
pub fn in_turns_shortest<'n>(a: &'n [usize], b: &'n [usize]) -> Vec<&'n usize> {
    let (mut a, mut b) = (a.iter(), b.iter());
    let mut items = Vec::new();
    loop {
        let Some(item) = a.next() else { return items };
        items.push(item);
        let Some(item) = b.next() else { return items };
        items.push(item);
    }
}
