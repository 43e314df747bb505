//! A quicksort in place: one thread divides the items, then both sides are sorted at the same time.
//!
//! Items that seem to be in order for the most part are divided so that they stay it, and what is
//! in order is done: see [`sort_tidy`].
//!
//! There is no unsafe code here, because it would not be faster.

use std::mem;

use super::order::SortOrder;
use super::runs::{SEQUENTIAL, has_runs, settle_run};
use crate::join::join;

/// Parts of up to this many items are left to the standard library.
const LEAF: usize = SEQUENTIAL / 2;

/// Items that are larger than this, in bytes, cost more to move than a mispredicted jump.
const LARGE: usize = 96;

/// Sorts.
pub(super) fn sort<T, O>(items: &mut [T], order: &O)
where
    T: Send,
    O: SortOrder<T>,
{
    let bad = items.len().ilog2();
    if has_runs(items, order) {
        divide_tidy(items, order, bad);
    } else {
        sort_parts(items, order, bad);
    }
}

/// Sorts; after `bad` partitions that brought little, what is left is left to the standard library,
/// which has a bound for the worst case.
fn sort_parts<T, O>(items: &mut [T], order: &O, mut bad: u32)
where
    T: Send,
    O: SortOrder<T>,
{
    if items.len() <= LEAF || bad == 0 {
        return order.sort_unstable(items);
    }
    let eighth = items.len() / 8;
    choose_pivot(items, order);
    let (pivot, rest) = items.split_first_mut().expect("more than a leaf");
    let before = partition(rest, |item| order.is_less(item, pivot));
    items.swap(0, before);
    let (left, right) = items.split_at_mut(before);
    let (pivot, mut right) = right.split_first_mut().expect("the pivot is there");
    if left.len() < eighth {
        bad -= 1;
        // Perhaps few are less because many are equal.
        let equal = partition(right, |item| !order.is_less(pivot, item));
        right = &mut right[equal..];
    } else if right.len() < eighth {
        bad -= 1;
    }
    join(
        || sort_parts(left, order, bad),
        || sort_parts(right, order, bad),
    );
}

/// As [`sort_parts`], for a part of items that were mostly in order.
fn sort_tidy<T, O>(items: &mut [T], order: &O, bad: u32)
where
    T: Send,
    O: SortOrder<T>,
{
    if items.len() <= LEAF || bad == 0 {
        order.sort_unstable(items);
    } else if !has_runs(items, order) {
        sort_parts(items, order, bad);
    } else if !settle_run(items, order) {
        divide_tidy(items, order, bad);
    }
}

/// Divides the items, moves those alone that are on the wrong side, and sorts both sides. So a few
/// items that are out of order cost little: after some divisions most parts are in order.
fn divide_tidy<T, O>(items: &mut [T], order: &O, mut bad: u32)
where
    T: Send,
    O: SortOrder<T>,
{
    let middle = partition_around(items, median(items, order), order);
    let eighth = items.len() / 8;
    let (left, right) = items.split_at_mut(middle);
    let (pivot, mut right) = right.split_first_mut().expect("the pivot is there");
    if left.len() < eighth {
        bad -= 1;
        let equal = partition_large(right, |item| !order.is_less(pivot, item));
        right = &mut right[equal..];
    } else if right.len() < eighth {
        bad -= 1;
    }
    join(
        || sort_tidy(left, order, bad),
        || sort_tidy(right, order, bad),
    );
}

/// The index of the median of a sample. Moves nothing.
fn median<T, O>(items: &[T], order: &O) -> usize
where
    O: SortOrder<T>,
{
    const COUNT: usize = 31;
    let step = items.len() / COUNT;
    let mut sample: [usize; COUNT] = std::array::from_fn(|index| index * step + step / 2);
    for end in 1..COUNT {
        let mut at = end;
        while at > 0 && order.is_less(&items[sample[at]], &items[sample[at - 1]]) {
            sample.swap(at, at - 1);
            at -= 1;
        }
    }
    sample[COUNT / 2]
}

/// Moves what is less than the item at `pivot` before it, and what is not behind it, and returns
/// where it is then. What is on its side already stays in order.
fn partition_around<T, O>(items: &mut [T], pivot: usize, order: &O) -> usize
where
    O: SortOrder<T>,
{
    let (left, rest) = items.split_at_mut(pivot);
    let (item, right) = rest.split_first_mut().expect("the pivot is one of them");
    let (mut start, mut end) = (0, right.len());
    loop {
        while start < left.len() && order.is_less(&left[start], item) {
            start += 1;
        }
        while end > 0 && !order.is_less(&right[end - 1], item) {
            end -= 1;
        }
        if start == left.len() || end == 0 {
            break;
        }
        end -= 1;
        mem::swap(&mut left[start], &mut right[end]);
        start += 1;
    }
    // One side is done. What is left of the other one goes to both sides of the pivot, which has to
    // move.
    let more = partition_large(&mut right[..end], |other| order.is_less(other, item));
    let fewer = left.len()
        - start
        - partition_large(&mut left[start..], |other| order.is_less(other, item));
    items[pivot..=pivot + more].rotate_left(1);
    items[pivot - fewer..=pivot].rotate_right(1);
    pivot + more - fewer
}

/// Moves the median of a sample to the front.
fn choose_pivot<T, O>(items: &mut [T], order: &O)
where
    O: SortOrder<T>,
{
    let count = items.len().isqrt() | 1;
    let step = items.len() / count;
    for index in 0..count {
        items.swap(index, index * step);
    }
    order.sort_unstable(&mut items[..count]);
    items.swap(0, count / 2);
}

/// Moves what `is_before` to the front, and counts it.
///
/// Nothing is out of place while `is_before` is called, so it may panic.
fn partition<T>(items: &mut [T], is_before: impl Fn(&T) -> bool) -> usize {
    if size_of::<T>() <= LARGE {
        partition_small(items, is_before)
    } else {
        partition_large(items, is_before)
    }
}

/// Lomuto's partition: moves every item, but no jump depends on one.
fn partition_small<T>(items: &mut [T], is_before: impl Fn(&T) -> bool) -> usize {
    let mut before = 0;
    for index in 0..items.len() {
        let is_before = is_before(&items[index]);
        items.swap(index, before);
        before += usize::from(is_before);
    }
    before
}

/// Hoare's partition: moves only what has to.
fn partition_large<T>(items: &mut [T], is_before: impl Fn(&T) -> bool) -> usize {
    let (mut start, mut end) = (0, items.len());
    loop {
        while start < end && is_before(&items[start]) {
            start += 1;
        }
        while start < end && !is_before(&items[end - 1]) {
            end -= 1;
        }
        if start == end {
            return start;
        }
        end -= 1;
        items.swap(start, end);
        start += 1;
    }
}
