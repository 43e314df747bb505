//! Parallel iterators over hash maps.

use std::collections::HashMap;
use std::marker::PhantomData;

use super::by_vec;
use crate::iter::{IntoParallelIterator, ParallelDrainFull};
use crate::source::delegate::{clone_inner, delegate};
use crate::vec;

by_vec! {
    /// A parallel iterator over the pairs of a map, by value.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::collections::HashMap;
    ///
    /// let ages = HashMap::from([("ada", 36), ("grace", 85)]);
    /// assert_eq!(ages.into_par_iter().map(|(_name, age)| age).max(), Some(85));
    /// ```
    IntoIter<K, V> => (K, V);
    [K: Send, V: Send] [S] HashMap<K, V, S>
}

by_vec! {
    /// A parallel iterator over the pairs of a map, by reference.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::collections::HashMap;
    ///
    /// let ages = HashMap::from([("ada", 36), ("grace", 85)]);
    /// assert_eq!(ages.par_iter().filter(|(_name, age)| **age > 40).count(), 1);
    /// ```
    Iter<'data, K, V> => (&'data K, &'data V);
    ['data, K: Sync, V: Sync] [S] &'data HashMap<K, V, S>
}

clone_inner! { Iter<'data, K, V> }

by_vec! {
    /// A parallel iterator over the pairs of a map, with mutable references to the values.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::collections::HashMap;
    ///
    /// let mut ages = HashMap::from([("ada", 36), ("grace", 85)]);
    /// ages.par_iter_mut().for_each(|(_name, age)| *age += 1);
    /// assert_eq!(ages["ada"], 37);
    /// ```
    IterMut<'data, K, V> => (&'data K, &'data mut V);
    ['data, K: Sync, V: Send] [S] &'data mut HashMap<K, V, S>
}

/// A parallel iterator over the pairs of a map that is emptied; see
/// [`par_drain`](ParallelDrainFull::par_drain).
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Drain<'data, K, V> {
    inner: vec::IntoIter<(K, V)>,
    marker: PhantomData<&'data mut HashMap<K, V>>,
}

impl<'data, K: Send, V: Send, S> ParallelDrainFull for &'data mut HashMap<K, V, S> {
    type Iter = Drain<'data, K, V>;
    type Item = (K, V);

    fn par_drain(self) -> Drain<'data, K, V> {
        let items: Vec<_> = self.drain().collect();
        Drain {
            inner: items.into_par_iter(),
            marker: PhantomData,
        }
    }
}

delegate! { Drain<'_, K, V> => (K, V), impl<K: Send, V: Send> }
