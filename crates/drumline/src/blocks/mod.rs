//! Memory for messages: blocks of one size, which threads keep for the next messages.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

mod cache;
mod depot;

pub(crate) use cache::{give, take};
pub(crate) use depot::trim;

/// The size of a block. What shuttle has for atomics is larger.
pub(crate) const BLOCK_SIZE: usize = if cfg!(drumline_shuttle) { 512 } else { 64 };
/// Its alignment.
pub(crate) const BLOCK_ALIGN: usize = 16;

const LAYOUT: Layout = match Layout::from_size_align(BLOCK_SIZE, BLOCK_ALIGN) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two"),
};

/// A block that is in no use.
struct FreeBlock {
    /// The next one of the list.
    next: *mut FreeBlock,
    /// In the depot, for the first block of a batch: the next batch.
    next_batch: *mut FreeBlock,
}

#[cold]
fn allocate() -> NonNull<u8> {
    // SAFETY: the layout has a size.
    NonNull::new(unsafe { alloc(LAYOUT) }).unwrap_or_else(|| handle_alloc_error(LAYOUT))
}

/// Gives a block back to the allocator.
///
/// # Safety
///
/// It comes from [`allocate`], and is not used any more.
unsafe fn free(block: NonNull<u8>) {
    // SAFETY: allocated with this layout, and in no use.
    unsafe { dealloc(block.as_ptr(), LAYOUT) };
}

/// Gives the blocks of a list back to the allocator.
///
/// # Safety
///
/// The list is the caller's.
unsafe fn free_list(mut first: *mut FreeBlock) {
    while let Some(block) = NonNull::new(first) {
        // SAFETY: a block in a list begins with the address of the next one.
        first = unsafe { (*block.as_ptr()).next };
        // SAFETY: a block in a list is in no use.
        unsafe { free(block.cast()) };
    }
}

#[cfg(all(test, not(drumline_shuttle)))]
mod tests {
    use std::collections::HashSet;
    use std::ptr::NonNull;
    use std::sync::mpsc;
    use std::thread;

    use super::depot::BATCH;
    use super::{BLOCK_SIZE, give, take, trim};

    #[derive(PartialEq, Eq, Hash)]
    struct HeldBlock(NonNull<u8>);

    // SAFETY: it is memory that its holder alone uses.
    unsafe impl Send for HeldBlock {}

    impl HeldBlock {
        fn new() -> Self {
            let block = take();
            // SAFETY: the block is this function's, and as large.
            unsafe { block.write_bytes(0xa5, BLOCK_SIZE) };
            HeldBlock(block)
        }
    }

    impl Drop for HeldBlock {
        fn drop(&mut self) {
            // SAFETY: it comes from `take`, and is used no more.
            unsafe { give(self.0) };
        }
    }

    fn some(count: u32) -> Vec<HeldBlock> {
        let blocks: Vec<_> = (0..count).map(|_| HeldBlock::new()).collect();
        assert_eq!(blocks.iter().collect::<HashSet<_>>().len(), blocks.len());
        blocks
    }

    #[test]
    fn miri_blocks_in_use_differ_while_threads_exchange_them() {
        let (sender, receiver) = mpsc::channel::<Vec<HeldBlock>>();
        let frees = thread::spawn(move || receiver.into_iter().for_each(drop));
        let mut held = HashSet::new();
        for _ in 0..4 {
            let blocks = some(5 * BATCH);
            assert!(blocks.iter().all(|block| !held.contains(block)));
            assert!(held.insert(HeldBlock::new()));
            sender.send(blocks).unwrap();
        }
        drop(sender);
        frees.join().unwrap();
    }

    #[test]
    fn miri_a_depot_is_trimmed_while_others_use_it() {
        let blocks = some(20 * BATCH);
        thread::scope(|scope| {
            scope.spawn(|| drop(blocks));
            scope.spawn(|| (0..10).for_each(|_| trim(&|| false)));
            drop(some(20 * BATCH));
        });
        // One batch, and no more, if there is something better to do.
        trim(&|| true);
    }
}
