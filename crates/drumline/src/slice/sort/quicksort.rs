//! A quicksort in place.

use super::SEQUENTIAL;
use super::order::Order;
use crate::join::join;

/// Sorts; for so many threads.
pub(super) fn sort<T, O>(items: &mut [T], order: &O, jobs: usize)
where
    T: Send,
    O: Order<T>,
{
    let leaf = (items.len() / (jobs * 8)).max(SEQUENTIAL / 2);
    sort_parts(items, order, leaf, items.len().ilog2());
}

/// Sorts; parts of up to `leaf` items are left to the standard library, and so is what is left after
/// `bad` partitions that brought little.
fn sort_parts<T, O>(items: &mut [T], order: &O, leaf: usize, mut bad: u32)
where
    T: Send,
    O: Order<T>,
{
    if items.len() <= leaf || bad == 0 {
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
        || sort_parts(left, order, leaf, bad),
        || sort_parts(right, order, leaf, bad),
    );
}

/// Moves the median of a sample to the front.
fn choose_pivot<T, O>(items: &mut [T], order: &O)
where
    O: Order<T>,
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
    if size_of::<T>() <= 2 * size_of::<usize>() {
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
