//! `zip` and `zip_eq`.

use super::both::{Couple, with_both};
use crate::iter::IndexedParallelIterator;
use crate::iter::bridged::bridged;
use crate::iter::plumbing::Producer;

/// Pairs of an item of one iterator and one of another; see
/// [`zip`](crate::iter::IndexedParallelIterator::zip).
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
    type IntoIter = ZipIter<P::IntoIter, Q::IntoIter>;
    const HAS_STATE: bool = P::HAS_STATE || Q::HAS_STATE;
    const ENDS_EARLY: bool = P::ENDS_EARLY || Q::ENDS_EARLY;

    fn into_iter(self) -> Self::IntoIter {
        ZipIter {
            left: self.left.into_iter(),
            right: self.right.into_iter(),
            ends_early: Self::ENDS_EARLY,
        }
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

/// The sequential iterator of a [`ZipProducer`]. Both of its iterators have the same number of
/// items.
///
/// The standard library's own is as fast only where both are iterators of the standard library.
#[derive(Debug)]
pub(crate) struct ZipIter<I, J> {
    left: I,
    right: J,
    /// Whether one may give fewer items than the other. A constant, where it is inlined.
    ends_early: bool,
}

impl<I, J> Iterator for ZipIter<I, J>
where
    I: ExactSizeIterator,
    J: ExactSizeIterator,
{
    type Item = (I::Item, J::Item);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        Some((self.left.next()?, self.right.next()?))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    #[inline]
    fn fold<B, F>(self, init: B, mut fold: F) -> B
    where
        F: FnMut(B, Self::Item) -> B,
    {
        let ZipIter {
            left,
            mut right,
            ends_early,
        } = self;
        if ends_early {
            // A panic here could win over that of the user. The end of `left` is near as well.
            return left.fold(init, |value, item| match right.next() {
                Some(other) => fold(value, (item, other)),
                None => value,
            });
        }
        // The compiler takes it from here that neither ends before the other, and so vectorises
        // the loop.
        assert_eq!(left.len(), right.len());
        left.fold(init, |value, item| {
            let other = right.next().expect("zipped producers are equally long");
            fold(value, (item, other))
        })
    }
}

impl<I, J> DoubleEndedIterator for ZipIter<I, J>
where
    I: DoubleEndedIterator + ExactSizeIterator,
    J: DoubleEndedIterator + ExactSizeIterator,
{
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        Some((self.left.next_back()?, self.right.next_back()?))
    }
}

impl<I, J> ExactSizeIterator for ZipIter<I, J>
where
    I: ExactSizeIterator,
    J: ExactSizeIterator,
{
}

/// Pairs of the items of two iterators that are equally long; see
/// [`zip_eq`](crate::iter::IndexedParallelIterator::zip_eq).
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct ZipEq<A, B> {
    zip: Zip<A, B>,
}

impl<A, B> ZipEq<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        let zip = Zip::new(a, b);
        ZipEq { zip }
    }
}

bridged! {
    [A, B] ZipEq<A, B> where { A: IndexedParallelIterator, B: IndexedParallelIterator, }
    yields (A::Item, B::Item);
    len |pairs| pairs.zip.len();
    producer |pairs, callback| pairs.zip.with_producer(callback);
}
