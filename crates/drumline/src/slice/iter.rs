//! The items of a slice, by reference.

use crate::iter::IntoParallelIterator;
use crate::iter::bridged::bridged;
use crate::iter::plumbing::Producer;

/// A parallel iterator over the items of a slice, by shared reference.
///
/// ```
/// use drumline::prelude::*;
///
/// let numbers = [3, 1, 4];
/// assert_eq!(numbers.par_iter().position_any(|number| *number == 4), Some(2));
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Iter<'data, T> {
    slice: &'data [T],
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { slice: self.slice }
    }
}

/// A parallel iterator over the items of a slice, by mutable reference.
///
/// ```
/// use drumline::prelude::*;
///
/// let mut numbers = [3, 1, 4];
/// numbers.par_iter_mut().for_each(|number| *number *= 10);
/// assert_eq!(numbers, [30, 10, 40]);
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IterMut<'data, T> {
    slice: &'data mut [T],
}

impl<'data, T: Sync> IntoParallelIterator for &'data [T] {
    type Iter = Iter<'data, T>;
    type Item = &'data T;

    fn into_par_iter(self) -> Iter<'data, T> {
        Iter { slice: self }
    }
}

impl<'data, T: Send> IntoParallelIterator for &'data mut [T] {
    type Iter = IterMut<'data, T>;
    type Item = &'data mut T;

    fn into_par_iter(self) -> IterMut<'data, T> {
        IterMut { slice: self }
    }
}

bridged! {
    ['data, T] Iter<'data, T> where { T: Sync }
    yields &'data T;
    len |this| this.slice.len();
    producer |this| IterProducer { slice: this.slice };
}

struct IterProducer<'data, T> {
    slice: &'data [T],
}

impl<'data, T: Sync> Producer for IterProducer<'data, T> {
    type Item = &'data T;
    type IntoIter = std::slice::Iter<'data, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.slice.iter()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.slice.split_at(index);
        (IterProducer { slice: left }, IterProducer { slice: right })
    }
}

bridged! {
    ['data, T] IterMut<'data, T> where { T: Send }
    yields &'data mut T;
    len |this| this.slice.len();
    producer |this| IterMutProducer { slice: this.slice };
}

struct IterMutProducer<'data, T> {
    slice: &'data mut [T],
}

impl<'data, T: Send> Producer for IterMutProducer<'data, T> {
    type Item = &'data mut T;
    type IntoIter = std::slice::IterMut<'data, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.slice.iter_mut()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.slice.split_at_mut(index);
        (
            IterMutProducer { slice: left },
            IterMutProducer { slice: right },
        )
    }
}
