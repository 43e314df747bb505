//! Parallel iterators over ordered sets.

use std::collections::BTreeSet;

use super::by_vec;
use crate::source::delegate::clone_inner;

by_vec! {
    /// A parallel iterator over the items of a set, by value.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::collections::BTreeSet;
    ///
    /// let numbers = BTreeSet::from([3, 1, 4]);
    /// assert_eq!(numbers.into_par_iter().map(|number| 10 * number).max(), Some(40));
    /// ```
    IntoIter<T> => T;
    [T: Send] [] BTreeSet<T>
}

by_vec! {
    /// A parallel iterator over the items of a set, by reference.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::collections::BTreeSet;
    ///
    /// let numbers = BTreeSet::from([3, 1, 4]);
    /// assert_eq!(numbers.par_iter().max(), Some(&4));
    /// ```
    Iter<'data, T> => &'data T;
    ['data, T: Sync] [] &'data BTreeSet<T>
}

clone_inner! { Iter<'data, T> }
