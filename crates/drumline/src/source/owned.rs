//! Giving items away by value: a producer that owns the items of a slice.
//!
//! The memory has another owner, which forgets that there are items in it before this is made. From
//! then on each item belongs to the part of the producer that it is in. A part that is dropped, in
//! the course of a panic or because its items are not wanted, drops them.

use std::iter::FusedIterator;
use std::mem;
use std::ptr;
use std::slice;

use crate::iter::plumbing::{Folder, Producer};

/// Owns the items of a slice, but not its memory.
#[derive(Debug)]
pub(super) struct OwnedProducer<'data, T> {
    slice: &'data mut [T],
}

impl<'data, T> OwnedProducer<'data, T> {
    /// Takes the items of `slice`.
    ///
    /// # Safety
    ///
    /// Nothing uses the items after this, not even to drop them; the memory may be used when
    /// `'data` is over.
    pub(super) unsafe fn new(slice: &'data mut [T]) -> Self {
        OwnedProducer { slice }
    }
}

impl<'data, T: Send> Producer for OwnedProducer<'data, T> {
    type Item = T;
    type IntoIter = OwnedIter<'data, T>;

    fn into_iter(mut self) -> OwnedIter<'data, T> {
        OwnedIter {
            items: mem::take(&mut self.slice).iter_mut(),
        }
    }

    fn split_at(mut self, index: usize) -> (Self, Self) {
        // The halves are the owners from here on: nothing is left to drop, whatever happens.
        let (left, right) = mem::take(&mut self.slice).split_at_mut(index);
        (
            OwnedProducer { slice: left },
            OwnedProducer { slice: right },
        )
    }

    fn fold_with<F>(mut self, folder: F) -> F
    where
        F: Folder<T>,
    {
        if mem::needs_drop::<T>() {
            return folder.consume_iter(self.into_iter());
        }
        // Nothing has to be dropped, so it does not matter how far it got: an iterator of the
        // standard library, with which loops can be vectorised.
        let items = mem::take(&mut self.slice).iter_mut();
        folder.consume_iter(items.map(|item| {
            // SAFETY: this producer owns the item, and nothing looks at its place again.
            unsafe { ptr::read(item) }
        }))
    }
}

impl<T> Drop for OwnedProducer<'_, T> {
    fn drop(&mut self) {
        let items = ptr::from_mut(mem::take(&mut self.slice));
        // SAFETY: they are this producer's, and it holds no reference to them any more.
        unsafe { ptr::drop_in_place(items) };
    }
}

/// The sequential iterator of an [`OwnedProducer`].
#[derive(Debug)]
pub(super) struct OwnedIter<'data, T> {
    items: slice::IterMut<'data, T>,
}

impl<T> Iterator for OwnedIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let item = self.items.next()?;
        // SAFETY: the iterator owns the item, and has just moved past it.
        Some(unsafe { ptr::read(item) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl<T> DoubleEndedIterator for OwnedIter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        let item = self.items.next_back()?;
        // SAFETY: as in `next`.
        Some(unsafe { ptr::read(item) })
    }
}

impl<T> ExactSizeIterator for OwnedIter<'_, T> {}

impl<T> FusedIterator for OwnedIter<'_, T> {}

impl<T> Drop for OwnedIter<'_, T> {
    fn drop(&mut self) {
        let rest = ptr::from_mut(mem::take(&mut self.items).into_slice());
        // SAFETY: those that have not been given; they are this iterator's, and it holds no
        // reference to them any more.
        unsafe { ptr::drop_in_place(rest) };
    }
}
