//! Parallel iterators over hash sets.

use std::collections::HashSet;
use std::marker::PhantomData;

use super::by_vec;
use crate::iter::{IntoParallelIterator, ParallelDrainFull};
use crate::source::delegate::{clone_inner, delegate};
use crate::vec;

by_vec! {
    /// A parallel iterator over the items of a set, by value.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::collections::HashSet;
    ///
    /// let numbers = HashSet::from([3, 1, 4]);
    /// assert_eq!(numbers.into_par_iter().map(|number| 10 * number).max(), Some(40));
    /// ```
    IntoIter<T> => T;
    [T: Send] [S] HashSet<T, S>
}

by_vec! {
    /// A parallel iterator over the items of a set, by reference.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::collections::HashSet;
    ///
    /// let numbers = HashSet::from([3, 1, 4]);
    /// assert_eq!(numbers.par_iter().max(), Some(&4));
    /// ```
    Iter<'data, T> => &'data T;
    ['data, T: Sync] [S] &'data HashSet<T, S>
}

clone_inner! { Iter<'data, T> }

/// A parallel iterator over the items of a set that is emptied; see
/// [`par_drain`](ParallelDrainFull::par_drain).
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Drain<'data, T> {
    inner: vec::IntoIter<T>,
    marker: PhantomData<&'data mut HashSet<T>>,
}

impl<'data, T: Send, S> ParallelDrainFull for &'data mut HashSet<T, S> {
    type Iter = Drain<'data, T>;
    type Item = T;

    fn par_drain(self) -> Drain<'data, T> {
        let items: Vec<_> = self.drain().collect();
        Drain {
            inner: items.into_par_iter(),
            marker: PhantomData,
        }
    }
}

delegate! { Drain<'_, T> => T, impl<T: Send> }
