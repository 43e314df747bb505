//! A merge sort, in which the sorted runs go back and forth between the slice and a buffer.
//!
//! ```text
//!   slice   [ 3 1 ][ 2 0 ][ 7 5 ][ 6 4 ]   sorted by the standard library
//!   buffer  [ 0 1 2 3    ][ 4 5 6 7    ]   merged, in parallel
//!   slice   [ 0 1 2 3 4 5 6 7          ]   merged, in parallel
//! ```
//!
//! A half that is a run already is not divided any more.

use std::marker::PhantomData;
use std::mem::{self, MaybeUninit};
use std::ptr;

use super::merge::Merge;
use super::order::SortOrder;
use super::runs::{SEQUENTIAL, settle_run};
use crate::join::join;

/// Sorts with `jobs` threads, and keeps equal items in order. The items are not a run as a whole.
pub(super) fn sort<T, O>(items: &mut [T], order: &O, jobs: usize)
where
    T: Send,
    O: SortOrder<T>,
{
    // Some parts for each thread, so that none waits long for the last one; an even number of
    // levels, so that the last merge ends in the slice.
    let mut levels = 0;
    while 1 << levels < jobs * 4 && items.len() >> (levels + 2) >= SEQUENTIAL / 2 {
        levels += 2;
    }
    let len = items.len();
    let mut buffer: Vec<MaybeUninit<T>> = Vec::with_capacity(len);
    let mut run = Run {
        home: items.as_mut_ptr(),
        spare: buffer.as_mut_ptr().cast(),
        len,
        is_away: false,
        items: PhantomData,
    };
    if levels == 0 {
        run.sort(order, levels, false);
    } else {
        run.divide(order, levels, false);
    }
}

/// Items in the slice, or in the buffer. When it is dropped, they are in the slice.
struct Run<'a, T> {
    home: *mut T,
    spare: *mut T,
    len: usize,
    /// Whether the items are in the buffer.
    is_away: bool,
    items: PhantomData<&'a mut [T]>,
}

// SAFETY: it owns the items, and both places.
unsafe impl<T: Send> Send for Run<'_, T> {}

impl<T: Send> Run<'_, T> {
    /// Sorts the items, which are in the slice, in `1 << levels` parts, and leaves them in the
    /// slice, or `away` in the buffer.
    fn sort<O: SortOrder<T>>(&mut self, order: &O, levels: u32, away: bool) {
        debug_assert!(!self.is_away);
        // SAFETY: the items are in the slice, and this owns them.
        let items = unsafe { std::slice::from_raw_parts_mut(self.home, self.len) };
        if levels > 0 {
            if !settle_run(items, order) {
                return self.divide(order, levels, away);
            }
        } else {
            order.sort(items);
        }
        if away {
            // SAFETY: both places have this length, and do not overlap.
            unsafe { ptr::copy_nonoverlapping(self.home, self.spare, self.len) };
            self.is_away = true;
        }
    }

    /// As [`sort`](Self::sort), where there are levels.
    fn divide<O: SortOrder<T>>(&mut self, order: &O, levels: u32, away: bool) {
        let (mut left, mut right) = self.halves();
        join(
            || left.sort(order, levels - 1, !away),
            || right.sort(order, levels - 1, !away),
        );
        let (left_len, right_len) = (left.len, right.len);
        // Where the items are is known to `self` from here on.
        mem::forget(left);
        mem::forget(right);
        let (source, dest) = if away {
            (self.home, self.spare)
        } else {
            (self.spare, self.home)
        };
        // SAFETY: both halves are at `source`; `dest` is the other place; items of size 0 are not
        // sorted here.
        let merge = unsafe { Merge::new(source, left_len, right_len, dest) };
        // The merge moves them all, also if it panics.
        self.is_away = away;
        merge.run(order);
    }

    /// Its halves.
    fn halves(&mut self) -> (Run<'_, T>, Run<'_, T>) {
        let half = self.len / 2;
        let left = Run {
            len: half,
            items: PhantomData,
            ..*self
        };
        let right = Run {
            // SAFETY: within its places.
            home: unsafe { self.home.add(half) },
            // SAFETY: as above.
            spare: unsafe { self.spare.add(half) },
            len: self.len - half,
            is_away: self.is_away,
            items: PhantomData,
        };
        (left, right)
    }
}

impl<T> Drop for Run<'_, T> {
    fn drop(&mut self) {
        if self.is_away {
            // SAFETY: both places have this length, and do not overlap.
            unsafe { ptr::copy_nonoverlapping(self.spare, self.home, self.len) };
        }
    }
}
