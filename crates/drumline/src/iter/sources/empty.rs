//! No items.

use std::fmt;
use std::iter;
use std::marker::PhantomData;

use crate::iter::bridged::bridged;
use crate::iter::plumbing::{Folder, Producer};

/// A parallel iterator without items; see [`empty`].
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Empty<T> {
    marker: PhantomData<T>,
}

/// A parallel iterator without items.
///
/// ```
/// use drumline::iter::empty;
/// use drumline::prelude::*;
///
/// assert_eq!(empty::<u32>().sum::<u32>(), 0);
/// ```
pub fn empty<T: Send>() -> Empty<T> {
    Empty {
        marker: PhantomData,
    }
}

impl<T> Clone for Empty<T> {
    fn clone(&self) -> Self {
        Empty {
            marker: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Empty<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Empty").finish_non_exhaustive()
    }
}

bridged! {
    [T] Empty<T> where { T: Send }
    yields T;
    len |_this| 0;
    producer |_this| EmptyProducer(PhantomData);
}

struct EmptyProducer<T>(PhantomData<T>);

impl<T: Send> Producer for EmptyProducer<T> {
    type Item = T;
    type IntoIter = iter::Empty<T>;

    fn into_iter(self) -> iter::Empty<T> {
        iter::empty()
    }

    fn split_at(self, _index: usize) -> (Self, Self) {
        (EmptyProducer(PhantomData), self)
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<T>,
    {
        folder
    }
}
