//! A run of slots for messages that several threads write, and the link to the next one.

use std::alloc::{self, Layout};
use std::mem::MaybeUninit;
use std::ptr;

use crate::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use crate::sync::{CheckedCell, planted};

/// Bytes of a segment, about.
const BYTES: usize = 2048;
/// Bytes of a line of memory.
const LINE: usize = 64;
/// A lap has no more places than this.
const MOST: usize = 64;
/// And no fewer, unless messages are large.
const LEAST: usize = if cfg!(drumline_loom) { 2 } else { 8 };

/// Slots, each of which is written and read once in each use of the segment. This is what comes
/// before them in memory.
#[derive(Debug)]
pub(super) struct Segment<T> {
    next: AtomicPtr<Segment<T>>,
}

/// A message, and one more than the index that it has or had.
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

    /// How many slots there are in a line of memory, or one.
    const AHEAD: u64 = {
        let slots = LINE / size_of::<StampedSlot<T>>();
        if slots == 0 { 1 } else { slots as u64 }
    };

    /// Where the slots begin, and how all of it lies in memory.
    const LAYOUT: (Layout, usize) = {
        let Ok(slots) = Layout::array::<StampedSlot<T>>(Self::SLOTS as usize) else {
            panic!("a segment is larger than memory")
        };
        let Ok((whole, offset)) = Layout::new::<Self>().extend(slots) else {
            panic!("a segment is larger than memory")
        };
        (whole.pad_to_align(), offset)
    };

    /// A segment without messages, to be freed by [`free`](Self::free).
    pub(super) fn allocate() -> *mut Self {
        let (layout, _) = Self::LAYOUT;
        // SAFETY: there is a pointer in it, so it is not empty.
        let segment = unsafe { alloc::alloc(layout) }.cast::<Self>();
        if segment.is_null() {
            alloc::handle_alloc_error(layout);
        }
        // SAFETY: just allocated, for this.
        unsafe {
            segment.write(Segment {
                next: AtomicPtr::new(ptr::null_mut()),
            });
        }
        for index in 0..Self::SLOTS {
            // SAFETY: as above, and there is a slot for each index of the first lap.
            unsafe {
                Self::slot(segment, index).write(StampedSlot {
                    stamp: AtomicU64::new(0),
                    message: CheckedCell::new(MaybeUninit::uninit()),
                });
            }
        }
        segment
    }

    /// # Safety
    ///
    /// The segment comes from [`allocate`](Self::allocate), and nothing uses it any more. Messages
    /// that lie in it are not dropped.
    pub(super) unsafe fn free(segment: *mut Self) {
        for index in 0..Self::SLOTS {
            // SAFETY: the caller's obligation; each slot was made.
            unsafe { ptr::drop_in_place(Self::slot(segment, index)) };
        }
        // SAFETY: the caller's obligation.
        unsafe {
            ptr::drop_in_place(segment);
            alloc::dealloc(segment.cast(), Self::LAYOUT.0);
        }
    }

    /// The slot of this index, which is not in the gap.
    ///
    /// # Safety
    ///
    /// The segment is allocated.
    #[inline]
    unsafe fn slot(segment: *mut Self, index: u64) -> *mut StampedSlot<T> {
        let place = (index % Self::LAP) as usize;
        debug_assert!(place < Self::SLOTS as usize, "no index is in the gap");
        // SAFETY: the caller's obligation; there is a slot for each place but the gap.
        unsafe {
            segment
                .byte_add(Self::LAYOUT.1)
                .cast::<StampedSlot<T>>()
                .add(place)
        }
    }

    /// The address of a slot in the next line of memory. `None`: it is in another segment.
    ///
    /// # Safety
    ///
    /// The segment is allocated.
    #[inline(always)]
    pub(super) unsafe fn slot_ahead(segment: *mut Self, index: u64) -> Option<*mut u8> {
        let ahead = index % Self::LAP + Self::AHEAD;
        // SAFETY: the caller's obligation.
        (ahead < Self::SLOTS).then(|| unsafe { Self::slot(segment, ahead).cast() })
    }

    /// How many messages have been claimed before this index.
    #[inline]
    pub(super) fn number(index: u64) -> u64 {
        index - index / Self::LAP
    }

    /// Writes a message.
    ///
    /// # Safety
    ///
    /// The calling thread has claimed this index, which is of this segment, and writes there once.
    #[inline]
    pub(super) unsafe fn write(segment: *mut Self, index: u64, message: T) {
        // SAFETY: the slot is claimed and not written, so the segment is alive.
        let slot = unsafe { &*Self::slot(segment, index) };
        let stamp = index + 1;
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
    /// only once. The segment is alive.
    #[inline]
    pub(super) unsafe fn read(segment: *mut Self, index: u64) -> Option<T> {
        // SAFETY: the caller's obligation.
        let slot = unsafe { &*Self::slot(segment, index) };
        // Acquire pairs with the Release in `write`.
        if slot.stamp.load(Ordering::Acquire) != index + 1 {
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
