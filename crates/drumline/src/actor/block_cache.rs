//! Memory for messages, which a thread keeps for the next ones.
//!
//! A message takes one block of 64 bytes. An allocation for each would cost more than all else of a
//! message, so each thread keeps the blocks of messages that it has handled. In a ring or in a
//! dialogue a thread frees as many as it takes, and the allocator is not asked.
//!
//! A thread keeps at most [`MOST`] blocks (16 KiB). What is more goes back to the allocator, and so
//! does all of it when the thread ends. After that (in destructors of other thread-local state)
//! blocks come from the allocator and go back to it at once.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ptr::{self, NonNull};

use crate::sync::until_thread_ends;

/// The size of a block. What shuttle has for atomics is larger.
pub(super) const BLOCK_SIZE: usize = if cfg!(drumline_shuttle) { 512 } else { 64 };
/// Its alignment.
pub(super) const BLOCK_ALIGN: usize = 16;

/// A thread keeps at most this many.
const MOST: u32 = 256;

const LAYOUT: Layout = match Layout::from_size_align(BLOCK_SIZE, BLOCK_ALIGN) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two"),
};

/// A block that is in no use: the address of the next one.
struct FreeBlock {
    next: *mut FreeBlock,
}

/// The blocks that one thread keeps.
struct BlockCache {
    first: Cell<*mut FreeBlock>,
    len: Cell<u32>,
}

until_thread_ends! {
    static CACHE: BlockCache = const { BlockCache::new() };
}

impl BlockCache {
    const fn new() -> Self {
        BlockCache {
            first: Cell::new(ptr::null_mut()),
            len: Cell::new(0),
        }
    }

    #[inline]
    fn take(&self) -> Option<NonNull<u8>> {
        let block = NonNull::new(self.first.get())?;
        // SAFETY: a block in the list begins with the address of the next one.
        self.first.set(unsafe { (*block.as_ptr()).next });
        self.len.set(self.len.get() - 1);
        Some(block.cast())
    }

    /// `false`: there are enough.
    #[inline]
    fn keep(&self, block: NonNull<u8>) -> bool {
        if self.len.get() == MOST {
            return false;
        }
        let block = block.cast::<FreeBlock>();
        let next = self.first.get();
        // SAFETY: the block is large enough, aligned, and in no use.
        unsafe { block.write(FreeBlock { next }) };
        self.first.set(block.as_ptr());
        self.len.set(self.len.get() + 1);
        true
    }
}

impl Drop for BlockCache {
    fn drop(&mut self) {
        while let Some(block) = self.take() {
            // SAFETY: allocated with this layout, and in no use.
            unsafe { dealloc(block.as_ptr(), LAYOUT) };
        }
    }
}

/// A block in no use, with anything in it.
#[inline]
pub(super) fn take() -> NonNull<u8> {
    match CACHE.try_with(BlockCache::take) {
        Ok(Some(block)) => block,
        // Also where the thread's state is gone.
        _ => allocate(),
    }
}

#[cold]
fn allocate() -> NonNull<u8> {
    // SAFETY: the layout has a size.
    NonNull::new(unsafe { alloc(LAYOUT) }).unwrap_or_else(|| handle_alloc_error(LAYOUT))
}

/// Gives a block back.
///
/// # Safety
///
/// It comes from [`take`], on any thread, and is not used any more.
#[inline]
pub(super) unsafe fn give(block: NonNull<u8>) {
    if !CACHE.try_with(|cache| cache.keep(block)).unwrap_or(false) {
        // SAFETY: allocated with this layout, and in no use.
        unsafe { dealloc(block.as_ptr(), LAYOUT) };
    }
}
