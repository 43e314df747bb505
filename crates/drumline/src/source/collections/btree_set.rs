//! Parallel iterators over ordered sets.

use std::collections::BTreeSet;

use super::by_vec;
use crate::source::delegate::delegate;
use crate::vec;

/// A parallel iterator over the items of a set, by value.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::BTreeSet;
///
/// let numbers = BTreeSet::from([3, 1, 4]);
/// assert_eq!(numbers.into_par_iter().map(|number| 10 * number).max(), Some(40));
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IntoIter<T> {
    inner: vec::IntoIter<T>,
}

by_vec! { BTreeSet<T> => IntoIter<T>, impl<T: Send> }

delegate! { IntoIter<T> => T, impl<T: Send> }

/// A parallel iterator over the items of a set, by reference.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::BTreeSet;
///
/// let numbers = BTreeSet::from([3, 1, 4]);
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

by_vec! { &'data BTreeSet<T> => Iter<'data, T>, impl<'data, T: Sync> }

delegate! { Iter<'data, T> => &'data T, impl<'data, T: Sync> }
