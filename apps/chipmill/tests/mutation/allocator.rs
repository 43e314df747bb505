//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the bytes that each thread has, and the most that it has had.
pub struct Counting;

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
}

/// The most bytes that a function has had of this thread's allocator at a time.
pub fn most_of<T>(function: impl FnOnce() -> T) -> (usize, T) {
    let before = BYTES.get();
    MOST.set(before);
    let result = function();
    (MOST.get().saturating_sub(before), result)
}

// SAFETY: the system's allocator does all the work, with the arguments of the caller. The counters
// are numbers without a destructor, so counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let bytes = BYTES.get() + layout.size();
        BYTES.set(bytes);
        MOST.set(MOST.get().max(bytes));
        // SAFETY: the caller's obligation.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // A thread can free what another one has allocated.
        BYTES.set(BYTES.get().saturating_sub(layout.size()));
        // SAFETY: the caller's obligation.
        unsafe { System.dealloc(memory, layout) }
    }
}
