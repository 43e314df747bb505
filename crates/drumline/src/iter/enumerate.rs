//! `enumerate`.

use std::iter;
use std::ops::Range;

use super::IndexedParallelIterator;
use super::bridged::{Wrap, Wrapping, bridged};
use super::item_op::{ItemOpFolder, adapter};
use super::map_op::{MapOp, One};
use super::plumbing::{Folder, Producer};

adapter! {
    /// The items of another iterator, each with its index; see
    /// [`enumerate`](super::IndexedParallelIterator::enumerate).
    Enumerate<I> {}
}

bridged! {
    [I] Enumerate<I> where { I: IndexedParallelIterator, }
    yields (usize, I::Item);
    len |numbered| numbered.base.len();
    producer |numbered, callback| {
        numbered.base.with_producer(Wrapping { callback, wrap: Numbered })
    };
}

/// Numbers the items of a producer.
struct Numbered;

impl<T> Wrap<T> for Numbered {
    type Item = (usize, T);
    type Producer<P>
        = EnumerateProducer<P>
    where
        P: Producer<Item = T>;

    fn wrap<P>(self, base: P) -> EnumerateProducer<P>
    where
        P: Producer<Item = T>,
    {
        EnumerateProducer { base, first: 0 }
    }
}

/// Gives the items of `base` with their indices, of which `first` is the first.
struct EnumerateProducer<P> {
    base: P,
    first: usize,
}

impl<P: Producer> Producer for EnumerateProducer<P> {
    type Item = (usize, P::Item);
    type IntoIter = iter::Zip<Range<usize>, P::IntoIter>;
    const HAS_STATE: bool = P::HAS_STATE;

    fn into_iter(self) -> Self::IntoIter {
        let items = self.base.into_iter();
        (self.first..self.first + items.len()).zip(items)
    }

    fn min_len(&self) -> usize {
        self.base.min_len()
    }

    fn max_len(&self) -> usize {
        self.base.max_len()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (before, after) = self.base.split_at(index);
        let left = EnumerateProducer {
            base: before,
            first: self.first,
        };
        let right = EnumerateProducer {
            base: after,
            first: self.first + index,
        };
        (left, right)
    }

    // So that `base` goes through its items in its own way, which is the fast one.
    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Self::Item>,
    {
        let folder = ItemOpFolder {
            base: folder,
            op: One(Counter(self.first)),
        };
        self.base.fold_with(folder).base
    }
}

/// Counts items.
struct Counter(usize);

impl<T> MapOp<T> for Counter {
    type Item = (usize, T);

    #[inline]
    fn apply(&mut self, item: T) -> (usize, T) {
        let index = self.0;
        self.0 += 1;
        (index, item)
    }
}
