//! A lane: messages from one writer to one reader.
//!
//! # What it owns
//!
//! A chain of [blocks](super::block). The writer fills their slots in order and counts the messages
//! that it has published (`tail`). The reader empties the slots and counts what it has taken
//! (`head`). Each side keeps what it knows of the other one's count, and reads it again only where
//! that is not enough. A block that is empty goes back to the writer; of several, one.
//!
//! ```text
//!   oldest                                  the writer's
//!     ▼                                      ▼
//!   [.  .  m  m  m  m]──►[ m  m  m  m  m  m]──►[ m  m  .  .  .  .]
//!          ▲ head                                    ▲ tail
//! ```
//!
//! # Steps
//!
//! * **push**: write the slot; publish `tail` (Release); [tell](WakeFlag::tell) the reader.
//! * **pop**: read `tail` (Acquire); read the slot; publish `head` (Release), so that the writer
//!   may use the place again; where there is a bound, tell the writer.
//! * **end** (writer): say why, then tell the reader. The reader looks for the reason only after it
//!   has found no message, and then looks for messages once more: what was sent before the end
//!   comes before it.
//! * **close** (reader): see below.
//!
//! # The cut
//!
//! A reader that closes still receives what was sent before, and a message that the reader does not
//! get goes back to the writer. So both must agree which message is the last. The reader says that
//! it closes, [silences](WakeFlag::silence) its flag, and reads `tail`: this is the *cut*, and it
//! publishes that. The writer looks at the end of each push whether the reader has begun to close.
//! If so, it waits for the cut, and takes its message back if that lies behind.
//!
//! **The race feared** is a push that sees nothing of the close, and whose message is behind the
//! cut. The writer publishes its message, tells, and looks for the close; the reader says that it
//! closes, silences, and looks for messages. To tell and to silence are swaps of one word, or a
//! light and a heavy barrier. So at least one side sees the other.
//!
//! # Memory order
//!
//! What is relaxed publishes nothing: `oldest` is written by one side at a time, and read by the
//! last owner of the lane; `is_closing` is read by the writer after its tell, see above.

use std::ptr;

use super::CloseReason;
use super::block::Block;
use super::pause::Pause;
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use crate::sync::{Apart, planted, relax};
use crate::wait::{Teller, Told, WakeFlag};

/// How often the writer looks for the cut before it offers its processor: the reader may need it.
#[cfg(not(drumline_loom))]
const SPINS: u32 = 100;

/// The cut of a lane that is not closed by its reader.
const NO_CUT: usize = usize::MAX;

/// What writer and reader share.
#[derive(Debug)]
pub(super) struct Lane<T> {
    /// How many messages were published. Written by the writer.
    tail: Apart<AtomicUsize>,
    /// How many messages were taken. Written by the reader.
    head: Apart<AtomicUsize>,
    /// What seldom changes.
    ends: Apart<Ends>,
    /// The first block of the chain; null until there is a message.
    oldest: AtomicPtr<Block<T>>,
    /// An empty block, for the writer.
    spare: AtomicPtr<Block<T>>,
    capacity: usize,
    block_len: usize,
}

/// How the two sides wait for each other, and whether they are there.
#[derive(Debug)]
struct Ends {
    /// The reader waits for messages.
    messages: WakeFlag,
    /// The writer waits for room, or for the end of the reader.
    room: WakeFlag,
    /// The code of the reason for which no message follows; 0 as long as some may.
    ended: AtomicUsize,
    is_closing: AtomicBool,
    cut: AtomicUsize,
}

// SAFETY: the two sides use a slot in turn, as the counts say, and messages may go to another
// thread.
unsafe impl<T: Send> Send for Lane<T> {}
// SAFETY: as for `Send`. A shared lane gives out no reference to a message.
unsafe impl<T: Send> Sync for Lane<T> {}

/// Why a message was not pushed; it comes back.
#[derive(Debug)]
pub(super) enum Refused<T> {
    Full(T),
    /// And what the tell has met, if the message was published before it was taken back.
    Closed(T, Told),
}

/// Why there is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nothing {
    Yet,
    Ever(CloseReason),
}

impl<T> Lane<T> {
    pub(super) fn new(capacity: usize) -> Self {
        Self::with(WakeFlag::new(), capacity)
    }

    /// A lane of many, at which the reader rests.
    pub(super) fn resting(capacity: usize) -> Self {
        Self::with(WakeFlag::resting(), capacity)
    }

    fn with(messages: WakeFlag, capacity: usize) -> Self {
        Lane {
            tail: Apart(AtomicUsize::new(0)),
            head: Apart(AtomicUsize::new(0)),
            ends: Apart(Ends {
                messages,
                room: WakeFlag::new(),
                ended: AtomicUsize::new(0),
                is_closing: AtomicBool::new(false),
                cut: AtomicUsize::new(NO_CUT),
            }),
            oldest: AtomicPtr::new(ptr::null_mut()),
            spare: AtomicPtr::new(ptr::null_mut()),
            capacity,
            block_len: Block::<T>::len_for(capacity),
        }
    }

    /// How many messages it holds at most; `usize::MAX`: without a bound.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    fn is_bounded(&self) -> bool {
        self.capacity != usize::MAX
    }

    /// About how many messages there are.
    pub(super) fn len(&self) -> usize {
        // Relaxed: a hint. The head first, so that it is not ahead.
        let head = self.head.load(Ordering::Relaxed);
        let tail = self.tail.load(Ordering::Relaxed);
        tail.min(self.ends.cut.load(Ordering::Relaxed))
            .saturating_sub(head)
    }

    /// Where the reader waits.
    pub(super) fn messages(&self) -> &WakeFlag {
        &self.ends.messages
    }

    /// Where the writer waits.
    pub(super) fn room(&self) -> &WakeFlag {
        &self.ends.room
    }

    /// Whether the reader has closed, or is gone.
    #[inline]
    pub(super) fn is_closing(&self) -> bool {
        // Acquire: the writer may go on with what the reader did before.
        self.ends.is_closing.load(Ordering::Acquire)
    }

    /// Why the writer has ended, if it has.
    pub(super) fn ended(&self) -> Option<CloseReason> {
        // Acquire: all messages were published before.
        CloseReason::from_code(self.ends.ended.load(Ordering::Acquire))
    }
}

impl<T> Drop for Lane<T> {
    fn drop(&mut self) {
        if cfg!(drumline_loom) && std::thread::panicking() {
            // The model has failed, and its atomics are gone.
            return;
        }
        // Relaxed: this is the last owner. The reader has taken all messages.
        let spare = self.spare.load(Ordering::Relaxed);
        let mut next = self.oldest.load(Ordering::Relaxed);
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

/// The writer's side, in the hands of one thread at a time.
#[derive(Debug)]
pub(super) struct Writer<T> {
    /// How many messages it has published.
    tail: usize,
    /// How many were taken when it looked last.
    head_seen: usize,
    /// Where the next message goes; null before the first one.
    block: *mut Block<T>,
    slot: usize,
    teller: Teller,
}

// SAFETY: what it points to belongs to the lane.
unsafe impl<T: Send> Send for Writer<T> {}

impl<T> Writer<T> {
    pub(super) fn new() -> Self {
        Writer {
            tail: 0,
            head_seen: 0,
            block: ptr::null_mut(),
            slot: 0,
            teller: Teller::default(),
        }
    }

    /// Whether a message would be taken, or refused for good.
    pub(super) fn has_room(&mut self, lane: &Lane<T>) -> bool {
        if self.tail - self.head_seen >= lane.capacity {
            // Acquire pairs with the Release in `pop`: the slots are empty.
            self.head_seen = lane.head.load(Ordering::Acquire);
        }
        self.tail - self.head_seen < lane.capacity || lane.is_closing()
    }

    /// Sends a message, if there is room. Returns what the tell has met.
    ///
    /// # Safety
    ///
    /// This is the one writer of the lane.
    #[inline(always)]
    pub(super) unsafe fn push(&mut self, lane: &Lane<T>, message: T) -> Result<Told, Refused<T>> {
        if lane.is_closing() {
            return Err(Refused::Closed(message, Told::Done));
        }
        if self.tail - self.head_seen >= lane.capacity && !self.has_room(lane) {
            return Err(Refused::Full(message));
        }
        // SAFETY: there is room, so the slot is empty, and this is the one writer.
        unsafe { self.write(lane, message) };
        let told = self.publish(lane);
        if lane.is_closing() && !planted!(LaneCutUnasked) {
            // SAFETY: the message was published just now, by this call.
            return unsafe { self.take_back(lane, told) };
        }
        Ok(told)
    }

    /// # Safety
    ///
    /// There is room, and this is the one writer.
    #[inline(always)]
    unsafe fn write(&mut self, lane: &Lane<T>, message: T) {
        if self.block.is_null() || self.slot == lane.block_len {
            self.go_on(lane);
        }
        // SAFETY: the block is the writer's until the reader has emptied it. The slot was not
        // published yet.
        unsafe { (*self.block).write(self.slot, message) };
        self.slot += 1;
        self.tail += 1;
    }

    #[inline(always)]
    fn publish(&mut self, lane: &Lane<T>) -> Told {
        let order = if planted!(LaneUnpublished) {
            // The bug that the models have to find.
            Ordering::Relaxed
        } else {
            // Release publishes the slots to the Acquire in `look`.
            Ordering::Release
        };
        lane.tail.store(self.tail, order);
        lane.ends.messages.tell(&mut self.teller)
    }

    /// Goes on with an empty block.
    #[cold]
    fn go_on(&mut self, lane: &Lane<T>) {
        // Acquire pairs with the Release in `recycle`.
        let spare = lane.spare.swap(ptr::null_mut(), Ordering::Acquire);
        let next = if spare.is_null() {
            Block::allocate(lane.block_len)
        } else {
            spare
        };
        if self.block.is_null() {
            // Relaxed: published by the tail.
            lane.oldest.store(next, Ordering::Relaxed);
        } else {
            // SAFETY: the reader leaves a block only for the next one.
            unsafe { (*self.block).link(next) };
        }
        self.block = next;
        self.slot = 0;
    }

    /// The reader closes: takes the last message back if it is behind the cut.
    ///
    /// # Safety
    ///
    /// The last message was pushed by the caller.
    #[cold]
    unsafe fn take_back(&mut self, lane: &Lane<T>, told: Told) -> Result<Told, Refused<T>> {
        #[cfg(not(drumline_loom))]
        let mut spins = 0;
        let cut = loop {
            // Acquire: the reader does not look behind the cut any more.
            let cut = lane.ends.cut.load(Ordering::Acquire);
            if cut != NO_CUT {
                break cut;
            }
            relax();
            #[cfg(not(drumline_loom))]
            if spins < SPINS {
                spins += 1;
            } else {
                crate::sync::thread::yield_now();
            }
        };
        if self.tail <= cut {
            return Ok(told);
        }
        self.tail -= 1;
        self.slot -= 1;
        // Relaxed: a count for `len`; the reader does not use it any more.
        lane.tail.store(self.tail, Ordering::Relaxed);
        // SAFETY: the message is in the slot, and the reader does not touch it.
        let message = unsafe { (*self.block).read(self.slot) };
        Err(Refused::Closed(message, told))
    }

    /// No message follows.
    pub(super) fn end(&mut self, lane: &Lane<T>, reason: CloseReason) -> Told {
        // Release publishes the last messages.
        lane.ends.ended.store(reason.code(), Ordering::Release);
        lane.ends.messages.tell_loudly()
    }
}

/// The reader's side, in the hands of one thread at a time.
#[derive(Debug)]
pub(super) struct Reader<T> {
    /// How many messages it has taken.
    head: usize,
    /// How many it may take, as far as it knows.
    tail_seen: usize,
    /// Where the next message lies; null before the first one.
    block: *mut Block<T>,
    slot: usize,
    teller: Teller,
    between_looks: Pause,
}

// SAFETY: what it points to belongs to the lane.
unsafe impl<T: Send> Send for Reader<T> {}

impl<T> Reader<T> {
    pub(super) fn new() -> Self {
        Reader {
            head: 0,
            tail_seen: 0,
            block: ptr::null_mut(),
            slot: 0,
            teller: Teller::default(),
            between_looks: Pause::default(),
        }
    }

    /// Lets the writer go on for a moment, before a wait.
    #[cfg(not(drumline_loom))]
    pub(super) fn pause(&self) {
        self.between_looks.pass();
    }

    /// Learns from a wait that has ended.
    #[cfg(not(drumline_loom))]
    pub(super) fn has_waited(&mut self, lane: &Lane<T>) {
        let found = self.look(lane);
        self.between_looks.learn(found);
    }

    /// How many messages are there to be taken.
    #[inline]
    fn look(&mut self, lane: &Lane<T>) -> usize {
        if self.head == self.tail_seen {
            self.refresh(lane);
        }
        self.tail_seen - self.head
    }

    /// Looks at what the writer has published.
    #[inline]
    fn refresh(&mut self, lane: &Lane<T>) {
        // Acquire pairs with the Release in `publish`.
        let tail = lane.tail.load(Ordering::Acquire);
        // Relaxed: written by this side.
        let cut = lane.ends.cut.load(Ordering::Relaxed);
        self.tail_seen = if planted!(LaneReadsBehindCut) {
            tail
        } else {
            tail.min(cut)
        };
    }

    /// Whether there is a message, or will never be one again.
    pub(super) fn is_ready(&mut self, lane: &Lane<T>) -> bool {
        self.look(lane) > 0 || lane.ended().is_some() || lane.is_closing()
    }

    /// Takes the next message.
    ///
    /// # Safety
    ///
    /// This is the one reader of the lane.
    #[inline(always)]
    pub(super) unsafe fn pop(&mut self, lane: &Lane<T>) -> Result<T, Nothing> {
        if self.look(lane) == 0 {
            self.explain(lane)?;
        }
        // SAFETY: there is a message.
        let message = unsafe { self.read(lane) };
        self.give_back(lane);
        Ok(message)
    }

    /// Takes up to `most` messages, and returns how many.
    ///
    /// # Safety
    ///
    /// As for [`pop`](Self::pop).
    pub(super) unsafe fn pop_many(
        &mut self,
        lane: &Lane<T>,
        messages: &mut Vec<T>,
        most: usize,
    ) -> Result<usize, Nothing> {
        if self.look(lane) == 0 {
            self.explain(lane)?;
        }
        if self.look(lane) < most {
            // It may know only of a part of them.
            self.refresh(lane);
        }
        let count = self.look(lane).min(most);
        // Before anything is taken: it may panic.
        messages.reserve(count);
        // SAFETY: `count` messages are there, and room for them was reserved.
        unsafe { self.read_many(lane, messages, count) };
        self.give_back(lane);
        Ok(count)
    }

    /// Why there is no message, unless one has come.
    fn explain(&mut self, lane: &Lane<T>) -> Result<(), Nothing> {
        let reason = if lane.is_closing() {
            CloseReason::ClosedByReceiver
        } else {
            match lane.ended() {
                None => return Err(Nothing::Yet),
                Some(reason) => reason,
            }
        };
        // The last messages came before the end.
        if !planted!(LaneEndOvertakes) && self.look(lane) > 0 {
            return Ok(());
        }
        Err(Nothing::Ever(reason))
    }

    /// # Safety
    ///
    /// There is a message, and this is the one reader.
    #[inline(always)]
    unsafe fn read(&mut self, lane: &Lane<T>) -> T {
        if self.block.is_null() || self.slot == lane.block_len {
            // SAFETY: there is a message, so there is a block that it is in.
            unsafe { self.go_on(lane) };
        }
        // SAFETY: the message was published, and is read once.
        let message = unsafe { (*self.block).read(self.slot) };
        self.slot += 1;
        self.head += 1;
        message
    }

    /// Moves messages in rows: their lines of memory come from the writer's processor, several at a
    /// time.
    ///
    /// # Safety
    ///
    /// There are `count` messages, and `messages` has room for them; this is the one reader.
    unsafe fn read_many(&mut self, lane: &Lane<T>, messages: &mut Vec<T>, count: usize) {
        let mut left = count;
        while left > 0 {
            if self.block.is_null() || self.slot == lane.block_len {
                // SAFETY: there is a message, so there is a block that it is in.
                unsafe { self.go_on(lane) };
            }
            let row = left.min(lane.block_len - self.slot);
            let len = messages.len();
            // SAFETY: the messages were published, and are read once; there is room.
            unsafe {
                let to = messages.as_mut_ptr().add(len);
                (*self.block).read_row(self.slot, row, to);
                messages.set_len(len + row);
            }
            self.slot += row;
            self.head += row;
            left -= row;
        }
    }

    /// The writer may use the places again.
    #[inline]
    fn give_back(&mut self, lane: &Lane<T>) {
        // Release pairs with the Acquire in `has_room`: the slots are empty.
        lane.head.store(self.head, Ordering::Release);
        if lane.is_bounded() {
            let told = lane.ends.room.tell(&mut self.teller);
            debug_assert_eq!(told, Told::Done, "a writer waits at one lane only");
        }
    }

    /// Goes on with the next block.
    ///
    /// # Safety
    ///
    /// There is one.
    #[cold]
    unsafe fn go_on(&mut self, lane: &Lane<T>) {
        if self.block.is_null() {
            // Relaxed: published by the tail.
            self.block = lane.oldest.load(Ordering::Relaxed);
        } else {
            let empty = self.block;
            // SAFETY: the writer has linked the next block before it published a message there, and
            // does not come back to this one.
            unsafe {
                self.block = (*empty).next();
                (*empty).link(ptr::null_mut());
            }
            // Relaxed: read by the last owner of the lane.
            lane.oldest.store(self.block, Ordering::Relaxed);
            // Release: the writer gets an empty block.
            let second = lane.spare.swap(empty, Ordering::AcqRel);
            if !second.is_null() {
                // SAFETY: taken out of its place by this thread.
                unsafe { Block::free(second) };
            }
        }
        self.slot = 0;
    }

    /// Wants no more messages. Those before the cut are still to be taken. Returns whether it
    /// rested at this lane.
    pub(super) fn close(&mut self, lane: &Lane<T>) -> bool {
        if lane.is_closing() {
            return false;
        }
        // Release: a writer that sees it goes on with what this thread has done.
        lane.ends.is_closing.store(true, Ordering::Release);
        let was_resting = !planted!(LaneCutUnsilenced) && lane.ends.messages.silence();
        // Acquire as in `look`.
        let tail = lane.tail.load(Ordering::Acquire);
        // Release: the writer takes back what is behind.
        lane.ends.cut.store(tail, Ordering::Release);
        let told = lane.ends.room.tell_loudly();
        debug_assert_eq!(told, Told::Done, "a writer waits at one lane only");
        was_resting
    }
}
