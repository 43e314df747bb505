//! `zip`.

use std::iter;

use super::IndexedParallelIterator;
use super::both::{Couple, with_both};
use super::bridged::bridged;
use super::plumbing::Producer;

/// Pairs of an item of one iterator and one of another; see
/// [`zip`](super::IndexedParallelIterator::zip).
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Zip<A, B> {
    a: A,
    b: B,
}

impl<A, B> Zip<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        Zip { a, b }
    }
}

bridged! {
    [A, B] Zip<A, B> where { A: IndexedParallelIterator, B: IndexedParallelIterator, }
    yields (A::Item, B::Item);
    len |zip| zip.a.len().min(zip.b.len());
    producer |zip, callback| {
        let lens = (zip.a.len(), zip.b.len());
        with_both(zip.a, zip.b, Paired(lens), callback)
    };
}

/// Pairs two producers, that have as many items as this says.
struct Paired((usize, usize));

impl<T, U> Couple<T, U> for Paired {
    type Item = (T, U);
    type Producer<P, Q>
        = ZipProducer<P, Q>
    where
        P: Producer<Item = T>,
        Q: Producer<Item = U>;

    fn couple<P, Q>(self, left: P, right: Q) -> ZipProducer<P, Q>
    where
        P: Producer<Item = T>,
        Q: Producer<Item = U>,
    {
        let (a, b) = self.0;
        // From here on both are as long as the shorter: the end of one is the end of the other.
        let left = if a > b { left.split_at(b).0 } else { left };
        let right = if b > a { right.split_at(a).0 } else { right };
        ZipProducer { left, right }
    }
}

/// Gives pairs. Both of its producers have the same number of items.
struct ZipProducer<P, Q> {
    left: P,
    right: Q,
}

impl<P, Q> Producer for ZipProducer<P, Q>
where
    P: Producer,
    Q: Producer,
{
    type Item = (P::Item, Q::Item);
    type IntoIter = iter::Zip<P::IntoIter, Q::IntoIter>;

    fn into_iter(self) -> Self::IntoIter {
        self.left.into_iter().zip(self.right.into_iter())
    }

    fn min_len(&self) -> usize {
        self.left.min_len().max(self.right.min_len())
    }

    fn max_len(&self) -> usize {
        self.left.max_len().min(self.right.max_len())
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, left_rest) = self.left.split_at(index);
        let (right, right_rest) = self.right.split_at(index);
        let rest = ZipProducer {
            left: left_rest,
            right: right_rest,
        };
        (ZipProducer { left, right }, rest)
    }
}
