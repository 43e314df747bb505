//! The seats of a pool: a table that only grows, read without a lock.

use std::ptr;

use super::seat::Seat;
use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// The first chunk has this many entries, each further one twice as many.
const FIRST: usize = 32;
const CHUNKS: usize = 24;

/// A table of seats; a seat stays at its number and address until the table
/// is dropped.
#[derive(Debug)]
pub(crate) struct SeatTable {
    chunks: [AtomicPtr<AtomicPtr<Seat>>; CHUNKS],
    len: AtomicUsize,
}

/// Chunk and offset of an index.
fn locate(index: usize) -> (usize, usize) {
    let n = index / FIRST + 1;
    let chunk = (usize::BITS - 1 - n.leading_zeros()) as usize;
    (chunk, index - FIRST * ((1 << chunk) - 1))
}

fn chunk_len(chunk: usize) -> usize {
    FIRST << chunk
}

impl SeatTable {
    pub(crate) fn new() -> Self {
        SeatTable {
            chunks: std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())),
            len: AtomicUsize::new(0),
        }
    }

    /// How many seats there are.
    pub(crate) fn len(&self) -> usize {
        // Acquire pairs with the Release in `push`.
        self.len.load(Ordering::Acquire)
    }

    /// Adds the seat that `make` returns for its number.
    ///
    /// Callers take turns (the registry holds its lock).
    pub(crate) fn push(&self, make: impl FnOnce(usize) -> Box<Seat>) -> &Seat {
        // Relaxed, here and below: callers take turns.
        let index = self.len.load(Ordering::Relaxed);
        let (chunk, offset) = locate(index);
        let mut entries = self.chunks[chunk].load(Ordering::Relaxed);
        if entries.is_null() {
            let fresh: Box<[AtomicPtr<Seat>]> = (0..chunk_len(chunk))
                .map(|_| AtomicPtr::new(ptr::null_mut()))
                .collect();
            entries = Box::into_raw(fresh).cast::<AtomicPtr<Seat>>();
            // Relaxed here and below: published by the store of `len`.
            self.chunks[chunk].store(entries, Ordering::Relaxed);
        }
        let seat = Box::into_raw(make(index));
        // SAFETY: `offset` is within the chunk.
        let entry = unsafe { &*entries.add(offset) };
        entry.store(seat, Ordering::Relaxed);
        self.len.store(index + 1, Ordering::Release);
        // SAFETY: just leaked; freed in `drop` only.
        unsafe { &*seat }
    }

    /// The seat with this number.
    pub(crate) fn get(&self, index: usize) -> &Seat {
        assert!(index < self.len(), "seat numbers come from this table");
        let (chunk, offset) = locate(index);
        // Relaxed, here and below: acquired with `len`.
        let entries = self.chunks[chunk].load(Ordering::Relaxed);
        // SAFETY: `index < len`, so the chunk exists and `offset` is within it.
        let entry = unsafe { &*entries.add(offset) };
        // SAFETY: written before `len`, freed in `drop` only.
        unsafe { &*entry.load(Ordering::Relaxed) }
    }

    /// All seats, in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Seat> {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl Drop for SeatTable {
    fn drop(&mut self) {
        let len = self.len();
        for index in 0..len {
            let (chunk, offset) = locate(index);
            // Relaxed, here and below: no other thread has the table.
            let entries = self.chunks[chunk].load(Ordering::Relaxed);
            // SAFETY: as in `get`.
            let entry = unsafe { &*entries.add(offset) };
            // SAFETY: leaked by `push`, freed once, here.
            drop(unsafe { Box::from_raw(entry.load(Ordering::Relaxed)) });
        }
        for (chunk, entries) in self.chunks.iter().enumerate() {
            // Relaxed: as above.
            let entries = entries.load(Ordering::Relaxed);
            if !entries.is_null() {
                let slice = ptr::slice_from_raw_parts_mut(entries, chunk_len(chunk));
                // SAFETY: leaked by `push` with this length.
                drop(unsafe { Box::from_raw(slice) });
            }
        }
    }
}
