//! A run of slots for messages that several threads write, and the link to the next one.

use std::mem::MaybeUninit;
use std::ptr;

use crate::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use crate::sync::{CheckedCell, planted};

/// Bytes of a segment, about.
const BYTES: usize = 2048;
/// A lap has no more places than this.
const MOST: usize = 64;
/// And no fewer, unless messages are large.
const LEAST: usize = if cfg!(drumline_loom) { 2 } else { 8 };

/// Slots, each of which is written and read once in each use of the segment.
#[derive(Debug)]
pub(super) struct Segment<T> {
    next: AtomicPtr<Segment<T>>,
    slots: Box<[StampedSlot<T>]>,
}

#[derive(Debug)]
struct StampedSlot<T> {
    stamp: AtomicU64,
    message: CheckedCell<MaybeUninit<T>>,
}

impl<T> Segment<T> {
    /// Places in a lap: the slots, and the gap. A power of two.
    pub(super) const LAP: u64 = {
        let slot = size_of::<T>() + size_of::<u64>();
        let fit = BYTES / slot;
        let least = if slot <= BYTES / 2 { LEAST } else { 2 };
        let places = if cfg!(drumline_loom) || fit < least {
            least
        } else if fit > MOST {
            MOST
        } else {
            1 << fit.ilog2()
        };
        places as u64
    };
    pub(super) const SLOTS: u64 = Self::LAP - 1;

    /// A segment without messages, to be freed by [`free`](Self::free).
    pub(super) fn allocate() -> *mut Self {
        let slots = (0..Self::SLOTS).map(|_| StampedSlot {
            stamp: AtomicU64::new(0),
            message: CheckedCell::new(MaybeUninit::uninit()),
        });
        Box::into_raw(Box::new(Segment {
            next: AtomicPtr::new(ptr::null_mut()),
            slots: slots.collect(),
        }))
    }

    /// # Safety
    ///
    /// The segment comes from [`allocate`](Self::allocate), and nothing uses it any more. Messages
    /// that lie in it are not dropped.
    pub(super) unsafe fn free(segment: *mut Self) {
        // SAFETY: the caller's obligation.
        drop(unsafe { Box::from_raw(segment) });
    }

    /// How many messages have been claimed before this index.
    #[inline]
    pub(super) fn number(index: u64) -> u64 {
        index - index / Self::LAP
    }

    /// The stamp of the message at this index.
    #[inline]
    fn stamp(index: u64) -> u64 {
        Self::number(index) + 1
    }

    /// Writes a message.
    ///
    /// # Safety
    ///
    /// The calling thread has claimed this index, which is of this segment, and writes there once.
    #[inline]
    pub(super) unsafe fn write(&self, index: u64, message: T) {
        let slot = &self.slots[(index % Self::LAP) as usize];
        let stamp = Self::stamp(index);
        if planted!(StampFirst) {
            slot.stamp.store(stamp, Ordering::Release);
        }
        // SAFETY: no other thread uses the slot between the claim and the stamp.
        slot.message
            .with_mut(|place| unsafe { (*place).write(message) });
        // Release pairs with the Acquire in `read`.
        slot.stamp.store(stamp, Ordering::Release);
    }

    /// Takes the message at this index out of its slot. `None`: it is not written yet.
    ///
    /// # Safety
    ///
    /// The calling thread alone reads, and this index, which is of this segment, once it is written
    /// only once.
    #[inline]
    pub(super) unsafe fn read(&self, index: u64) -> Option<T> {
        let slot = &self.slots[(index % Self::LAP) as usize];
        // Acquire pairs with the Release in `write`.
        if slot.stamp.load(Ordering::Acquire) != Self::stamp(index) {
            return None;
        }
        // SAFETY: it was written, and is read once.
        let read = |place: *mut MaybeUninit<T>| unsafe { (*place).assume_init_read() };
        Some(slot.message.with_mut(read))
    }

    /// The segment after this one.
    pub(super) fn next(&self) -> *mut Self {
        // Acquire pairs with the Release in `link`.
        self.next.load(Ordering::Acquire)
    }

    /// Says which segment comes after this one.
    pub(super) fn link(&self, next: *mut Self) {
        self.next.store(next, Ordering::Release);
    }
}
