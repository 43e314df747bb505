//! Parallel iterators over linked lists.

use std::collections::LinkedList;

use super::by_vec;
use crate::source::delegate::delegate;
use crate::vec;

/// A parallel iterator over the items of a list, by value.
#[derive(Debug, Clone)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IntoIter<T> {
    inner: vec::IntoIter<T>,
}

by_vec! { LinkedList<T> => IntoIter<T>, impl<T: Send> }

delegate! { IntoIter<T> => T, impl<T: Send> }

/// A parallel iterator over the items of a list, by reference.
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
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IterMut<'data, T> {
    inner: vec::IntoIter<&'data mut T>,
}

by_vec! { &'data mut LinkedList<T> => IterMut<'data, T>, impl<'data, T: Send> }

delegate! { IterMut<'data, T> => &'data mut T, impl<'data, T: Send> }
