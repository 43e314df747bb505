//! Parallel iterators over linked lists.

use std::collections::LinkedList;

use super::by_vec;
use crate::source::delegate::delegate;
use crate::vec;

/// A parallel iterator over the items of a list, by value.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::LinkedList;
///
/// let numbers = LinkedList::from([3, 1, 4]);
/// assert_eq!(numbers.into_par_iter().map(|number| 10 * number).max(), Some(40));
/// ```
#[derive(Debug, Clone)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IntoIter<T> {
    inner: vec::IntoIter<T>,
}

by_vec! { LinkedList<T> => IntoIter<T>, impl<T: Send> }

delegate! { IntoIter<T> => T, impl<T: Send> }

/// A parallel iterator over the items of a list, by reference.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::LinkedList;
///
/// let numbers = LinkedList::from([3, 1, 4]);
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

by_vec! { &'data LinkedList<T> => Iter<'data, T>, impl<'data, T: Sync> }

delegate! { Iter<'data, T> => &'data T, impl<'data, T: Sync> }

/// A parallel iterator over the items of a list, by mutable reference.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::LinkedList;
///
/// let mut numbers = LinkedList::from([3, 1, 4]);
/// numbers.par_iter_mut().for_each(|number| *number *= 10);
/// assert_eq!(numbers, LinkedList::from([30, 10, 40]));
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IterMut<'data, T> {
    inner: vec::IntoIter<&'data mut T>,
}

by_vec! { &'data mut LinkedList<T> => IterMut<'data, T>, impl<'data, T: Send> }

delegate! { IterMut<'data, T> => &'data mut T, impl<'data, T: Send> }
