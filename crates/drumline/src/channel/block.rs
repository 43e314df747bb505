//! A run of slots for messages, and the link to the next one.

use std::mem::MaybeUninit;
use std::ptr;

use crate::sync::CheckedCell;
use crate::sync::atomic::{AtomicPtr, Ordering};

/// Bytes of messages in a block, about: a page for a block and what is around it.
const BYTES: usize = 2048;
/// At most this many messages in a block.
#[cfg(not(drumline_loom))]
const MOST: usize = 64;
#[cfg(drumline_loom)]
const MOST: usize = 2;
/// Also in a channel that holds fewer: each block costs both sides a swap.
const LEAST: usize = if cfg!(drumline_loom) { 1 } else { 8 };

/// Slots that are filled once, in their order, and emptied once.
#[derive(Debug)]
pub(super) struct Block<T> {
    next: AtomicPtr<Block<T>>,
    slots: Box<[Slot<T>]>,
}

type Slot<T> = CheckedCell<MaybeUninit<T>>;

impl<T> Block<T> {
    /// How many messages lie in one block of a channel that holds at most `capacity`.
    pub(super) fn len_for(capacity: usize) -> usize {
        let fit = BYTES / size_of::<T>().max(1);
        fit.clamp(1, MOST).min(capacity.max(LEAST))
    }

    /// A block without messages, to be freed by [`free`](Self::free).
    pub(super) fn allocate(len: usize) -> *mut Self {
        let slots = (0..len).map(|_| CheckedCell::new(MaybeUninit::uninit()));
        Box::into_raw(Box::new(Block {
            next: AtomicPtr::new(ptr::null_mut()),
            slots: slots.collect(),
        }))
    }

    /// # Safety
    ///
    /// The block comes from [`allocate`](Self::allocate), and nothing uses it any more. Messages
    /// that lie in it are not dropped.
    pub(super) unsafe fn free(block: *mut Self) {
        // SAFETY: the caller's obligation.
        drop(unsafe { Box::from_raw(block) });
    }

    /// The block after this one; null: there is none yet.
    pub(super) fn next(&self) -> *mut Self {
        // Acquire pairs with the Release in `link`.
        self.next.load(Ordering::Acquire)
    }

    /// Says which block comes after this one.
    pub(super) fn link(&self, next: *mut Self) {
        self.next.store(next, Ordering::Release);
    }

    /// # Safety
    ///
    /// The slot is empty, and the caller alone may use it.
    #[inline]
    pub(super) unsafe fn write(&self, slot: usize, message: T) {
        // SAFETY: the caller's obligation.
        self.slots[slot].with_mut(|place| unsafe { (*place).write(message) });
    }

    /// # Safety
    ///
    /// There is a message in the slot, the caller alone may use it, and it is empty afterwards.
    #[inline]
    pub(super) unsafe fn read(&self, slot: usize) -> T {
        // SAFETY: the caller's obligation.
        self.slots[slot].with_mut(|place| unsafe { (*place).assume_init_read() })
    }

    /// Moves the messages of `count` slots in a row to an address.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read), for each of these slots; there is memory for the messages.
    #[inline]
    pub(super) unsafe fn read_row(&self, first: usize, count: usize, to: *mut T) {
        let row = &self.slots[first..first + count];
        #[cfg(not(drumline_loom))]
        // SAFETY: the caller's obligation. A cell lies in memory as its message does.
        unsafe {
            ptr::copy_nonoverlapping(row.as_ptr().cast::<T>(), to, row.len());
        }
        #[cfg(drumline_loom)]
        for place in 0..row.len() {
            // SAFETY: the caller's obligation.
            unsafe { to.add(place).write(self.read(first + place)) };
        }
    }
}
