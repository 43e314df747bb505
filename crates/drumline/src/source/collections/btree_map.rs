//! Parallel iterators over ordered maps.

use std::collections::BTreeMap;

use super::by_vec;
use crate::source::delegate::delegate;
use crate::vec;

/// A parallel iterator over the pairs of a map, by value.
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IntoIter<K, V> {
    inner: vec::IntoIter<(K, V)>,
}

by_vec! { BTreeMap<K, V> => IntoIter<K, V>, impl<K: Send, V: Send> }

delegate! { IntoIter<K, V> => (K, V), impl<K: Send, V: Send> }

/// A parallel iterator over the pairs of a map, by reference.
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Iter<'data, K, V> {
    inner: vec::IntoIter<(&'data K, &'data V)>,
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter {
            inner: self.inner.clone(),
        }
    }
}

by_vec! { &'data BTreeMap<K, V> => Iter<'data, K, V>, impl<'data, K: Sync, V: Sync> }

delegate! { Iter<'data, K, V> => (&'data K, &'data V), impl<'data, K: Sync, V: Sync> }

/// A parallel iterator over the pairs of a map, with mutable references to the values.
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IterMut<'data, K, V> {
    inner: vec::IntoIter<(&'data K, &'data mut V)>,
}

by_vec! { &'data mut BTreeMap<K, V> => IterMut<'data, K, V>, impl<'data, K: Sync, V: Send> }

delegate! { IterMut<'data, K, V> => (&'data K, &'data mut V), impl<'data, K: Sync, V: Send> }
