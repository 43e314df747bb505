//! Two sorted runs become one, somewhere else.
//!
//! A merge is divided at the middle of its longer run: a binary search finds the place in the other
//! run that belongs to it, and what is before and after can be merged by different threads
//! (Shiloach, Vishkin, 1981; Cormen et al., "Multithreaded Algorithms"). What one thread merges is
//! divided once more, in quarters, and it goes through them in turns: in a merge a step waits for
//! the one before it, and four that are independent take little longer than one.

use std::hint;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr;

use super::order::SortOrder;
use crate::join::join;

/// A merge with no more items than this is done by one thread.
const GRAIN: usize = 8192;

/// A merge with fewer items than this is not divided at all; four parts need more items than that.
const SHORT: usize = 64;

/// Two runs, and the place that their items move to.
///
/// When it is dropped, all items are in that place, merged or not.
pub(super) struct Merge<'a, T> {
    left: *const T,
    left_end: *const T,
    right: *const T,
    right_end: *const T,
    /// Has room for what is left of both runs, and overlaps neither.
    dest: *mut T,
    items: PhantomData<&'a mut [T]>,
}

// SAFETY: it owns the items of its runs, and its place.
unsafe impl<T: Send> Send for Merge<'_, T> {}

impl<T: Send> Merge<'_, T> {
    /// The merge of the `left` items at `source` with the `right` items after them.
    ///
    /// # Safety
    ///
    /// As long as it lives, it has all rights to the items at `source`, and to as many places at
    /// `dest`; the two do not overlap. Items are not of size 0. After it, the items are at `dest`,
    /// and those at `source` are not used.
    pub(super) unsafe fn new(source: *const T, left: usize, right: usize, dest: *mut T) -> Self {
        // SAFETY: within the items, as the caller says.
        let middle = unsafe { source.add(left) };
        Merge {
            left: source,
            left_end: middle,
            right: middle,
            // SAFETY: as above.
            right_end: unsafe { middle.add(right) },
            dest,
            items: PhantomData,
        }
    }

    /// Merges.
    pub(super) fn run<O: SortOrder<T>>(self, order: &O) {
        if self.left_len() + self.right_len() > GRAIN {
            let (before, after) = self.split(order);
            join(move || before.run(order), move || after.run(order));
        } else {
            self.run_here(order);
        }
    }

    /// Merges without help.
    fn run_here<O: SortOrder<T>>(self, order: &O) {
        if self.is_trivial(order) {
            return;
        }
        if self.left_len() + self.right_len() < SHORT {
            return self.finish(order);
        }
        let (before, after) = self.split(order);
        let (mut a, mut b) = before.split(order);
        let (mut c, mut d) = after.split(order);
        loop {
            let steps = a.certain_steps().min(b.certain_steps());
            let steps = steps.min(c.certain_steps()).min(d.certain_steps());
            if steps == 0 {
                break;
            }
            for _ in 0..steps {
                // SAFETY: no run of any of them can be used up by fewer steps.
                unsafe { a.step(order) };
                // SAFETY: as above.
                unsafe { b.step(order) };
                // SAFETY: as above.
                unsafe { c.step(order) };
                // SAFETY: as above.
                unsafe { d.step(order) };
            }
        }
        a.finish(order);
        b.finish(order);
        c.finish(order);
        d.finish(order);
    }

    /// Whether the drop does it all: no item has to come before one of the left run.
    fn is_trivial<O: SortOrder<T>>(&self, order: &O) -> bool {
        if self.left_len() == 0 || self.right_len() == 0 {
            return true;
        }
        // SAFETY: the run is not empty.
        let last = unsafe { &*self.left_end.sub(1) };
        // SAFETY: neither is this.
        let first = unsafe { &*self.right };
        !order.is_less(first, last)
    }

    /// Merges item by item, until one run is used up.
    fn finish<O: SortOrder<T>>(mut self, order: &O) {
        loop {
            let steps = self.certain_steps();
            if steps == 0 {
                break;
            }
            for _ in 0..steps {
                // SAFETY: neither run can be used up by fewer steps.
                unsafe { self.step(order) };
            }
        }
    }

    /// Divides it into two merges, neither of which is empty.
    ///
    /// Needs two items.
    fn split<O: SortOrder<T>>(self, order: &O) -> (Self, Self) {
        // SAFETY: the pointers enclose a run that this owns.
        let left = unsafe { std::slice::from_raw_parts(self.left, self.left_len()) };
        // SAFETY: as above.
        let right = unsafe { std::slice::from_raw_parts(self.right, self.right_len()) };
        // What equals an item of the left run comes after it, if it is of the right run, and vice
        // versa.
        let (from_left, from_right) = if left.len() >= right.len() {
            let middle = left.len() / 2;
            let pivot = &left[middle];
            (
                middle,
                right.partition_point(|item| order.is_less(item, pivot)),
            )
        } else {
            let middle = right.len() / 2;
            let pivot = &right[middle];
            (
                left.partition_point(|item| !order.is_less(pivot, item)),
                middle,
            )
        };
        // No comparison from here on: the items of `self` belong to the two.
        let whole = ManuallyDrop::new(self);
        // SAFETY: at most the length of the run.
        let left_middle = unsafe { whole.left.add(from_left) };
        // SAFETY: as above.
        let right_middle = unsafe { whole.right.add(from_right) };
        let before = Merge {
            left_end: left_middle,
            right_end: right_middle,
            items: PhantomData,
            ..*whole
        };
        let after = Merge {
            left: left_middle,
            right: right_middle,
            // SAFETY: the place has room for both runs.
            dest: unsafe { whole.dest.add(from_left + from_right) },
            items: PhantomData,
            ..*whole
        };
        (before, after)
    }

    /// Moves the item that comes first.
    ///
    /// # Safety
    ///
    /// Neither run is empty.
    #[inline(always)]
    unsafe fn step<O: SortOrder<T>>(&mut self, order: &O) {
        // SAFETY: the runs are not empty.
        let (left, right) = unsafe { (&*self.left, &*self.right) };
        let is_right = order.is_less(right, left);
        // As a jump it would be mispredicted half of the time.
        let item = hint::select_unpredictable(is_right, self.right, self.left);
        // SAFETY: there is room for all that is left, which does not overlap it.
        unsafe { ptr::copy_nonoverlapping(item, self.dest, 1) };
        // SAFETY: the run is not empty, if it is this one.
        self.right = unsafe { self.right.add(usize::from(is_right)) };
        // SAFETY: as above.
        self.left = unsafe { self.left.add(usize::from(!is_right)) };
        // SAFETY: there was room for this item.
        self.dest = unsafe { self.dest.add(1) };
    }
}

impl<T> Merge<'_, T> {
    #[inline(always)]
    fn left_len(&self) -> usize {
        // SAFETY: both are of the same run, in this order; items have a size.
        unsafe { self.left_end.offset_from_unsigned(self.left) }
    }

    #[inline(always)]
    fn right_len(&self) -> usize {
        // SAFETY: as above.
        unsafe { self.right_end.offset_from_unsigned(self.right) }
    }

    /// This many steps are possible, whichever run they take from.
    #[inline(always)]
    fn certain_steps(&self) -> usize {
        self.left_len().min(self.right_len())
    }
}

impl<T> Drop for Merge<'_, T> {
    /// Moves what is left of both runs.
    fn drop(&mut self) {
        let (left, right) = (self.left_len(), self.right_len());
        // SAFETY: there is room for what is left, which does not overlap it.
        unsafe { ptr::copy_nonoverlapping(self.left, self.dest, left) };
        // SAFETY: as above; the room behind the items of the left run.
        let dest = unsafe { self.dest.add(left) };
        // SAFETY: as above.
        unsafe { ptr::copy_nonoverlapping(self.right, dest, right) };
    }
}
