//! Parallel iterators over linked lists.

use std::collections::LinkedList;

use super::by_vec;
use crate::source::delegate::clone_inner;

by_vec! {
    /// A parallel iterator over the items of a list, by value.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::collections::LinkedList;
    ///
    /// let numbers = LinkedList::from([3, 1, 4]);
    /// assert_eq!(numbers.into_par_iter().map(|number| 10 * number).max(), Some(40));
    /// ```
    #[derive(Clone)]
    IntoIter<T> => T;
    [T: Send] [] LinkedList<T>
}

by_vec! {
    /// A parallel iterator over the items of a list, by reference.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::collections::LinkedList;
    ///
    /// let numbers = LinkedList::from([3, 1, 4]);
    /// assert_eq!(numbers.par_iter().max(), Some(&4));
    /// ```
    Iter<'data, T> => &'data T;
    ['data, T: Sync] [] &'data LinkedList<T>
}

clone_inner! { Iter<'data, T> }

by_vec! {
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
    IterMut<'data, T> => &'data mut T;
    ['data, T: Send] [] &'data mut LinkedList<T>
}
