//! The values of a [`WorkerLocal`](super): a table that only grows, and is read
//! without a lock.

use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;

use crate::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use crate::sync::planted;

/// The first chunk has this many slots, each further one twice as many.
#[cfg(not(any(drumline_loom, miri)))]
const FIRST: usize = 8;
#[cfg(any(drumline_loom, miri))]
const FIRST: usize = 2;

const CHUNKS: usize = 28;

/// Chunk and offset of an index.
#[inline]
fn locate(index: usize) -> (usize, usize) {
    let n = index / FIRST + 1;
    let chunk = (usize::BITS - 1 - n.leading_zeros()) as usize;
    (chunk, index - FIRST * ((1 << chunk) - 1))
}

fn chunk_len(chunk: usize) -> usize {
    FIRST << chunk
}

/// The value with one index, once it is made.
struct ValueCell<T> {
    /// Whether the value is there. Set once, until the slot is emptied or
    /// dropped by its owner.
    full: AtomicBool,
    value: UnsafeCell<MaybeUninit<T>>,
}

impl<T> ValueCell<T> {
    fn empty() -> Self {
        ValueCell {
            full: AtomicBool::new(false),
            value: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    #[inline]
    fn get(&self) -> Option<&T> {
        // Acquire pairs with the Release in `fill`.
        if !self.full.load(Ordering::Acquire) {
            return None;
        }
        // SAFETY: nothing writes to the cell after `full` was set, except
        // through `&mut self`.
        let value = unsafe { &*self.value.get() };
        // SAFETY: `full` says that it is there.
        Some(unsafe { value.assume_init_ref() })
    }

    fn get_mut(&mut self) -> Option<&mut T> {
        self.get()?;
        // SAFETY: it is there, as `get` has found.
        Some(unsafe { self.value.get_mut().assume_init_mut() })
    }

    /// Writes the value.
    ///
    /// # Safety
    ///
    /// The slot is empty, and no other thread writes to it.
    unsafe fn fill(&self, value: T) {
        // SAFETY: the slot is empty, so no reference to the value exists; the caller says that
        // there is no other writer.
        unsafe { (*self.value.get()).write(value) };
        let order = if planted!(SlotFullRelaxed) {
            Ordering::Relaxed
        } else {
            // Release pairs with the Acquire in `get`.
            Ordering::Release
        };
        self.full.store(true, order);
    }

    /// Takes the value out.
    fn take(&mut self) -> Option<T> {
        self.get()?;
        // Relaxed: the slot is exclusively the caller's.
        self.full.store(false, Ordering::Relaxed);
        // SAFETY: it is there, and `full` says now that it is not.
        Some(unsafe { self.value.get_mut().assume_init_read() })
    }
}

impl<T> Drop for ValueCell<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

/// Values by index; one stays at its address until the table is dropped.
pub(super) struct Table<T> {
    chunks: [AtomicPtr<ValueCell<T>>; CHUNKS],
    values: PhantomData<T>,
}

// SAFETY: through a shared table a thread gets at the value of an index that it
// holds (`get_or_make`), which no other thread does at that time; the value goes
// from one holder to the next, and so is `Send`. `values` asks for `Sync`.
unsafe impl<T: Send> Sync for Table<T> {}

impl<T> Table<T> {
    #[cfg(not(drumline_loom))]
    pub(super) const fn new() -> Self {
        Table {
            chunks: [const { AtomicPtr::new(ptr::null_mut()) }; CHUNKS],
            values: PhantomData,
        }
    }

    #[cfg(drumline_loom)]
    pub(super) fn new() -> Self {
        Table {
            chunks: std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())),
            values: PhantomData,
        }
    }

    /// The value with this index; `make` makes it if there is none.
    ///
    /// `make` may come back here, on this thread. Then the value that was
    /// written first stays.
    ///
    /// # Safety
    ///
    /// The calling thread holds the index for as long as it uses the value,
    /// and what the last holder did happened before.
    #[inline]
    pub(super) unsafe fn get_or_make(&self, index: usize, make: impl FnOnce() -> T) -> &T {
        let slot = self.slot(index);
        match slot.get() {
            Some(value) => value,
            // SAFETY: the caller's obligation.
            None => unsafe { Self::make(slot, make) },
        }
    }

    /// # Safety
    ///
    /// The calling thread holds the index of the slot.
    #[cold]
    unsafe fn make(slot: &ValueCell<T>, make: impl FnOnce() -> T) -> &T {
        let value = make();
        if slot.get().is_none() {
            // SAFETY: empty; other threads do not hold the index, and so do
            // not write.
            unsafe { slot.fill(value) };
        }
        slot.get().expect("filled just now, or by `make`")
    }

    #[inline]
    fn slot(&self, index: usize) -> &ValueCell<T> {
        let (chunk, offset) = locate(index);
        // Acquire pairs with the Release in `grow`.
        let mut slots = self.chunks[chunk].load(Ordering::Acquire);
        if slots.is_null() {
            slots = self.grow(chunk);
        }
        // SAFETY: a chunk has room for the offsets that `locate` returns for
        // it, and is freed in `drop` only.
        unsafe { &*slots.add(offset) }
    }

    /// Makes a chunk, unless another thread is faster. Returns its slots.
    #[cold]
    fn grow(&self, chunk: usize) -> *mut ValueCell<T> {
        let fresh: Box<[ValueCell<T>]> =
            (0..chunk_len(chunk)).map(|_| ValueCell::empty()).collect();
        let fresh = Box::into_raw(fresh);
        let slots = fresh.cast::<ValueCell<T>>();
        let entry = &self.chunks[chunk];
        if planted!(ChunkReplaced) {
            entry.store(slots, Ordering::Release);
            return slots;
        }
        // Release publishes the empty slots to the Acquire in `slot` and
        // `chunks`; Acquire receives those of the thread that was faster.
        let order = if planted!(ChunkRelaxed) {
            Ordering::Relaxed
        } else {
            Ordering::AcqRel
        };
        match entry.compare_exchange(ptr::null_mut(), slots, order, Ordering::Acquire) {
            Ok(_) => slots,
            Err(faster) => {
                // SAFETY: leaked above, and not published.
                drop(unsafe { Box::from_raw(fresh) });
                faster
            }
        }
    }

    /// The slots of each chunk that there is.
    fn chunks(&self) -> impl Iterator<Item = *mut [ValueCell<T>]> {
        self.chunks.iter().enumerate().filter_map(|(chunk, entry)| {
            // Acquire pairs with the Release in `grow`.
            let slots = entry.load(Ordering::Acquire);
            let slots = ptr::slice_from_raw_parts_mut(slots, chunk_len(chunk));
            (!slots.cast::<ValueCell<T>>().is_null()).then_some(slots)
        })
    }

    /// The values that have been made so far, in the order of their indices.
    pub(super) fn values(&self) -> impl Iterator<Item = &T>
    where
        T: Sync,
    {
        self.chunks().flat_map(|slots| {
            // SAFETY: freed in `drop` only, and shared until then.
            let slots = unsafe { &*slots };
            slots.iter().filter_map(ValueCell::get)
        })
    }

    /// The same, for a table that is the caller's.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots_mut().filter_map(ValueCell::get_mut)
    }

    /// Takes all values out.
    pub(super) fn take_values(&mut self) -> Vec<T> {
        self.slots_mut().filter_map(ValueCell::take).collect()
    }

    fn slots_mut(&mut self) -> impl Iterator<Item = &mut ValueCell<T>> {
        self.chunks().flat_map(|slots| {
            // SAFETY: freed in `drop` only; the table is exclusively the
            // caller's, and each chunk comes once.
            unsafe { &mut *slots }
        })
    }
}

impl<T> Drop for Table<T> {
    fn drop(&mut self) {
        for slots in self.chunks() {
            // SAFETY: leaked by `grow` with this length, and freed once, here.
            drop(unsafe { Box::from_raw(slots) });
        }
    }
}

impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("chunks", &self.chunks().count())
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_a_slot_of_its_own() {
        let mut next = (0, 0);
        for index in 0..1_000 {
            let place = locate(index);
            assert_eq!(place, next, "of {index}");
            next = if place.1 + 1 == chunk_len(place.0) {
                (place.0 + 1, 0)
            } else {
                (place.0, place.1 + 1)
            };
        }
    }

    #[test]
    fn miri_values_stay_where_they_are() {
        let mut table = Table::new();
        let mut places = Vec::new();
        for index in [0, 1, 7, 40, 3] {
            // SAFETY: no other thread knows the table.
            let value: &String = unsafe { table.get_or_make(index, || index.to_string()) };
            places.push((index, ptr::from_ref(value)));
        }
        for &(index, place) in &places {
            // SAFETY: as above.
            let value = unsafe { table.get_or_make(index, || unreachable!("it is made")) };
            assert_eq!(ptr::from_ref(value), place);
            assert_eq!(*value, index.to_string());
        }
        table.values_mut().for_each(|value| value.push('!'));
        assert!(table.values().eq(["0!", "1!", "3!", "7!", "40!"]));
        assert_eq!(table.take_values().len(), 5);
        assert_eq!(table.values().count(), 0);
    }
}
