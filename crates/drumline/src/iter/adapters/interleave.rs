//! `interleave` and `interleave_shortest`.

use super::both::{Couple, with_both};
use crate::iter::IndexedParallelIterator;
use crate::iter::Take;
use crate::iter::bridged::bridged;
use crate::iter::plumbing::Producer;

/// The items of two iterators in turns; see
/// [`interleave`](crate::iter::IndexedParallelIterator::interleave).
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Interleave<I, J> {
    i: I,
    j: J,
}

impl<I, J> Interleave<I, J> {
    pub(crate) fn new(i: I, j: J) -> Self {
        Interleave { i, j }
    }
}

bridged! {
    [I, J] Interleave<I, J> where {
        I: IndexedParallelIterator,
        J: IndexedParallelIterator<Item = I::Item>,
    }
    yields I::Item;
    len |both| both.i.len().checked_add(both.j.len()).expect("overflow: too many items");
    producer |both, callback| {
        let lens = (both.i.len(), both.j.len());
        with_both(both.i, both.j, Turns(lens), callback)
    };
}

/// Lets two producers take turns, that have as many items as this says.
struct Turns((usize, usize));

impl<T> Couple<T, T> for Turns {
    type Item = T;
    type Producer<P, Q>
        = InterleaveProducer<P, Q>
    where
        P: Producer<Item = T>,
        Q: Producer<Item = T>;

    fn couple<P, Q>(self, i: P, j: Q) -> InterleaveProducer<P, Q>
    where
        P: Producer<Item = T>,
        Q: Producer<Item = T>,
    {
        InterleaveProducer {
            i,
            j,
            lens: self.0,
            second: false,
        }
    }
}

/// Gives items of two producers in turns.
struct InterleaveProducer<P, Q> {
    i: P,
    j: Q,
    lens: (usize, usize),
    /// It is the turn of the second.
    second: bool,
}

impl<P, Q> Producer for InterleaveProducer<P, Q>
where
    P: Producer,
    Q: Producer<Item = P::Item>,
{
    type Item = P::Item;
    type IntoIter = InterleaveIter<P::IntoIter, Q::IntoIter>;
    const HAS_STATE: bool = P::HAS_STATE || Q::HAS_STATE;
    const ENDS_EARLY: bool = P::ENDS_EARLY || Q::ENDS_EARLY;

    fn into_iter(self) -> Self::IntoIter {
        InterleaveIter {
            i: self.i.into_iter(),
            j: self.j.into_iter(),
            second: self.second,
        }
    }

    fn min_len(&self) -> usize {
        self.i.min_len().max(self.j.min_len())
    }

    fn max_len(&self) -> usize {
        self.i.max_len().min(self.j.max_len())
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (i_len, j_len) = self.lens;
        // The iterator with the first turn gives one more if the number is odd. An iterator with
        // too few items gives all that it has, and the other one gives the rest.
        let of_first = index.div_ceil(2);
        let of_i = if self.second {
            index - of_first
        } else {
            of_first
        };
        let of_i = of_i.max(index.saturating_sub(j_len)).min(i_len);
        let of_j = index - of_i;
        let (i, i_rest) = self.i.split_at(of_i);
        let (j, j_rest) = self.j.split_at(of_j);
        let left = InterleaveProducer {
            i,
            j,
            lens: (of_i, of_j),
            second: self.second,
        };
        let right = InterleaveProducer {
            i: i_rest,
            j: j_rest,
            lens: (i_len - of_i, j_len - of_j),
            second: self.second ^ (index % 2 == 1),
        };
        (left, right)
    }
}

/// The sequential iterator of an [`InterleaveProducer`].
#[derive(Debug)]
pub(crate) struct InterleaveIter<I, J> {
    i: I,
    j: J,
    second: bool,
}

impl<I, J> Iterator for InterleaveIter<I, J>
where
    I: ExactSizeIterator,
    J: ExactSizeIterator<Item = I::Item>,
{
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        let second = self.second;
        self.second = !second;
        if second {
            self.j.next().or_else(|| self.i.next())
        } else {
            self.i.next().or_else(|| self.j.next())
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.i.len() + self.j.len();
        (len, Some(len))
    }

    #[inline]
    fn fold<B, F>(mut self, init: B, mut fold: F) -> B
    where
        F: FnMut(B, I::Item) -> B,
    {
        let mut value = init;
        if self.second
            && let Some(item) = self.j.next()
        {
            value = fold(value, item);
        }
        let turns = self.i.len().min(self.j.len());
        let i = self.i.by_ref().take(turns);
        let j = self.j.by_ref().take(turns);
        value = i.zip(j).fold(value, |value, (first, second)| {
            let value = fold(value, first);
            fold(value, second)
        });
        let value = self.i.fold(value, &mut fold);
        self.j.fold(value, fold)
    }
}

impl<I, J> DoubleEndedIterator for InterleaveIter<I, J>
where
    I: DoubleEndedIterator + ExactSizeIterator,
    J: DoubleEndedIterator<Item = I::Item> + ExactSizeIterator,
{
    #[inline]
    fn next_back(&mut self) -> Option<I::Item> {
        // The longer one gives the last item. If they are equally long, the one without the first
        // turn gives it.
        let (i, j) = (self.i.len(), self.j.len());
        if i > j || i == j && self.second {
            self.i.next_back()
        } else {
            self.j.next_back()
        }
    }
}

impl<I, J> ExactSizeIterator for InterleaveIter<I, J>
where
    I: ExactSizeIterator,
    J: ExactSizeIterator<Item = I::Item>,
{
}

/// The items of two iterators in turns, until it is the turn of one that has no more; see
/// [`interleave_shortest`](crate::iter::IndexedParallelIterator::interleave_shortest).
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct InterleaveShortest<I, J> {
    turns: Interleave<Take<I>, Take<J>>,
}

impl<I, J> InterleaveShortest<I, J>
where
    I: IndexedParallelIterator,
    J: IndexedParallelIterator<Item = I::Item>,
{
    pub(crate) fn new(i: I, j: J) -> Self {
        // The first may have one more turn than the second has, but not the other way round.
        let turns = i.len().min(j.len().saturating_add(1));
        let (i, j) = (i.take(turns), j.take(turns));
        InterleaveShortest {
            turns: Interleave::new(i, j),
        }
    }
}

bridged! {
    [I, J] InterleaveShortest<I, J> where {
        I: IndexedParallelIterator,
        J: IndexedParallelIterator<Item = I::Item>,
    }
    yields I::Item;
    len |both| both.turns.len();
    producer |both, callback| both.turns.with_producer(callback);
}
