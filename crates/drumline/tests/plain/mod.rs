//! What the tests of the adapters of every parallel iterator have in common.
#![allow(dead_code, unused_imports, reason = "each test uses a part of it")]

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use drumline::Pool;
use drumline::iter::plumbing::{
    Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer,
};
use drumline::prelude::*;

pub const SIZES: [usize; 6] = [0, 1, 2, 3, 100, 10_000];

/// Calls `test` in pools of several sizes with numbers of several sizes, in no particular order.
pub fn everywhere(test: impl Fn(&[u64]) + Sync) {
    for jobs in [1, 2, 4] {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        for size in SIZES {
            let numbers: Vec<u64> = (0..size as u64).map(|n| n * 7919 % 10_007).collect();
            pool.install(|| test(&numbers));
        }
    }
}

pub fn alone<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    Pool::builder().jobs(1).build().unwrap().install(op)
}

/// The items, in order.
pub fn list<I: ParallelIterator>(iter: I) -> Vec<I::Item> {
    let lists = iter.fold(Vec::new, |mut list, item| {
        list.push(item);
        list
    });
    lists.reduce(Vec::new, |mut left, mut right| {
        left.append(&mut right);
        left
    })
}

/// A consumer that cannot resume; it makes a list.
pub struct Plain;

impl<T: Send> Consumer<T> for Plain {
    type Folder = Push<T>;
    type Reducer = Plain;
    type Result = Vec<T>;
    fn split_at(self, _index: usize) -> (Self, Self, Self) {
        (Plain, Plain, Plain)
    }
    fn into_folder(self) -> Push<T> {
        Push(Vec::new())
    }
    fn full(&self) -> bool {
        false
    }
}

impl<T: Send> UnindexedConsumer<T> for Plain {
    fn split_off_left(&self) -> Self {
        Plain
    }
    fn to_reducer(&self) -> Self {
        Plain
    }
}

impl<T> Reducer<Vec<T>> for Plain {
    fn reduce(self, mut left: Vec<T>, mut right: Vec<T>) -> Vec<T> {
        left.append(&mut right);
        left
    }
}

pub struct Push<T>(pub Vec<T>);

impl<T> Folder<T> for Push<T> {
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

/// That an iterator, driven in more than one way, gives these items.
pub fn same<I>(iter: I, items: impl IntoIterator<Item = I::Item>)
where
    I: ParallelIterator<Item: Debug + PartialEq> + Clone,
{
    let items: Vec<_> = items.into_iter().collect();
    assert_eq!(iter.clone().count(), items.len());
    assert_eq!(list(iter.clone()), items);
    assert_eq!(iter.clone().drive_unindexed(Plain), items);
    let first = iter.clone().find_first(|_| true);
    assert_eq!(first.as_ref(), items.first());
    let last = iter.find_last(|_| true);
    assert_eq!(last.as_ref(), items.last());
}

/// The same, also by its producer: `chain` with nothing splits nothing but that.
pub fn same_indexed<I>(iter: I, items: impl IntoIterator<Item = I::Item>)
where
    I: IndexedParallelIterator<Item: Debug + PartialEq> + Clone,
{
    let items: Vec<_> = items.into_iter().collect();
    assert_eq!(iter.len(), items.len());
    assert_eq!(iter.opt_len(), Some(items.len()));
    assert_eq!(by_producer(iter.clone(), items.len()), items);
    assert_eq!(iter.clone().drive(Plain), items);
    same(iter, items);
}

/// The items of the producer of `iter`, which is split in every way, and read from both ends.
pub fn by_producer<I: IndexedParallelIterator + Clone>(iter: I, len: usize) -> Vec<I::Item> {
    struct Split(usize, usize);
    impl<T: Send> ProducerCallback<T> for Split {
        type Output = Vec<T>;
        fn callback<P: Producer<Item = T>>(self, producer: P) -> Vec<T> {
            let (left, right) = producer.split_at(self.0);
            let (middle, right) = right.split_at(self.1 - self.0);
            let mut items = Vec::new();
            let mut left = left.into_iter();
            assert_eq!(left.len(), self.0);
            let mut back: Vec<T> = left.by_ref().rev().take(self.0 / 2).collect();
            items.extend(left);
            back.reverse();
            items.append(&mut back);
            items = middle.fold_with(Push(items)).0;
            right.into_iter().for_each(|item| items.push(item));
            items
        }
    }

    let mut all = Vec::new();
    for (left, right) in [(0, 0), (len / 2, len), (len / 3, len / 2), (len, len)] {
        all = iter.clone().with_producer(Split(left, right));
        assert_eq!(all.len(), len);
    }
    all
}
