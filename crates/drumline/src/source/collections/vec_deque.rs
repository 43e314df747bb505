//! Parallel iterators over deques.

use std::collections::VecDeque;
use std::iter;
use std::mem;
use std::ops::{Range, RangeBounds};

use super::AsVec;
use crate::iter::bridged::bridged;
use crate::iter::plumbing::{Folder, Producer};
use crate::iter::{IntoParallelIterator, ParallelDrainRange};
use crate::source::delegate::delegate_indexed;
use crate::source::span::span;
use crate::vec;

/// A parallel iterator over the items of a deque, by value.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::VecDeque;
///
/// let numbers = VecDeque::from([3, 1, 4]);
/// assert_eq!(numbers.into_par_iter().map(|number| 10 * number).max(), Some(40));
/// ```
#[derive(Debug, Clone)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IntoIter<T> {
    inner: vec::IntoIter<T>,
}

impl<T: Send> IntoParallelIterator for VecDeque<T> {
    type Iter = IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter {
            inner: Vec::from(self).into_par_iter(),
        }
    }
}

delegate_indexed! { IntoIter<T> => T, impl<T: Send> }

/// A parallel iterator over the items of a deque, by reference.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::VecDeque;
///
/// let numbers = VecDeque::from([3, 1, 4]);
/// assert_eq!(numbers.par_iter().max(), Some(&4));
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Iter<'data, T> {
    front: &'data [T],
    back: &'data [T],
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { ..*self }
    }
}

impl<'data, T: Sync> IntoParallelIterator for &'data VecDeque<T> {
    type Iter = Iter<'data, T>;
    type Item = &'data T;

    fn into_par_iter(self) -> Iter<'data, T> {
        let (front, back) = self.as_slices();
        Iter { front, back }
    }
}

bridged! {
    ['data, T: Sync] Iter<'data, T> where {}
    yields &'data T;
    len |this| this.front.len() + this.back.len();
    producer |this| Slices { front: this.front, back: this.back };
}

/// A parallel iterator over the items of a deque, by mutable reference.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::VecDeque;
///
/// let mut numbers = VecDeque::from([3, 1, 4]);
/// numbers.par_iter_mut().for_each(|number| *number *= 10);
/// assert_eq!(numbers, VecDeque::from([30, 10, 40]));
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IterMut<'data, T> {
    front: &'data mut [T],
    back: &'data mut [T],
}

impl<'data, T: Send> IntoParallelIterator for &'data mut VecDeque<T> {
    type Iter = IterMut<'data, T>;
    type Item = &'data mut T;

    fn into_par_iter(self) -> IterMut<'data, T> {
        let (front, back) = self.as_mut_slices();
        IterMut { front, back }
    }
}

bridged! {
    ['data, T: Send] IterMut<'data, T> where {}
    yields &'data mut T;
    len |this| this.front.len() + this.back.len();
    producer |this| Slices { front: this.front, back: this.back };
}

/// A slice, shared or not.
trait Slice: Send + Sized + IntoIterator<IntoIter: DoubleEndedIterator + ExactSizeIterator> {
    fn len(&self) -> usize;
    fn cut(self, index: usize) -> (Self, Self);
}

impl<T: Sync> Slice for &[T] {
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn cut(self, index: usize) -> (Self, Self) {
        self.split_at(index)
    }
}

impl<T: Send> Slice for &mut [T] {
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn cut(self, index: usize) -> (Self, Self) {
        self.split_at_mut(index)
    }
}

/// Gives the items of two slices.
struct Slices<S> {
    front: S,
    back: S,
}

impl<S: Slice> Producer for Slices<S> {
    type Item = S::Item;
    type IntoIter = Joined<S::IntoIter>;

    fn into_iter(self) -> Self::IntoIter {
        Joined(self.front.into_iter().chain(self.back))
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let middle = self.front.len();
        if index <= middle {
            let (first, front) = self.front.cut(index);
            // Empty ones come from the ends.
            let (none, back) = self.back.cut(0);
            let left = Slices {
                front: first,
                back: none,
            };
            return (left, Slices { front, back });
        }
        let (back, rest) = self.back.cut(index - middle);
        let len = rest.len();
        let (right, none) = rest.cut(len);
        let left = Slices {
            front: self.front,
            back,
        };
        let right = Slices {
            front: right,
            back: none,
        };
        (left, right)
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<S::Item>,
    {
        let folder = folder.consume_iter(self.front);
        if folder.full() || self.back.len() == 0 {
            return folder;
        }
        folder.consume_iter(self.back)
    }
}

/// The sequential iterator of [`Slices`]: a chain that knows its length.
struct Joined<I>(iter::Chain<I, I>);

impl<I: Iterator> Iterator for Joined<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    #[inline]
    fn fold<B, F>(self, init: B, fold: F) -> B
    where
        F: FnMut(B, I::Item) -> B,
    {
        self.0.fold(init, fold)
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for Joined<I> {
    #[inline]
    fn next_back(&mut self) -> Option<I::Item> {
        self.0.next_back()
    }
}

/// The slices of a deque are not longer than `usize` together.
impl<I: ExactSizeIterator> ExactSizeIterator for Joined<I> {}

/// A parallel iterator that takes a range of items out of a deque; see
/// [`par_drain`](ParallelDrainRange::par_drain).
#[derive(Debug)]
#[must_use = "the items are removed now; use `VecDeque::drain` if they are not needed"]
pub struct Drain<'data, T> {
    deque: &'data mut VecDeque<T>,
    /// What is to be removed, and not yet taken out.
    range: Range<usize>,
}

impl<'data, T: Send> ParallelDrainRange<usize> for &'data mut VecDeque<T> {
    type Iter = Drain<'data, T>;
    type Item = T;

    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> Drain<'data, T> {
        Drain {
            range: span(&range, self.len()),
            deque: self,
        }
    }
}

bridged! {
    [T: Send] Drain<'_, T> where {}
    yields T;
    len |this| this.range.len();
    producer |mut this, callback| {
        let range = mem::take(&mut this.range);
        let mut items = AsVec::new(this.deque);
        items.vec.par_drain(range).with_producer(callback)
    };
}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        if !self.range.is_empty() {
            self.deque.drain(self.range.clone());
        }
    }
}
