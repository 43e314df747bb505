//! One item.

use crate::iter::bridged::bridged;
use crate::iter::plumbing::Producer;

/// A parallel iterator over one item; see [`once`].
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Once<T> {
    item: T,
}

/// A parallel iterator over one item, for where another one is wanted.
///
/// ```
/// use drumline::iter::once;
/// use drumline::prelude::*;
///
/// assert_eq!(once(6).map(|number| number * 7).sum::<u32>(), 42);
/// ```
pub fn once<T: Send>(item: T) -> Once<T> {
    Once { item }
}

bridged! {
    [T] Once<T> where { T: Send }
    yields T;
    len |_this| 1;
    producer |this| OnceProducer(Some(this.item));
}

/// One item, or none any more.
struct OnceProducer<T>(Option<T>);

impl<T: Send> Producer for OnceProducer<T> {
    type Item = T;
    type IntoIter = std::option::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        if index == 0 {
            (OnceProducer(None), self)
        } else {
            (self, OnceProducer(None))
        }
    }
}
