//! Parallel sorting.
//!
//! What is sorted sequentially is sorted by the standard library: driftsort and ipnsort (Bergdoll,
//! Peters, 2024). A slice that is short, sorted already, or in a pool with one job, is left to
//! it as a whole. For the others there are two ways:
//!
//! * stable: a [merge sort](merge_sort) that runs all its parts in parallel, the merges too;
//! * unstable: a [quicksort] in place that runs its halves in parallel.
//!
//! Integers that are equal are the same, so they are sorted in the second way in any case, unless
//! they come in runs.
//!
//! # Order and panics
//!
//! Two threads never compare the same item at once, so that items need not be `Sync`. Every
//! comparison may panic, or change what it is given, or make no sense; so an item is always in
//! exactly one place that counts, and where that is not the slice, a guard brings it back when it
//! is dropped.

mod cached_key;
mod merge;
mod merge_sort;
mod order;
mod quicksort;
mod runs;

use crate::join::jobs;

pub(super) use cached_key::sort_by_cached_key;
pub(super) use order::{By, ByKey, Natural};

use order::SortOrder;
use runs::{SEQUENTIAL, has_runs, settle_run};

/// Sorts, and keeps equal items in order.
#[inline]
pub(super) fn stable<T, O>(items: &mut [T], order: &O)
where
    T: Send,
    O: SortOrder<T>,
{
    if is_short(items) {
        return order.sort(items);
    }
    if order.is_identity() && !has_runs(items, order) {
        return unstable(items, order);
    }
    let jobs = jobs();
    if jobs == 1 {
        order.sort(items);
    } else if !settle_run(items, order) {
        merge_sort::sort(items, order, jobs);
    }
}

/// Sorts.
#[inline]
pub(super) fn unstable<T, O>(items: &mut [T], order: &O)
where
    T: Send,
    O: SortOrder<T>,
{
    if is_short(items) {
        return order.sort_unstable(items);
    }
    if jobs() == 1 {
        order.sort_unstable(items);
    } else if !settle_run(items, order) {
        quicksort::sort(items, order);
    }
}

/// Whether it makes no sense to divide the items.
#[inline]
fn is_short<T>(items: &[T]) -> bool {
    items.len() <= SEQUENTIAL || size_of::<T>() == 0
}
