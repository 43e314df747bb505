//! A run of slots for messages, and the link to the next one.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::mem::{MaybeUninit, needs_drop, offset_of};
use std::ptr;

use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::sync::{CheckedCell, planted};

/// Bytes of messages in a block, about: a page for a block and what is around it.
const BYTES: usize = 2048;
/// At most this many messages in a block.
const MOST: usize = if cfg!(drumline_loom) { 2 } else { 64 };
/// Also in a channel that holds fewer: each block costs both sides a swap.
const LEAST: usize = if cfg!(drumline_loom) { 1 } else { 8 };

/// Bytes of the slots of a first block, about: the rest of a line of memory.
const FIRST_BYTES: usize = 40;
/// At most, and at least, this many messages in a first block.
const FIRST_MOST: usize = if cfg!(drumline_loom) { 1 } else { 8 };
const FIRST_LEAST: usize = if cfg!(drumline_loom) { 1 } else { 2 };

/// Slots that are filled in their order, and emptied in their order. They lie behind it in memory.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Block<T> {
    next: AtomicPtr<Block<T>>,
    /// How many messages of the lane came before those in the next block.
    left_at: AtomicUsize,
    slots: [Slot<T>; 0],
}

pub(super) type Slot<T> = CheckedCell<MaybeUninit<T>>;

/// Memory for a value, and for slots behind it.
///
/// # Safety
///
/// The layout has a size.
pub(super) unsafe fn memory<T>(layout: Layout) -> *mut T {
    // SAFETY: the caller's obligation.
    let memory = unsafe { alloc(layout) };
    if memory.is_null() {
        handle_alloc_error(layout);
    }
    memory.cast()
}

impl<T> Block<T> {
    /// A block without slots.
    pub(super) fn new() -> Self {
        Block {
            next: AtomicPtr::new(ptr::null_mut()),
            left_at: AtomicUsize::new(0),
            slots: [],
        }
    }

    /// How many messages lie in one block of a channel that holds at most `capacity`.
    pub(super) fn len_for(capacity: usize) -> u16 {
        let fit = BYTES / size_of::<T>().max(1);
        let len = fit.clamp(1, MOST).min(capacity.max(LEAST));
        u16::try_from(len).expect("a block has few slots")
    }

    /// How many messages lie in the first block.
    pub(super) fn first_len_for(capacity: usize) -> u16 {
        let fit = FIRST_BYTES / size_of::<T>().max(1);
        let len = fit.clamp(FIRST_LEAST, FIRST_MOST);
        let len = u16::try_from(len).expect("a block has few slots");
        len.min(Self::len_for(capacity))
    }

    /// What a block with these slots takes.
    fn layout(len: u16) -> Layout {
        let slots = Layout::array::<Slot<T>>(usize::from(len)).expect("it has few slots");
        let block = Layout::new::<Self>().extend(slots);
        let (block, offset) = block.expect("it has few slots");
        debug_assert_eq!(offset, offset_of!(Self, slots));
        block
    }

    /// A block without messages, to be freed by [`free`](Self::free).
    pub(super) fn allocate(len: u16) -> *mut Self {
        // SAFETY: the layout has a size: that of the link at least.
        let block = unsafe { memory::<Self>(Self::layout(len)) };
        // SAFETY: the memory is as large as it has to be, and no other code has it.
        unsafe {
            block.write(Block::new());
            Self::make_slots(block, len);
        }
        block
    }

    /// # Safety
    ///
    /// The block comes from [`allocate`](Self::allocate) with this length, and nothing uses it any
    /// more. Messages that lie in it are not dropped.
    pub(super) unsafe fn free(block: *mut Self, len: u16) {
        // SAFETY: the caller's obligation.
        unsafe {
            Self::drop_slots(block, len);
            block.drop_in_place();
            dealloc(block.cast(), Self::layout(len));
        }
    }

    /// Makes the slots of a block.
    ///
    /// # Safety
    ///
    /// There is memory for them behind the block, and only this call uses it.
    pub(super) unsafe fn make_slots(block: *mut Self, len: u16) {
        for slot in 0..len {
            // SAFETY: the caller's obligation.
            unsafe { Self::slot(block, slot).write(CheckedCell::new(MaybeUninit::uninit())) };
        }
    }

    /// # Safety
    ///
    /// The slots were made, and nothing uses them any more.
    pub(super) unsafe fn drop_slots(block: *mut Self, len: u16) {
        // The cells of models have something to drop.
        if needs_drop::<Slot<T>>() {
            for slot in 0..len {
                // SAFETY: the caller's obligation.
                unsafe { Self::slot(block, slot).drop_in_place() };
            }
        }
    }

    /// # Safety
    ///
    /// The block is there, and has this slot.
    #[inline(always)]
    pub(super) unsafe fn slot(block: *mut Self, slot: u16) -> *mut Slot<T> {
        // By way of the address of the block: a reference to the block does not reach the slots.
        // SAFETY: the caller's obligation.
        unsafe {
            (&raw mut (*block).slots)
                .cast::<Slot<T>>()
                .add(usize::from(slot))
        }
    }

    /// The block after this one, of a reader that has taken `head` messages, up to the last slot
    /// of this one. `None`: the writer has come back to the first slot of this block.
    pub(super) fn next_at(&self, head: usize) -> Option<*mut Self> {
        // Acquire pairs with the Release in `link`.
        let next = self.next.load(Ordering::Acquire);
        if next.is_null() {
            return None;
        }
        // Relaxed: written before the link.
        let is_here = self.left_at.load(Ordering::Relaxed) == head;
        (is_here || planted!(LaneGoesOnEarly)).then_some(next)
    }

    /// The block after this one, for the last owner of the lane; null: there is none.
    pub(super) fn next(&self) -> *mut Self {
        // Relaxed: no other thread uses the lane.
        self.next.load(Ordering::Relaxed)
    }

    /// Says which block has the messages after these first ones.
    pub(super) fn link(&self, next: *mut Self, left_at: usize) {
        // Relaxed: published by the link.
        self.left_at.store(left_at, Ordering::Relaxed);
        // Release pairs with the Acquire in `next_at`.
        self.next.store(next, Ordering::Release);
    }

    /// The block is in no chain any more.
    pub(super) fn unlink(&self) {
        // Relaxed: published when it is handed over.
        self.next.store(ptr::null_mut(), Ordering::Relaxed);
    }

    /// # Safety
    ///
    /// The block has this slot, which is empty, and the caller alone may use it.
    #[inline(always)]
    pub(super) unsafe fn write(block: *mut Self, slot: u16, message: T) {
        // SAFETY: the caller's obligation.
        unsafe { (*Self::slot(block, slot)).with_mut(|place| (*place).write(message)) };
    }

    /// # Safety
    ///
    /// The block has this slot, there is a message in it, the caller alone may use it, and it is
    /// empty afterwards.
    #[inline(always)]
    pub(super) unsafe fn read(block: *mut Self, slot: u16) -> T {
        // SAFETY: the caller's obligation.
        unsafe { (*Self::slot(block, slot)).with_mut(|place| (*place).assume_init_read()) }
    }

    /// Moves the messages of `count` slots in a row to an address.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read), for each of these slots; there is memory for the messages.
    #[inline]
    pub(super) unsafe fn read_row(block: *mut Self, first: u16, count: u16, to: *mut T) {
        #[cfg(not(drumline_loom))]
        // SAFETY: the caller's obligation. A cell lies in memory as its message does.
        unsafe {
            let row = Self::slot(block, first);
            ptr::copy_nonoverlapping(row.cast::<T>(), to, usize::from(count));
        }
        #[cfg(drumline_loom)]
        for place in 0..count {
            // SAFETY: the caller's obligation.
            unsafe {
                to.add(usize::from(place))
                    .write(Self::read(block, first + place))
            };
        }
    }
}
