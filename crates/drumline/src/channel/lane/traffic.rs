//! What the two sides of a lane use once there are messages.

use std::ptr;

use super::Reader;
use crate::channel::block::Block;
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use crate::sync::{Apart, CheckedCell};
use crate::wait::WakeFlag;

/// The cut of a lane that is not closed by its reader.
pub(super) const NO_CUT: usize = usize::MAX;

/// The counts, the flags, and the chain of blocks. What the one side writes for each message lies
/// apart from what the other side does. All that a message needs is here: the small part of a lane
/// may share its line of memory with anything.
#[derive(Debug)]
pub(super) struct Traffic<T> {
    /// How many messages were published. Written by the writer.
    pub(super) tail: Apart<AtomicUsize>,
    taken: Apart<Taken<T>>,
    ends: Apart<Ends<T>>,
}

/// What the reader writes.
#[derive(Debug)]
struct Taken<T> {
    /// How many messages were taken.
    head: AtomicUsize,
    /// The first block of the chain; null until there is a message.
    oldest: AtomicPtr<Block<T>>,
    /// A reader that is not in the hands of the receiver; see `Lane::with_reader`.
    reader: CheckedCell<Reader<T>>,
}

/// How the two sides wait for each other, and what seldom changes.
#[derive(Debug)]
struct Ends<T> {
    /// The reader waits for messages.
    messages: WakeFlag,
    /// The writer waits for room, or for the end of the reader.
    room: WakeFlag,
    cut: AtomicUsize,
    /// An empty block, for the writer.
    spare: AtomicPtr<Block<T>>,
    /// As in the lane.
    capacity: usize,
    block_len: u32,
    /// The reader is about to make the cut.
    is_closing: AtomicBool,
}

impl<T> Traffic<T> {
    pub(super) fn new(capacity: usize) -> Self {
        Traffic {
            tail: Apart(AtomicUsize::new(0)),
            taken: Apart(Taken {
                head: AtomicUsize::new(0),
                oldest: AtomicPtr::new(ptr::null_mut()),
                reader: CheckedCell::new(Reader::new()),
            }),
            ends: Apart(Ends {
                messages: WakeFlag::new(),
                room: WakeFlag::new(),
                cut: AtomicUsize::new(NO_CUT),
                spare: AtomicPtr::new(ptr::null_mut()),
                capacity,
                block_len: Self::block_len_for(capacity),
                is_closing: AtomicBool::new(false),
            }),
        }
    }

    fn block_len_for(capacity: usize) -> u32 {
        let len = Block::<T>::len_for(capacity);
        u32::try_from(len).expect("a block has few slots")
    }

    /// How many slots a block has.
    #[inline(always)]
    pub(super) fn block_len(&self) -> u32 {
        self.ends.block_len
    }

    /// How many messages it holds at most.
    #[inline(always)]
    pub(super) fn capacity(&self) -> usize {
        self.ends.capacity
    }

    #[inline(always)]
    pub(super) fn is_bounded(&self) -> bool {
        self.ends.capacity != usize::MAX
    }

    /// Whether there is, or is about to be, a cut.
    #[inline(always)]
    pub(super) fn is_closing(&self) -> bool {
        // Acquire: the writer may go on with what the reader did before.
        self.ends.is_closing.load(Ordering::Acquire)
    }

    /// The reader is about to make the cut.
    pub(super) fn begin_to_close(&self) {
        // Release: a writer that sees it goes on with what this thread has done.
        self.ends.is_closing.store(true, Ordering::Release);
    }

    #[inline(always)]
    pub(super) fn head(&self) -> &AtomicUsize {
        &self.taken.head
    }

    pub(super) fn oldest(&self) -> &AtomicPtr<Block<T>> {
        &self.taken.oldest
    }

    pub(super) fn spare(&self) -> &AtomicPtr<Block<T>> {
        &self.ends.spare
    }

    #[inline(always)]
    pub(super) fn cut(&self) -> &AtomicUsize {
        &self.ends.cut
    }

    #[inline(always)]
    pub(super) fn messages(&self) -> &WakeFlag {
        &self.ends.messages
    }

    #[inline(always)]
    pub(super) fn room(&self) -> &WakeFlag {
        &self.ends.room
    }

    /// Hands the address of the reader to `access`, which must be the only one to use it.
    #[inline(always)]
    pub(super) fn with_reader<R>(&self, access: impl FnOnce(*mut Reader<T>) -> R) -> R {
        self.taken.reader.with_mut(access)
    }

    /// About how many messages there are.
    pub(super) fn len(&self) -> usize {
        // Relaxed: a hint. The head first, so that it is not ahead.
        let head = self.head().load(Ordering::Relaxed);
        let tail = self.tail.load(Ordering::Relaxed);
        tail.min(self.cut().load(Ordering::Relaxed))
            .saturating_sub(head)
    }
}

impl<T> Drop for Traffic<T> {
    fn drop(&mut self) {
        // Relaxed: this is the last owner. The reader has taken all messages.
        let spare = self.spare().load(Ordering::Relaxed);
        let mut next = self.oldest().load(Ordering::Relaxed);
        if !spare.is_null() {
            // SAFETY: a spare block is in no chain.
            unsafe { Block::free(spare) };
        }
        while !next.is_null() {
            let block = next;
            // SAFETY: the chain is this lane's, and each block is in it once.
            unsafe {
                next = (*block).next();
                Block::free(block);
            }
        }
    }
}
