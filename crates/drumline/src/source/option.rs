//! Parallel iterators over options: at most one item.

use super::delegate::{clone_inner, delegate_indexed};
use crate::iter::IntoParallelIterator;
use crate::iter::bridged::bridged;
use crate::iter::plumbing::Producer;

/// A parallel iterator over the item of an option, if there is one.
///
/// ```
/// use drumline::prelude::*;
///
/// let found = Some(20);
/// assert_eq!(found.into_par_iter().chain([22]).sum::<i32>(), 42);
/// ```
#[derive(Debug, Clone)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IntoIter<T> {
    item: Option<T>,
}

impl<T: Send> IntoParallelIterator for Option<T> {
    type Iter = IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter { item: self }
    }
}

bridged! {
    [T: Send] IntoIter<T> where {}
    yields T;
    len |this| usize::from(this.item.is_some());
    producer |this| OptionProducer(this.item);
}

/// A parallel iterator over a reference to the item of an option, if there is one.
///
/// ```
/// use drumline::prelude::*;
///
/// let found: Option<i32> = None;
/// assert_eq!(found.par_iter().count(), 0);
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Iter<'data, T> {
    inner: IntoIter<&'data T>,
}

clone_inner! { Iter<'data, T> }

impl<'data, T: Sync> IntoParallelIterator for &'data Option<T> {
    type Iter = Iter<'data, T>;
    type Item = &'data T;

    fn into_par_iter(self) -> Iter<'data, T> {
        Iter {
            inner: self.as_ref().into_par_iter(),
        }
    }
}

delegate_indexed! { Iter<'data, T> => &'data T, impl<'data, T: Sync> }

/// A parallel iterator over a mutable reference to the item of an option, if there is one.
///
/// ```
/// use drumline::prelude::*;
///
/// let mut found = Some(20);
/// found.par_iter_mut().for_each(|number| *number += 1);
/// assert_eq!(found, Some(21));
/// ```
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IterMut<'data, T> {
    inner: IntoIter<&'data mut T>,
}

impl<'data, T: Send> IntoParallelIterator for &'data mut Option<T> {
    type Iter = IterMut<'data, T>;
    type Item = &'data mut T;

    fn into_par_iter(self) -> IterMut<'data, T> {
        IterMut {
            inner: self.as_mut().into_par_iter(),
        }
    }
}

delegate_indexed! { IterMut<'data, T> => &'data mut T, impl<'data, T: Send> }

/// Gives at most one item.
struct OptionProducer<T>(Option<T>);

impl<T: Send> Producer for OptionProducer<T> {
    type Item = T;
    type IntoIter = std::option::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        match index {
            0 => (OptionProducer(None), self),
            _ => (self, OptionProducer(None)),
        }
    }
}
