//! What the two sides of a lane use once there are messages.

use std::alloc::{Layout, dealloc};
use std::mem::MaybeUninit;
use std::ptr;

use super::block::{Block, memory};
use super::{Lane, Reader};
use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::sync::{CheckedCell, prefetch};
use crate::wait::WakeFlag;

/// The cut of a lane that is not closed by its reader.
const NO_CUT: usize = usize::MAX;
/// The reader is about to make the cut.
const CUTTING: usize = usize::MAX - 1;

/// The counts, the flags, and the chain of blocks. What the one side writes for each message lies
/// apart from what the other side does. All that a message needs is here: the small part of a lane
/// may share its line of memory with anything.
///
/// The slots of the first block come behind it in memory. So it must not end in padding: a
/// reference to this would reach slots there, and say that nothing changes them.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Traffic<T> {
    taken: Taken<T>,
    _space: MaybeUninit<[u8; SPACE]>,
    sent: Sent<T>,
}

/// Where it lies in memory: at the beginning of two lines, as [`Apart`](crate::sync::Apart).
const ALIGN: usize = 128;
/// What the reader writes takes so much less than two lines.
const SPACE: usize = 40;

/// What the reader writes, and all that it needs besides the tail and the message.
#[derive(Debug)]
#[repr(C)]
struct Taken<T> {
    /// How many messages were taken.
    head: AtomicUsize,
    /// The same as in `Sent`, in the reader's line.
    cut: AtomicUsize,
    /// A reader that is not in the hands of the receiver; see `Lane::with_reader`.
    reader: CheckedCell<Reader<T>>,
    // The end of a line of memory.
    /// The first block of the chain.
    oldest: AtomicPtr<Block<T>>,
    /// An empty block, for the writer.
    spare: AtomicPtr<Block<T>>,
    /// Where a receiver that has the address of this finds the lane again.
    lane: AtomicPtr<Lane<T>>,
}

/// How the two sides wait for each other and what seldom changes, in one line of memory. What the
/// writer writes, in the next one.
#[derive(Debug)]
#[repr(C)]
struct Sent<T> {
    /// The reader waits for messages.
    messages: WakeFlag,
    /// The writer waits for room, or for the end of the reader.
    room: WakeFlag,
    /// For the writer.
    cut: AtomicUsize,
    /// As in the lane.
    capacity: usize,
    // The end of a line of memory.
    /// How many messages were published.
    tail: AtomicUsize,
    /// The first block. It stays here when the writer has gone on to another one.
    first: Block<T>,
}

impl<T> Traffic<T> {
    /// What traffic takes that has a first block of `len` slots.
    fn layout(len: u16) -> Layout {
        let slots = usize::from(len) * size_of::<CheckedCell<MaybeUninit<T>>>();
        let size = size_of::<Self>() + slots;
        let align = align_of::<Self>().max(ALIGN);
        Layout::from_size_align(size, align).expect("a block has few slots")
    }

    /// Traffic of a lane that holds at most `capacity` messages, to be freed by
    /// [`free`](Self::free).
    pub(super) fn allocate(capacity: usize) -> *mut Self {
        let len = Block::<T>::first_len_for(capacity);
        // SAFETY: the layout has a size, as this type has.
        let traffic = unsafe { memory::<Self>(Self::layout(len)) };
        // SAFETY: the memory is as large as it has to be, and no other code has it.
        unsafe {
            // By way of the address of the whole: the slots lie behind it.
            let first = &raw mut (*traffic).sent.first;
            debug_assert_eq!(Block::slot(first, 0).addr(), traffic.add(1).addr());
            traffic.write(Self::new(capacity, first));
            Block::make_slots(first, len);
        }
        traffic
    }

    fn new(capacity: usize, first: *mut Block<T>) -> Self {
        Traffic {
            taken: Taken {
                head: AtomicUsize::new(0),
                cut: AtomicUsize::new(NO_CUT),
                reader: CheckedCell::new(Reader::new()),
                oldest: AtomicPtr::new(first),
                spare: AtomicPtr::new(ptr::null_mut()),
                lane: AtomicPtr::new(ptr::null_mut()),
            },
            _space: MaybeUninit::uninit(),
            sent: Sent {
                messages: WakeFlag::new(),
                room: WakeFlag::new(),
                cut: AtomicUsize::new(NO_CUT),
                capacity,
                tail: AtomicUsize::new(0),
                first: Block::new(),
            },
        }
    }

    /// # Safety
    ///
    /// The traffic comes from [`allocate`](Self::allocate), and nothing uses it any more. Messages
    /// that lie in it are not dropped.
    pub(super) unsafe fn free(traffic: *mut Self) {
        // SAFETY: the caller's obligation. A block is in the chain once, and a spare one is in no
        // chain. The first block is a part of this.
        unsafe {
            let capacity = (*traffic).capacity();
            let first = &raw mut (*traffic).sent.first;
            // Relaxed, here and below: this is the last owner.
            let spare = (*traffic).spare().load(Ordering::Relaxed);
            let mut next = (*traffic).oldest().load(Ordering::Relaxed);
            if !spare.is_null() {
                Block::free(spare, Block::<T>::len_for(capacity));
            }
            while !next.is_null() {
                let block = next;
                next = (*block).next();
                if block != first {
                    Block::free(block, Block::<T>::len_for(capacity));
                }
            }
            let first_len = Block::<T>::first_len_for(capacity);
            Block::drop_slots(first, first_len);
            traffic.drop_in_place();
            dealloc(traffic.cast(), Self::layout(first_len));
        }
    }

    /// Whether this is the first block.
    pub(super) fn is_first(&self, block: *mut Block<T>) -> bool {
        ptr::addr_eq(block, &raw const self.sent.first)
    }

    /// How many slots a block of this lane has.
    pub(super) fn block_len(&self, block: *mut Block<T>) -> u16 {
        if self.is_first(block) {
            Block::<T>::first_len_for(self.capacity())
        } else {
            Block::<T>::len_for(self.capacity())
        }
    }

    /// How many messages it holds at most.
    #[inline(always)]
    pub(super) fn capacity(&self) -> usize {
        self.sent.capacity
    }

    pub(super) fn is_bounded(&self) -> bool {
        self.sent.capacity != usize::MAX
    }

    /// Whether there is, or is about to be, a cut.
    #[inline(always)]
    pub(super) fn is_closing(&self) -> bool {
        // Acquire: the writer may go on with what the reader did before.
        self.sent.cut.load(Ordering::Acquire) != NO_CUT
    }

    /// The reader is about to make the cut.
    pub(super) fn begin_to_close(&self) {
        // Release: a writer that sees it goes on with what this thread has done.
        self.sent.cut.store(CUTTING, Ordering::Release);
    }

    /// Makes the cut: these messages are received, and no others.
    pub(super) fn cut_at(&self, count: usize) {
        // Relaxed: read by this side.
        self.taken.cut.store(count, Ordering::Relaxed);
        // Release: the writer takes back what is behind.
        self.sent.cut.store(count, Ordering::Release);
    }

    /// Where the cut is. `None`: the reader has not made it yet.
    pub(super) fn cut(&self) -> Option<usize> {
        // Acquire: the reader does not look behind the cut any more.
        let cut = self.sent.cut.load(Ordering::Acquire);
        (cut < CUTTING).then_some(cut)
    }

    /// How many of `tail` messages are to be received.
    #[inline(always)]
    pub(super) fn before_cut(&self, tail: usize) -> usize {
        // Relaxed: written by the reader, for which this is meant; a hint for all others.
        tail.min(self.taken.cut.load(Ordering::Relaxed))
    }

    /// The lane, as the receiver has [left it here](Self::set_lane).
    pub(super) fn lane(&self) -> *const Lane<T> {
        // Relaxed: written by this side.
        self.taken.lane.load(Ordering::Relaxed)
    }

    /// Says where the lane is.
    pub(super) fn set_lane(&self, lane: *const Lane<T>) {
        // Relaxed: read by this side.
        self.taken.lane.store(lane.cast_mut(), Ordering::Relaxed);
    }

    #[inline(always)]
    pub(super) fn head(&self) -> &AtomicUsize {
        &self.taken.head
    }

    #[inline(always)]
    pub(super) fn tail(&self) -> &AtomicUsize {
        &self.sent.tail
    }

    pub(super) fn oldest(&self) -> &AtomicPtr<Block<T>> {
        &self.taken.oldest
    }

    pub(super) fn spare(&self) -> &AtomicPtr<Block<T>> {
        &self.taken.spare
    }

    #[inline(always)]
    pub(super) fn messages(&self) -> &WakeFlag {
        &self.sent.messages
    }

    #[inline(always)]
    pub(super) fn room(&self) -> &WakeFlag {
        &self.sent.room
    }

    /// Hands the address of the reader to `access`, which must be the only one to use it.
    #[inline(always)]
    pub(super) fn with_reader<R>(&self, access: impl FnOnce(*mut Reader<T>) -> R) -> R {
        self.taken.reader.with_mut(access)
    }

    /// Takes the next message with the reader that lies here, if there is one.
    ///
    /// # Safety
    ///
    /// As for `Lane::with_reader`.
    #[inline(always)]
    pub(super) unsafe fn pop_further(&self) -> Option<T> {
        // SAFETY: the caller's obligation.
        self.with_reader(|reader| unsafe { (*reader).pop_further(self) })
    }

    /// Has the processor fetch what the reader uses for a message.
    #[inline(always)]
    pub(super) fn prefetch(&self) {
        prefetch(&raw const self.taken);
        prefetch(&raw const self.sent.tail);
    }

    /// About how many messages there are.
    pub(super) fn len(&self) -> usize {
        // Relaxed: a hint. The head first, so that it is not ahead.
        let head = self.head().load(Ordering::Relaxed);
        let tail = self.tail().load(Ordering::Relaxed);
        self.before_cut(tail).saturating_sub(head)
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use std::mem::offset_of;

    use super::{ALIGN, Traffic};

    /// The sizes on which `docs/src/channels.md` counts.
    #[test]
    fn traffic_of_small_messages_takes_four_lines() {
        assert_eq!(offset_of!(Traffic<u64>, sent), ALIGN);
        assert_eq!(offset_of!(Traffic<u64>, sent.tail), ALIGN + 64);
        assert_eq!(Traffic::<u64>::layout(5).size(), 256);
        assert_eq!(Traffic::<[u64; 4]>::layout(2).size(), 280);
    }
}
