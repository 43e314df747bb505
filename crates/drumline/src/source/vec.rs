//! Parallel iterators over vectors, by value.

use std::ops::{Range, RangeBounds};
use std::{mem, ptr};

use super::owned::OwnedProducer;
use super::span::span;
use crate::iter::bridged::bridged;
use crate::iter::{IntoParallelIterator, ParallelDrainRange};
use crate::slice::{Iter, IterMut};

impl<'data, T: Sync> IntoParallelIterator for &'data Vec<T> {
    type Iter = Iter<'data, T>;
    type Item = &'data T;

    fn into_par_iter(self) -> Iter<'data, T> {
        self.as_slice().into_par_iter()
    }
}

impl<'data, T: Send> IntoParallelIterator for &'data mut Vec<T> {
    type Iter = IterMut<'data, T>;
    type Item = &'data mut T;

    fn into_par_iter(self) -> IterMut<'data, T> {
        self.as_mut_slice().into_par_iter()
    }
}

impl<'data, T: Sync> IntoParallelIterator for &'data Box<[T]> {
    type Iter = Iter<'data, T>;
    type Item = &'data T;

    fn into_par_iter(self) -> Iter<'data, T> {
        (**self).into_par_iter()
    }
}

impl<'data, T: Send> IntoParallelIterator for &'data mut Box<[T]> {
    type Iter = IterMut<'data, T>;
    type Item = &'data mut T;

    fn into_par_iter(self) -> IterMut<'data, T> {
        (**self).into_par_iter()
    }
}

/// A parallel iterator over the items of a vector, by value.
///
/// ```
/// use drumline::prelude::*;
///
/// let names = vec![String::from("ada"), String::from("grace")];
/// let loud: Vec<_> = names.into_par_iter().map(|name| name + "!").collect();
/// assert_eq!(loud, ["ada!", "grace!"]);
/// ```
#[derive(Debug, Clone)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IntoIter<T> {
    vec: Vec<T>,
}

impl<T: Send> IntoParallelIterator for Vec<T> {
    type Iter = IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter { vec: self }
    }
}

impl<T: Send> IntoParallelIterator for Box<[T]> {
    type Iter = IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> IntoIter<T> {
        self.into_vec().into_par_iter()
    }
}

bridged! {
    [T: Send] IntoIter<T> where {}
    yields T;
    len |this| this.vec.len();
    producer |mut this, callback| this.vec.par_drain(..).with_producer(callback);
}

/// A parallel iterator that takes a range of items out of a vector; see
/// [`par_drain`](ParallelDrainRange::par_drain).
#[derive(Debug)]
#[must_use = "the items are removed now; use `Vec::drain` if they are not needed"]
pub struct Drain<'data, T: Send> {
    vec: &'data mut Vec<T>,
    /// What is to be removed, and not yet taken out.
    range: Range<usize>,
}

impl<'data, T: Send> ParallelDrainRange<usize> for &'data mut Vec<T> {
    type Iter = Drain<'data, T>;
    type Item = T;

    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> Drain<'data, T> {
        Drain {
            range: span(&range, self.len()),
            vec: self,
        }
    }
}

bridged! {
    [T: Send] Drain<'_, T> where {}
    yields T;
    len |this| this.range.len();
    producer |mut this, callback| {
        let range = mem::take(&mut this.range);
        let len = range.len();
        let hole = Hole::new(this.vec, range);
        let items = ptr::from_mut(&mut hole.vec.spare_capacity_mut()[..len]);
        // SAFETY: they are items, which the vector does not count as its own now; it is borrowed as
        // long as this slice is.
        let items = unsafe { &mut *(items as *mut [T]) };
        // SAFETY: the vector has forgotten them for good: `hole` puts back what is behind them.
        callback.callback(unsafe { OwnedProducer::new(items) })
    };
}

impl<T: Send> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        if !self.range.is_empty() {
            self.vec.drain(self.range.clone());
        }
    }
}

/// A vector that ends where `range` begins. When this is dropped, it gets the items behind the
/// range back; those of the range are not its own any more.
struct Hole<'data, T> {
    vec: &'data mut Vec<T>,
    range: Range<usize>,
    behind: usize,
}

impl<'data, T> Hole<'data, T> {
    fn new(vec: &'data mut Vec<T>, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= vec.len());
        let behind = vec.len() - range.end;
        // SAFETY: no more items than it has.
        unsafe { vec.set_len(range.start) };
        Hole { vec, range, behind }
    }
}

impl<T> Drop for Hole<'_, T> {
    fn drop(&mut self) {
        let start = self.vec.as_mut_ptr();
        // SAFETY: within the capacity: there have been items up to `range.end` and `behind` more.
        let from = unsafe { start.add(self.range.end) };
        // SAFETY: as above, and before it.
        let to = unsafe { start.add(self.range.start) };
        // SAFETY: there are as many items at `from`, and those at `to` have been given away.
        unsafe { ptr::copy(from, to, self.behind) };
        // SAFETY: the items up to the hole, and those that have just been moved there.
        unsafe { self.vec.set_len(self.range.start + self.behind) };
    }
}
