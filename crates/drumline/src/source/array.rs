//! Parallel iterators over arrays, by value.

use std::mem::ManuallyDrop;

use super::owned::OwnedProducer;
use crate::iter::IntoParallelIterator;
use crate::iter::bridged::bridged;
use crate::slice::{Iter, IterMut};

impl<'data, T: Sync, const N: usize> IntoParallelIterator for &'data [T; N] {
    type Iter = Iter<'data, T>;
    type Item = &'data T;

    fn into_par_iter(self) -> Iter<'data, T> {
        self.as_slice().into_par_iter()
    }
}

impl<'data, T: Send, const N: usize> IntoParallelIterator for &'data mut [T; N] {
    type Iter = IterMut<'data, T>;
    type Item = &'data mut T;

    fn into_par_iter(self) -> IterMut<'data, T> {
        self.as_mut_slice().into_par_iter()
    }
}

/// A parallel iterator over the items of an array, by value.
///
/// ```
/// use drumline::prelude::*;
///
/// let numbers = [3, 1, 4];
/// assert_eq!(numbers.into_par_iter().map(|number| 10 * number).max(), Some(40));
/// ```
#[derive(Debug, Clone)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IntoIter<T, const N: usize> {
    array: [T; N],
}

impl<T: Send, const N: usize> IntoParallelIterator for [T; N] {
    type Iter = IntoIter<T, N>;
    type Item = T;

    fn into_par_iter(self) -> IntoIter<T, N> {
        IntoIter { array: self }
    }
}

bridged! {
    [T: Send, const N: usize] IntoIter<T, N> where {}
    yields T;
    len |_this| N;
    producer |this, callback| {
        let mut array = ManuallyDrop::new(this.array);
        // SAFETY: the array itself is not dropped and not used any more.
        callback.callback(unsafe { OwnedProducer::new(array.as_mut_slice()) })
    };
}
