//! Parallel iterators over ordered maps.

use std::collections::BTreeMap;

use super::by_vec;
use crate::source::delegate::clone_inner;

by_vec! {
    /// A parallel iterator over the pairs of a map, by value.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::collections::BTreeMap;
    ///
    /// let ages = BTreeMap::from([("ada", 36), ("grace", 85)]);
    /// assert_eq!(ages.into_par_iter().map(|(_name, age)| age).max(), Some(85));
    /// ```
    IntoIter<K, V> => (K, V);
    [K: Send, V: Send] [] BTreeMap<K, V>
}

by_vec! {
    /// A parallel iterator over the pairs of a map, by reference.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::collections::BTreeMap;
    ///
    /// let ages = BTreeMap::from([("ada", 36), ("grace", 85)]);
    /// assert_eq!(ages.par_iter().filter(|(_name, age)| **age > 40).count(), 1);
    /// ```
    Iter<'data, K, V> => (&'data K, &'data V);
    ['data, K: Sync, V: Sync] [] &'data BTreeMap<K, V>
}

clone_inner! { Iter<'data, K, V> }

by_vec! {
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
    IterMut<'data, K, V> => (&'data K, &'data mut V);
    ['data, K: Sync, V: Send] [] &'data mut BTreeMap<K, V>
}
