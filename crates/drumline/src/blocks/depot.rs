//! Batches of blocks that go from threads which free messages to threads that send them.
//!
//! A message that is sent by one thread and handled by another one takes its memory from the first,
//! and leaves it to the second. The [cache](super::cache) of the second fills, and that of the
//! first is empty. The depot takes batches of [`BATCH`] blocks from the one and gives them to the
//! other. An allocator does the same for each block, which can cost more than all else of a
//! message.
//!
//! There is one depot for the process. It keeps at most [`MOST`] batches while there is work, and
//! [`LEAST`] while there is none: a pool in which nothing runs gives the others back to the
//! allocator before its last worker sleeps ([`trim`]).
//!
//! A thread that finds the depot locked goes to the allocator instead of waiting. So does each
//! thread of a forked child, if a thread of its parent had the lock at the fork.

use std::ptr::{self, NonNull};

use super::{FreeBlock, free_list};
use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::{Mutex, process_wide};

/// The blocks of a batch.
pub(super) const BATCH: u32 = 128;

/// The depot keeps at most this many batches (1 MiB).
const MOST: u32 = 128;
/// And this many while nothing runs (128 KiB), for pools that rest between bursts of messages.
const LEAST: u32 = 16;

/// A list of [`BATCH`] blocks in no use, by the address of the first one.
pub(super) struct Batch(pub(super) NonNull<FreeBlock>);

// SAFETY: the blocks are memory in no use, to which the batch has the only address.
unsafe impl Send for Batch {}

struct BlockDepot {
    batches: Mutex<Option<Batch>>,
    /// How many there are; written under the lock.
    len: AtomicU32,
}

process_wide! {
    static DEPOT: BlockDepot = BlockDepot {
        batches: Mutex::new(None),
        len: AtomicU32::new(0),
    };
}

/// Takes a batch, if there is one, and no other thread is at the depot.
#[cold]
pub(super) fn take() -> Option<Batch> {
    take_above(0)
}

/// As [`take`], if there are more than `least`.
fn take_above(least: u32) -> Option<Batch> {
    // Relaxed: a hint. Whether there is a batch is decided under the lock.
    if DEPOT.len.load(Ordering::Relaxed) <= least {
        return None;
    }
    let mut batches = DEPOT.batches.try_lock().ok()?;
    let batch = batches.take()?;
    // SAFETY: the batch is the depot's, and `give` has written this.
    *batches = NonNull::new(unsafe { (*batch.0.as_ptr()).next_batch }).map(Batch);
    // Relaxed, twice: the lock is held, and only its holder writes.
    let len = DEPOT.len.load(Ordering::Relaxed);
    DEPOT.len.store(len - 1, Ordering::Relaxed);
    Some(batch)
}

/// Leaves a batch. It comes back if there are enough, or if another thread is at the depot.
#[cold]
pub(super) fn give(batch: Batch) -> Result<(), Batch> {
    // Relaxed: a hint.
    if DEPOT.len.load(Ordering::Relaxed) == MOST {
        return Err(batch);
    }
    let Ok(mut batches) = DEPOT.batches.try_lock() else {
        return Err(batch);
    };
    // Relaxed, here and below: read and written under the lock.
    let len = DEPOT.len.load(Ordering::Relaxed);
    if len == MOST {
        return Err(batch);
    }
    let next = batches
        .take()
        .map_or(ptr::null_mut(), |next| next.0.as_ptr());
    // SAFETY: the blocks of a batch are in no use, and large enough.
    unsafe { (*batch.0.as_ptr()).next_batch = next };
    *batches = Some(batch);
    // Relaxed: as above, the lock is held.
    DEPOT.len.store(len + 1, Ordering::Relaxed);
    Ok(())
}

/// Gives batches back to the allocator, one after another, until [`LEAST`] are left or `is_wanted`
/// says that there is something better to do.
pub(crate) fn trim(is_wanted: &dyn Fn() -> bool) {
    while let Some(batch) = take_above(LEAST) {
        // SAFETY: the batch is this function's.
        unsafe { free_list(batch.0.as_ptr()) };
        if is_wanted() {
            return;
        }
    }
}
