//! `enumerate`.

use super::wrapping::{Wrap, Wrapping};
use crate::iter::IndexedParallelIterator;
use crate::iter::bridged::bridged;
use crate::iter::item_op::{ItemOpFolder, adapter};
use crate::iter::map_op::{MapOp, One};
use crate::iter::plumbing::{Folder, Producer};

adapter! {
    /// The items of another iterator, each with its index; see
    /// [`enumerate`](crate::iter::IndexedParallelIterator::enumerate).
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
    type IntoIter = EnumerateIter<P::IntoIter>;
    const HAS_STATE: bool = P::HAS_STATE;
    const ENDS_EARLY: bool = P::ENDS_EARLY;

    fn into_iter(self) -> Self::IntoIter {
        let base = self.base.into_iter();
        EnumerateIter {
            first: self.first,
            end: self.first + base.len(),
            base,
        }
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

/// The sequential iterator of an [`EnumerateProducer`].
///
/// The standard library's `zip` with a range panics if the items end early, as those behind
/// `panic_fuse` do; that could win over the panic of the user.
struct EnumerateIter<I> {
    base: I,
    /// The index of the first item that is left.
    first: usize,
    /// The index behind the last one.
    end: usize,
}

impl<I: ExactSizeIterator> Iterator for EnumerateIter<I> {
    type Item = (usize, I::Item);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let item = self.base.next()?;
        let index = self.first;
        self.first += 1;
        Some((index, item))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.base.size_hint()
    }

    #[inline]
    fn fold<B, F>(self, init: B, mut fold: F) -> B
    where
        F: FnMut(B, Self::Item) -> B,
    {
        let mut index = self.first;
        self.base.fold(init, |value, item| {
            let value = fold(value, (index, item));
            index += 1;
            value
        })
    }
}

impl<I: DoubleEndedIterator + ExactSizeIterator> DoubleEndedIterator for EnumerateIter<I> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let item = self.base.next_back()?;
        self.end -= 1;
        Some((self.end, item))
    }

    #[inline]
    fn rfold<B, F>(self, init: B, mut fold: F) -> B
    where
        F: FnMut(B, Self::Item) -> B,
    {
        let mut index = self.end;
        self.base.rfold(init, |value, item| {
            index -= 1;
            fold(value, (index, item))
        })
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for EnumerateIter<I> {}

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
