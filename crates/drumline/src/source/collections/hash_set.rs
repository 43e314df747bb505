//! Parallel iterators over hash sets.

use std::collections::HashSet;
use std::marker::PhantomData;

use super::by_vec;
use crate::iter::{IntoParallelIterator, ParallelDrainFull};
use crate::source::delegate::delegate;
use crate::vec;

/// A parallel iterator over the items of a set, by value.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::HashSet;
///
/// let numbers = HashSet::from([3, 1, 4]);
/// assert_eq!(numbers.into_par_iter().map(|number| 10 * number).max(), Some(40));
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IntoIter<T> {
    inner: vec::IntoIter<T>,
}

by_vec! { HashSet<T, S> => IntoIter<T>, impl<T: Send, S> }

delegate! { IntoIter<T> => T, impl<T: Send> }

/// A parallel iterator over the items of a set, by reference.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::HashSet;
///
/// let numbers = HashSet::from([3, 1, 4]);
/// assert_eq!(numbers.par_iter().max(), Some(&4));
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Iter<'data, T> {
    inner: vec::IntoIter<&'data T>,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter {
            inner: self.inner.clone(),
        }
    }
}

by_vec! { &'data HashSet<T, S> => Iter<'data, T>, impl<'data, T: Sync, S> }

delegate! { Iter<'data, T> => &'data T, impl<'data, T: Sync> }

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
