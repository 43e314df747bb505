//! Parallel iterators over results: at most one item, and errors are none.

use super::delegate::{clone_inner, delegate_indexed};
use super::option;
use crate::iter::IntoParallelIterator;

/// A parallel iterator over the value of a result, if there is one.
///
/// ```
/// use drumline::prelude::*;
///
/// let parsed = "20".parse::<i32>();
/// assert_eq!(parsed.into_par_iter().chain([22]).sum::<i32>(), 42);
/// ```
#[derive(Debug, Clone)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IntoIter<T> {
    inner: option::IntoIter<T>,
}

impl<T: Send, E> IntoParallelIterator for Result<T, E> {
    type Iter = IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter {
            inner: self.ok().into_par_iter(),
        }
    }
}

delegate_indexed! { IntoIter<T> => T, impl<T: Send> }

/// A parallel iterator over a reference to the value of a result, if there is one.
///
/// ```
/// use drumline::prelude::*;
///
/// let parsed = "twenty".parse::<i32>();
/// assert_eq!(parsed.par_iter().count(), 0);
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Iter<'data, T> {
    inner: option::IntoIter<&'data T>,
}

clone_inner! { Iter<'data, T> }

impl<'data, T: Sync, E> IntoParallelIterator for &'data Result<T, E> {
    type Iter = Iter<'data, T>;
    type Item = &'data T;

    fn into_par_iter(self) -> Iter<'data, T> {
        Iter {
            inner: self.as_ref().ok().into_par_iter(),
        }
    }
}

delegate_indexed! { Iter<'data, T> => &'data T, impl<'data, T: Sync> }

/// A parallel iterator over a mutable reference to the value of a result, if there is one.
///
/// ```
/// use drumline::prelude::*;
///
/// let mut parsed = "20".parse::<i32>();
/// parsed.par_iter_mut().for_each(|number| *number += 1);
/// assert_eq!(parsed, Ok(21));
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IterMut<'data, T> {
    inner: option::IntoIter<&'data mut T>,
}

impl<'data, T: Send, E> IntoParallelIterator for &'data mut Result<T, E> {
    type Iter = IterMut<'data, T>;
    type Item = &'data mut T;

    fn into_par_iter(self) -> IterMut<'data, T> {
        IterMut {
            inner: self.as_mut().ok().into_par_iter(),
        }
    }
}

delegate_indexed! { IterMut<'data, T> => &'data mut T, impl<'data, T: Send> }
