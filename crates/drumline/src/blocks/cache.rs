//! Memory for messages, which a thread keeps for the next ones.
//!
//! A message takes one block of 64 bytes. An allocation for each would cost more than all else of a
//! message, so each thread keeps the blocks of messages that it has handled. In a ring or in a
//! dialogue a thread frees as many as it takes, and the allocator is not asked.
//!
//! A thread keeps at most two batches (16 KiB). What is more goes to the [depot](super::depot),
//! where other threads find it. So a thread that only sends, and one that only handles, ask the
//! allocator rarely.
//!
//! If the depot has enough, blocks go back to the allocator one by one, in the order in which their
//! messages were handled. The allocator then hands them out in an order that processors fetch ahead
//! of time. Whole batches at once would mix that order up: a receiver with a million messages in
//! its mailbox took twice as long.
//!
//! When a thread ends, its blocks go back to the allocator. After that (in destructors of other
//! thread-local state) blocks come from the allocator and go back to it at once.

use std::cell::Cell;
use std::ptr::{self, NonNull};

use super::depot::{self, BATCH, Batch};
use super::{FreeBlock, allocate, free, free_list};
use crate::sync::until_thread_ends;

/// The blocks that one thread keeps.
struct BlockCache {
    /// A list, of `len` blocks.
    first: Cell<*mut FreeBlock>,
    len: Cell<u32>,
    /// A full batch, or null.
    second: Cell<*mut FreeBlock>,
}

until_thread_ends! {
    static CACHE: BlockCache = const { BlockCache::new() };
}

impl BlockCache {
    const fn new() -> Self {
        BlockCache {
            first: Cell::new(ptr::null_mut()),
            len: Cell::new(0),
            second: Cell::new(ptr::null_mut()),
        }
    }

    #[inline]
    fn take(&self) -> Option<NonNull<u8>> {
        let block = match NonNull::new(self.first.get()) {
            Some(block) => block,
            None => self.refill()?,
        };
        // SAFETY: a block in the list begins with the address of the next one.
        self.first.set(unsafe { (*block.as_ptr()).next });
        self.len.set(self.len.get() - 1);
        Some(block.cast())
    }

    /// Makes a full batch the list. Returns its first block, which stays in the list.
    #[cold]
    fn refill(&self) -> Option<NonNull<FreeBlock>> {
        let batch = match NonNull::new(self.second.replace(ptr::null_mut())) {
            Some(batch) => batch,
            None => depot::take()?.0,
        };
        self.first.set(batch.as_ptr());
        self.len.set(BATCH);
        Some(batch)
    }

    /// `false`: there are enough.
    #[inline]
    fn keep(&self, block: NonNull<u8>) -> bool {
        if self.len.get() == BATCH && !self.set_aside() {
            return false;
        }
        let block = block.cast::<FreeBlock>();
        let free = FreeBlock {
            next: self.first.get(),
            next_batch: ptr::null_mut(),
        };
        // SAFETY: the block is large enough, aligned, and in no use.
        unsafe { block.write(free) };
        self.first.set(block.as_ptr());
        self.len.set(self.len.get() + 1);
        true
    }

    /// Makes the list, which is full, the second batch. What was the second goes to the depot.
    /// `false`: the depot does not take it, and the list is full as before.
    #[cold]
    fn set_aside(&self) -> bool {
        if let Some(second) = NonNull::new(self.second.get())
            && depot::give(Batch(second)).is_err()
        {
            return false;
        }
        self.second.set(self.first.replace(ptr::null_mut()));
        self.len.set(0);
        true
    }
}

impl Drop for BlockCache {
    fn drop(&mut self) {
        for list in [&self.first, &self.second] {
            // SAFETY: the lists are this cache's, and are gone from it.
            unsafe { free_list(list.replace(ptr::null_mut())) };
        }
        self.len.set(0);
    }
}

/// A block in no use, with anything in it.
#[inline]
pub(crate) fn take() -> NonNull<u8> {
    match CACHE.try_with(BlockCache::take) {
        Ok(Some(block)) => block,
        // Also where the thread's state is gone.
        _ => allocate(),
    }
}

/// Gives a block back.
///
/// # Safety
///
/// It comes from [`take`], on any thread, and is not used any more.
#[inline]
pub(crate) unsafe fn give(block: NonNull<u8>) {
    if !CACHE.try_with(|cache| cache.keep(block)).unwrap_or(false) {
        // SAFETY: the caller's obligation.
        unsafe { free(block) };
    }
}
