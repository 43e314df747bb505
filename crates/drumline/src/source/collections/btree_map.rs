//! Parallel iterators over ordered maps.

use std::collections::BTreeMap;

use super::by_vec;
use crate::source::delegate::delegate;
use crate::vec;

/// A parallel iterator over the pairs of a map, by value.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::BTreeMap;
///
/// let ages = BTreeMap::from([("ada", 36), ("grace", 85)]);
/// assert_eq!(ages.into_par_iter().map(|(_name, age)| age).max(), Some(85));
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IntoIter<K, V> {
    inner: vec::IntoIter<(K, V)>,
}

by_vec! { BTreeMap<K, V> => IntoIter<K, V>, impl<K: Send, V: Send> }

delegate! { IntoIter<K, V> => (K, V), impl<K: Send, V: Send> }

/// A parallel iterator over the pairs of a map, by reference.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::BTreeMap;
///
/// let ages = BTreeMap::from([("ada", 36), ("grace", 85)]);
/// assert_eq!(ages.par_iter().filter(|(_name, age)| **age > 40).count(), 1);
/// ```
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
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::BTreeMap;
///
/// let mut ages = BTreeMap::from([("ada", 36), ("grace", 85)]);
/// ages.par_iter_mut().for_each(|(_name, age)| *age += 1);
/// assert_eq!(ages["ada"], 37);
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IterMut<'data, K, V> {
    inner: vec::IntoIter<(&'data K, &'data mut V)>,
}

by_vec! { &'data mut BTreeMap<K, V> => IterMut<'data, K, V>, impl<'data, K: Sync, V: Send> }

delegate! { IterMut<'data, K, V> => (&'data K, &'data mut V), impl<'data, K: Sync, V: Send> }
