//! Neighbours: parts that overlap.

use super::chunks::clone_parts;
use crate::iter::bridged::bridged;
use crate::iter::plumbing::Producer;

/// Parts of a slice, one from every place; see [`par_windows`](super::ParallelSlice::par_windows).
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Windows<'data, T> {
    size: usize,
    slice: &'data [T],
}

/// Arrays in a slice, one from every place; see
/// [`par_array_windows`](super::ParallelSlice::par_array_windows).
#[derive(Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct ArrayWindows<'data, T, const N: usize> {
    slice: &'data [T],
}

clone_parts! {
    Windows { size, slice }
}

impl<T, const N: usize> Clone for ArrayWindows<'_, T, N> {
    fn clone(&self) -> Self {
        ArrayWindows { slice: self.slice }
    }
}

impl<'data, T> Windows<'data, T> {
    pub(super) fn new(size: usize, slice: &'data [T]) -> Self {
        Windows { size, slice }
    }
}

impl<'data, T, const N: usize> ArrayWindows<'data, T, N> {
    pub(super) fn new(slice: &'data [T]) -> Self {
        ArrayWindows { slice }
    }
}

bridged! {
    ['data, T] Windows<'data, T> where { T: Sync }
    yields &'data [T];
    len |this| windows(this.slice.len(), this.size);
    producer |this| WindowsProducer { size: this.size, slice: this.slice };
}

bridged! {
    ['data, T, const N: usize] ArrayWindows<'data, T, N> where { T: Sync }
    yields &'data [T; N];
    len |this| windows(this.slice.len(), N);
    producer |this| ArrayWindowsProducer {
        windows: WindowsProducer { size: N, slice: this.slice },
    };
}

/// How many windows there are.
fn windows(len: usize, size: usize) -> usize {
    len.saturating_sub(size - 1)
}

/// Splits into what the first `index` windows see and what the others do.
fn split<T>(slice: &[T], size: usize, index: usize) -> (&[T], &[T]) {
    // Windows to the left of `index` may end to the right of it.
    let end = if index == 0 { 0 } else { index + (size - 1) };
    (
        &slice[..end.min(slice.len())],
        &slice[index.min(slice.len())..],
    )
}

struct WindowsProducer<'data, T> {
    size: usize,
    slice: &'data [T],
}

impl<'data, T: Sync> Producer for WindowsProducer<'data, T> {
    type Item = &'data [T];
    type IntoIter = std::slice::Windows<'data, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.slice.windows(self.size)
    }

    #[inline]
    fn split_at(self, index: usize) -> (Self, Self) {
        let size = self.size;
        let (left, right) = split(self.slice, size, index);
        let left = WindowsProducer { size, slice: left };
        (left, WindowsProducer { size, slice: right })
    }
}

struct ArrayWindowsProducer<'data, T, const N: usize> {
    windows: WindowsProducer<'data, T>,
}

impl<'data, T: Sync, const N: usize> Producer for ArrayWindowsProducer<'data, T, N> {
    type Item = &'data [T; N];
    type IntoIter = ArrayWindowsIter<'data, T, N>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        ArrayWindowsIter {
            windows: self.windows.into_iter(),
        }
    }

    #[inline]
    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.windows.split_at(index);
        let left = ArrayWindowsProducer { windows: left };
        (left, ArrayWindowsProducer { windows: right })
    }
}

/// The sequential iterator of an [`ArrayWindowsProducer`].
#[derive(Debug)]
struct ArrayWindowsIter<'data, T, const N: usize> {
    windows: std::slice::Windows<'data, T>,
}

/// A window is an array.
#[inline]
fn array<T, const N: usize>(window: &[T]) -> &[T; N] {
    window
        .try_into()
        .expect("a window has the length asked for")
}

impl<'data, T, const N: usize> Iterator for ArrayWindowsIter<'data, T, N> {
    type Item = &'data [T; N];

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.windows.next().map(array)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.windows.size_hint()
    }

    #[inline]
    fn fold<B, F>(self, init: B, fold: F) -> B
    where
        F: FnMut(B, Self::Item) -> B,
    {
        self.windows.map(array).fold(init, fold)
    }
}

impl<T, const N: usize> DoubleEndedIterator for ArrayWindowsIter<'_, T, N> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.windows.next_back().map(array)
    }
}

impl<T, const N: usize> ExactSizeIterator for ArrayWindowsIter<'_, T, N> {}
