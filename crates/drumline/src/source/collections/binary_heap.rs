//! Parallel iterators over heaps. Their items come in no order in particular.

use std::collections::BinaryHeap;

use super::AsVec;
use crate::iter::bridged::bridged;
use crate::iter::{IntoParallelIterator, ParallelDrainFull, ParallelDrainRange};
use crate::source::delegate::{clone_inner, delegate_indexed};
use crate::{slice, vec};

/// A parallel iterator over the items of a heap, by value.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::BinaryHeap;
///
/// let numbers = BinaryHeap::from([3, 1, 4]);
/// assert_eq!(numbers.into_par_iter().map(|number| 10 * number).max(), Some(40));
/// ```
#[derive(Debug, Clone)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IntoIter<T> {
    inner: vec::IntoIter<T>,
}

impl<T: Send> IntoParallelIterator for BinaryHeap<T> {
    type Iter = IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter {
            inner: self.into_vec().into_par_iter(),
        }
    }
}

delegate_indexed! { IntoIter<T> => T, impl<T: Send> }

/// A parallel iterator over the items of a heap, by reference.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::BinaryHeap;
///
/// let numbers = BinaryHeap::from([3, 1, 4]);
/// assert_eq!(numbers.par_iter().max(), Some(&4));
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Iter<'data, T> {
    inner: slice::Iter<'data, T>,
}

clone_inner! { Iter<'data, T> }

impl<'data, T: Sync> IntoParallelIterator for &'data BinaryHeap<T> {
    type Iter = Iter<'data, T>;
    type Item = &'data T;

    fn into_par_iter(self) -> Iter<'data, T> {
        Iter {
            inner: self.as_slice().into_par_iter(),
        }
    }
}

delegate_indexed! { Iter<'data, T> => &'data T, impl<'data, T: Sync> }

/// A parallel iterator over the items of a heap that is emptied; see
/// [`par_drain`](ParallelDrainFull::par_drain).
#[derive(Debug)]
#[must_use = "the items are removed now; use `BinaryHeap::drain` if they are not needed"]
pub struct Drain<'data, T> {
    heap: &'data mut BinaryHeap<T>,
}

impl<'data, T: Ord + Send> ParallelDrainFull for &'data mut BinaryHeap<T> {
    type Iter = Drain<'data, T>;
    type Item = T;

    fn par_drain(self) -> Drain<'data, T> {
        Drain { heap: self }
    }
}

bridged! {
    [T: Ord + Send] Drain<'_, T> where {}
    yields T;
    len |this| this.heap.len();
    producer |this, callback| {
        let mut items = AsVec::new(this.heap);
        items.vec.par_drain(..).with_producer(callback)
    };
}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        self.heap.clear();
    }
}
