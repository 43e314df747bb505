//! The memory of a deque's entries.

use std::fmt;
use std::ptr::NonNull;

use super::slot::Slot;

/// The slots of a deque. They cost address space, and no memory until they are used.
///
/// Raw: moving a box would claim its content for itself, and end the right of the deque's pointers
/// to be used.
pub(super) struct Slots {
    start: NonNull<Slot>,
    count: usize,
}

impl Slots {
    /// `count` empty slots, at least one.
    pub(super) fn new(count: usize) -> Self {
        Slots {
            start: memory::allocate(count),
            count,
        }
    }

    pub(super) fn start(&self) -> *mut Slot {
        self.start.as_ptr()
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        // SAFETY: allocated with this count. No thread uses a deque that is being dropped.
        unsafe { memory::free(self.start, self.count) };
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

/// A slot of zeros (null, and a word that means nothing yet) is valid.
#[cfg(not(any(drumline_loom, miri)))]
mod memory {
    use std::alloc::{Layout, handle_alloc_error};
    use std::ptr::NonNull;

    use super::Slot;
    use crate::platform::zeroed;

    fn layout(count: usize) -> Layout {
        Layout::array::<Slot>(count).expect("a deque fits the address space")
    }

    pub(super) fn allocate(count: usize) -> NonNull<Slot> {
        assert!(count > 0, "a deque has a scratch slot");
        let layout = layout(count);
        match zeroed::allocate(layout) {
            Some(memory) => memory.cast(),
            None => handle_alloc_error(layout),
        }
    }

    /// # Safety
    ///
    /// Allocated with this count, and not used again.
    pub(super) unsafe fn free(start: NonNull<Slot>, count: usize) {
        // SAFETY: the caller's obligation. A slot has nothing to drop.
        unsafe { zeroed::free(start.cast(), layout(count)) };
    }

    const _: () = assert!(!std::mem::needs_drop::<Slot>());
}

/// Loom's atomics are not valid as zeros.
#[cfg(any(drumline_loom, miri))]
mod memory {
    use std::ptr::NonNull;

    use super::Slot;

    pub(super) fn allocate(count: usize) -> NonNull<Slot> {
        let slots: Box<[Slot]> = (0..count).map(|_| Slot::empty()).collect();
        NonNull::from(Box::leak(slots)).cast()
    }

    /// # Safety
    ///
    /// Allocated with this count, and not used again.
    pub(super) unsafe fn free(start: NonNull<Slot>, count: usize) {
        let slots = NonNull::slice_from_raw_parts(start, count);
        // SAFETY: the caller's obligation: leaked with this length.
        drop(unsafe { Box::from_raw(slots.as_ptr()) });
    }
}
