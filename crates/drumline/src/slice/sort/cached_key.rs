//! Sorting by keys that are made once.

use std::marker::PhantomData;
use std::mem::{self, MaybeUninit};
use std::ptr;

use super::order::Natural;
use super::{is_short, unstable};
use crate::join::{jobs, join};

/// Up to this many keys are made, and this many items moved, without a fork.
const GRAIN: usize = 16;

/// Up to this many items are moved without a fork, if they are neighbours.
const BLOCK: usize = 8192;

/// Sorts by what `key` makes of each item, and keeps items with equal keys in order.
pub(crate) fn sort_by_cached_key<T, K, F>(items: &mut [T], key: F)
where
    T: Send,
    K: Ord + Send,
    F: Fn(&T) -> K + Sync,
{
    if is_short(items) || jobs() == 1 {
        return items.sort_by_cached_key(key);
    }
    // Short indices make short pairs.
    if u32::try_from(items.len()).is_ok() {
        sort_pairs(items, &key, |index| index as u32, |index| index as usize);
    } else {
        sort_pairs(items, &key, |index| index, |index| index);
    }
}

/// Sorts the keys, each with the index of its item, and moves the items to where the indices are
/// then.
fn sort_pairs<T, K, F, I>(
    items: &mut [T],
    key: &F,
    shorten: fn(usize) -> I,
    lengthen: fn(I) -> usize,
) where
    T: Send,
    K: Ord + Send,
    F: Fn(&T) -> K + Sync,
    I: Ord + Copy + Send,
{
    let len = items.len();
    let mut pairs = Vec::with_capacity(len);
    let room = &mut pairs.spare_capacity_mut()[..len];
    let made = make(room, items, 0, &|index, item: &T| {
        (key(item), shorten(index))
    });
    mem::forget(made);
    // SAFETY: all of the room was used, and what is there was not dropped.
    unsafe { pairs.set_len(len) };
    // No two pairs are equal, so this keeps the order.
    unstable(&mut pairs, &Natural);

    let mut buffer = Vec::with_capacity(len);
    let room = &mut buffer.spare_capacity_mut()[..len];
    // Sorting loses nothing, whatever the keys say, so that each index is there once.
    let source = Source(items.as_ptr());
    collect(room, &mut pairs, source, &|pair: &(K, I)| lengthen(pair.1));
    // Nothing here can panic until the items are back, in another order.
    put_back(room, items);
}

/// Values at the beginning of some room; dropped with it.
struct Made<'a, E> {
    start: *mut E,
    len: usize,
    room: PhantomData<&'a mut [E]>,
}

// SAFETY: it owns the values.
unsafe impl<E: Send> Send for Made<'_, E> {}

impl<E> Drop for Made<'_, E> {
    fn drop(&mut self) {
        let values = ptr::slice_from_raw_parts_mut(self.start, self.len);
        // SAFETY: this many values are there, and nothing else drops them.
        unsafe { ptr::drop_in_place(values) };
    }
}

/// Fills `room` with what `f` makes of the items, the first of which has the number `first`.
fn make<'a, T, E, F>(
    room: &'a mut [MaybeUninit<E>],
    items: &mut [T],
    first: usize,
    f: &F,
) -> Made<'a, E>
where
    T: Send,
    E: Send,
    F: Fn(usize, &T) -> E + Sync,
{
    if room.len() > GRAIN {
        let half = room.len() / 2;
        let (room, other_room) = room.split_at_mut(half);
        let (items, other_items) = items.split_at_mut(half);
        let (mut made, more) = join(
            move || make(room, items, first, f),
            move || make(other_room, other_items, first + half, f),
        );
        // The second begins where the first ends, which is full.
        made.len += more.len;
        mem::forget(more);
        return made;
    }
    let mut made = Made {
        start: room.as_mut_ptr().cast::<E>(),
        len: 0,
        room: PhantomData,
    };
    for (place, item) in room.iter_mut().zip(items) {
        place.write(f(first + made.len, item));
        made.len += 1;
    }
    made
}

/// Where items are moved from.
struct Source<T>(*const T);

impl<T> Clone for Source<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Source<T> {}

// SAFETY: it is used to move each item once, by one thread.
unsafe impl<T: Send> Send for Source<T> {}

/// Moves the items that `pairs` have the indices of to `room`, in this order.
fn collect<T, P, F>(room: &mut [MaybeUninit<T>], pairs: &mut [P], source: Source<T>, index: &F)
where
    T: Send,
    P: Send,
    F: Fn(&P) -> usize + Sync,
{
    if room.len() > GRAIN {
        let half = room.len() / 2;
        let (room, other_room) = room.split_at_mut(half);
        let (pairs, other_pairs) = pairs.split_at_mut(half);
        join(
            move || collect(room, pairs, source, index),
            move || collect(other_room, other_pairs, source, index),
        );
        return;
    }
    for (place, pair) in room.iter_mut().zip(pairs) {
        // SAFETY: `pairs` are made from the items, and so their indices are less than the length.
        let item = unsafe { source.0.add(index(pair)) };
        // SAFETY: the item is there; it counts as moved, though only `put_back` makes it so.
        unsafe { ptr::copy_nonoverlapping(item, place.as_mut_ptr(), 1) };
    }
}

/// Moves all that is in `room` over `items`.
fn put_back<T: Send>(room: &mut [MaybeUninit<T>], items: &mut [T]) {
    if room.len() > BLOCK {
        let half = room.len() / 2;
        let (room, other_room) = room.split_at_mut(half);
        let (items, other_items) = items.split_at_mut(half);
        join(
            move || put_back(room, items),
            move || put_back(other_room, other_items),
        );
        return;
    }
    let source = room.as_ptr().cast::<T>();
    // SAFETY: both have this length; `room` is another allocation; what it has are the items, all
    // of them, so that none is lost or doubled.
    unsafe { ptr::copy_nonoverlapping(source, items.as_mut_ptr(), items.len()) };
}
