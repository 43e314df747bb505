//! Collecting in place: items are written where they stay.
//!
//! The vector has room for all of them. The consumer is a [`CollectConsumer`]: a part of the
//! memory, for a number of items. What comes of it is a [`Filled`], which owns the items that it
//! has written, and drops them unless they become the vector's. So a panic leaks nothing, wherever
//! it is.

use std::marker::PhantomData;
use std::mem::{self, MaybeUninit};
use std::ptr;

use crate::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};

/// Appends to `vec` the `len` items that `drive` gives to the consumer.
///
/// # Panics
///
/// If they are not `len`. The vector holds what it has held then.
pub(crate) fn fill<T, F>(vec: &mut Vec<T>, len: usize, drive: F)
where
    T: Send,
    F: for<'v> FnOnce(CollectConsumer<'v, T>) -> Filled<'v, T>,
{
    vec.reserve(len);
    let before = vec.len();
    let spare = &mut vec.spare_capacity_mut()[..len];
    let start = spare.as_mut_ptr().cast::<T>();
    let filled = drive(CollectConsumer {
        start,
        len,
        brand: PhantomData,
    });
    let is_whole = filled.start == start && filled.written == len;
    assert!(
        is_whole,
        "a parallel iterator that has said it has {len} items gave {}",
        filled.written
    );
    // Its items are the vector's from here on.
    mem::forget(filled);
    // SAFETY: `len` items have been written from the old end on: `filled` is of this call's room,
    // as no other has its brand, it begins there, and it has counted them. There is capacity for
    // them.
    unsafe { vec.set_len(before + len) };
}

/// The owner of the memory. Invariant, so that what comes of two calls of [`fill`] cannot be mixed
/// up.
type Brand<'v, T> = PhantomData<fn(&'v mut [MaybeUninit<T>]) -> &'v mut [MaybeUninit<T>]>;

/// Memory for `len` items, which no other consumer writes to.
#[derive(Debug)]
pub(crate) struct CollectConsumer<'v, T> {
    start: *mut T,
    len: usize,
    brand: Brand<'v, T>,
}

// SAFETY: it is the only way to its memory, as a `&mut [MaybeUninit<T>]` would be. The items that
// are written into it may come to another thread, and so have to be `Send`.
unsafe impl<T: Send> Send for CollectConsumer<'_, T> {}

impl<'v, T: Send> Consumer<T> for CollectConsumer<'v, T> {
    type Folder = Filled<'v, T>;
    type Reducer = Neighbours;
    type Result = Filled<'v, T>;
    const RESUMES: bool = true;

    #[inline]
    fn split_at(self, index: usize) -> (Self, Self, Neighbours) {
        assert!(index <= self.len, "a consumer is split within its items");
        let rest = CollectConsumer {
            // In bounds: no more than `len` items from the start.
            start: self.start.wrapping_add(index),
            len: self.len - index,
            brand: PhantomData,
        };
        (CollectConsumer { len: index, ..self }, rest, Neighbours)
    }

    #[inline]
    fn into_folder(self) -> Filled<'v, T> {
        Filled {
            start: self.start,
            written: 0,
            room: self.len,
            brand: PhantomData,
        }
    }

    #[inline]
    fn full(&self) -> bool {
        false
    }

    #[inline]
    fn resume(self, mut folder: Filled<'v, T>) -> Filled<'v, T> {
        let end = folder.start.wrapping_add(folder.room);
        assert!(end == self.start, "a folder goes on with its neighbour");
        folder.room += self.len;
        folder
    }
}

impl<T: Send> UnindexedConsumer<T> for CollectConsumer<'_, T> {
    fn split_off_left(&self) -> Self {
        panic!(
            "a parallel iterator that knows how many items it has must say where it splits them"
        );
    }

    fn to_reducer(&self) -> Neighbours {
        Neighbours
    }
}

/// Joins what neighbours have written.
#[derive(Debug)]
pub(crate) struct Neighbours;

impl<'v, T> Reducer<Filled<'v, T>> for Neighbours {
    #[inline]
    fn reduce(self, mut left: Filled<'v, T>, right: Filled<'v, T>) -> Filled<'v, T> {
        // Where the left one has too few items, those of the right one are dropped: what is left is
        // too few for `fill`, too. (Items without a size have no place, and only their number
        // counts.)
        if left.start.wrapping_add(left.written) == right.start {
            left.written += right.written;
            left.room += right.room;
            mem::forget(right);
        }
        left
    }
}

/// The first `written` items from `start` on, which it owns; there is room for `room`.
#[derive(Debug)]
pub(crate) struct Filled<'v, T> {
    start: *mut T,
    written: usize,
    room: usize,
    brand: Brand<'v, T>,
}

// SAFETY: it owns its items, as a `Vec<T>` would.
unsafe impl<T: Send> Send for Filled<'_, T> {}

impl<T> Filled<'_, T> {
    /// Writes an item.
    ///
    /// # Safety
    ///
    /// There is room for it.
    #[inline(always)]
    unsafe fn write(&mut self, item: T) {
        // SAFETY: within the room, by the caller's promise.
        let place = unsafe { self.start.add(self.written) };
        // SAFETY: the room is valid memory for items, and this folder's alone.
        unsafe { place.write(item) };
        self.written += 1;
    }

    /// Writes an item, if there is room.
    #[inline(always)]
    fn push(&mut self, item: T) {
        if self.written >= self.room {
            too_many();
        }
        // SAFETY: just looked.
        unsafe { self.write(item) };
    }
}

#[cold]
#[inline(never)]
fn too_many() -> ! {
    panic!("a parallel iterator gave more items than it has said it has");
}

impl<T> Folder<T> for Filled<'_, T> {
    type Result = Self;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        self.push(item);
        self
    }

    #[inline]
    fn consume_iter<I>(mut self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        let items = iter.into_iter();
        let free = self.room - self.written;
        match items.size_hint() {
            // There is nothing to be looked at between two items then, and loops can be vectorised.
            // An iterator may be wrong about its size, but `take` is not.
            (_, Some(most)) if most <= free => items.take(free).for_each(|item| {
                // SAFETY: `take` gives no more than there is room for.
                unsafe { self.write(item) };
            }),
            _ => items.for_each(|item| self.push(item)),
        }
        self
    }

    #[inline]
    fn complete(self) -> Self {
        self
    }

    #[inline]
    fn full(&self) -> bool {
        false
    }
}

impl<T> Drop for Filled<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let items = ptr::slice_from_raw_parts_mut(self.start, self.written);
        // SAFETY: the items have been written, are this folder's, and nothing uses them after this.
        unsafe { ptr::drop_in_place(items) };
    }
}
