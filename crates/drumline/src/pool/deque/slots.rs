//! The memory of a deque's entries.

use std::fmt;
use std::ptr::NonNull;

use super::slot::Slot;
use memory::Memory;

/// The slots of a deque. They cost address space, and no memory until they are used.
///
/// Raw: moving a box would claim its content for itself, and end the right of the deque's pointers
/// to be used.
pub(super) struct Slots {
    memory: Memory,
    count: usize,
}

impl Slots {
    /// `count` empty slots, at least one.
    pub(super) fn new(count: usize) -> Self {
        Slots {
            memory: Memory::new(count),
            count,
        }
    }

    pub(super) fn start(&self) -> *mut Slot {
        self.memory.start().as_ptr()
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

#[cfg(not(any(drumline_loom, miri)))]
mod memory {
    use std::alloc::{Layout, handle_alloc_error};

    use super::{NonNull, Slot};
    use crate::platform::zeroed::Zeroed;

    /// A slot of zeros is valid: null, and a word that means nothing yet. It has nothing to drop.
    pub(super) struct Memory(Zeroed);

    const _: () = assert!(!std::mem::needs_drop::<Slot>());

    impl Memory {
        pub(super) fn new(count: usize) -> Self {
            assert!(count > 0, "a deque has a scratch slot");
            let layout = Layout::array::<Slot>(count).expect("a deque fits the address space");
            Memory(Zeroed::new(layout).unwrap_or_else(|| handle_alloc_error(layout)))
        }

        pub(super) fn start(&self) -> NonNull<Slot> {
            self.0.start().cast()
        }
    }
}

/// Loom's atomics are not valid as zeros.
#[cfg(any(drumline_loom, miri))]
mod memory {
    use super::{NonNull, Slot};

    pub(super) struct Memory(NonNull<[Slot]>);

    impl Memory {
        pub(super) fn new(count: usize) -> Self {
            let slots: Box<[Slot]> = (0..count).map(|_| Slot::empty()).collect();
            Memory(NonNull::from(Box::leak(slots)))
        }

        pub(super) fn start(&self) -> NonNull<Slot> {
            self.0.cast()
        }
    }

    impl Drop for Memory {
        fn drop(&mut self) {
            // SAFETY: leaked by `new`. No thread uses a deque that is being dropped.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}
