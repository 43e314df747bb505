//! The side of a lane that receives.

use std::ptr;

use super::block::Block;
use super::traffic::Traffic;
use super::{Lane, NEVER, Nothing};
use crate::channel::CloseReason;
use crate::channel::pause::Pause;
use crate::sync::atomic::Ordering;
use crate::sync::{planted, prefetch};
use crate::wait::{Teller, Told};

/// The reader's side, in the hands of one thread at a time.
#[derive(Debug)]
pub(in crate::channel) struct Reader<T> {
    /// How many messages it has taken.
    head: usize,
    /// How many it may take, as far as it knows.
    tail_seen: usize,
    /// The traffic of its lane, once it has seen that.
    traffic: *const Traffic<T>,
    /// Where the next message lies, unless it knows all slots of it; null before the first one.
    block: *mut Block<T>,
    slot: u16,
    /// How many slots that block has.
    block_len: u16,
    /// The writer may wait for room.
    is_bounded: bool,
    teller: Teller,
    between_looks: Pause,
}

// SAFETY: what it points to belongs to the lane.
unsafe impl<T: Send> Send for Reader<T> {}

impl<T> Reader<T> {
    pub(in crate::channel) fn new() -> Self {
        Reader {
            head: 0,
            tail_seen: 0,
            traffic: ptr::null(),
            block: ptr::null_mut(),
            slot: 0,
            block_len: 0,
            is_bounded: false,
            teller: Teller::default(),
            between_looks: Pause::default(),
        }
    }

    /// Lets the writer go on for a moment, before a wait.
    #[cfg(not(drumline_loom))]
    pub(in crate::channel) fn pause(&self) {
        self.between_looks.pass();
    }

    /// Learns from a wait that has ended.
    #[cfg(not(drumline_loom))]
    pub(in crate::channel) fn has_waited(&mut self, lane: &Lane<T>) {
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
        if self.traffic.is_null() && !self.find_traffic(lane) {
            return;
        }
        // SAFETY: it has seen the traffic.
        let traffic = unsafe { self.traffic(lane) };
        self.refresh_from(traffic);
    }

    #[inline(always)]
    fn refresh_from(&mut self, traffic: &Traffic<T>) {
        // Acquire pairs with the Release in `publish`.
        let tail = traffic.tail().load(Ordering::Acquire);
        self.tail_seen = if planted!(LaneReadsBehindCut) {
            tail
        } else {
            traffic.before_cut(tail)
        };
    }

    /// Looks for the traffic. `false`: there is none.
    #[cold]
    fn find_traffic(&mut self, lane: &Lane<T>) -> bool {
        self.traffic = lane.traffic().map_or(ptr::null(), ptr::from_ref);
        !self.traffic.is_null()
    }

    /// Whether it knows anything: whether it differs from a new one.
    pub(super) fn has_seen_traffic(&self) -> bool {
        !self.traffic.is_null()
    }

    /// The traffic.
    ///
    /// # Safety
    ///
    /// It has seen the traffic: there is or was a message.
    #[inline(always)]
    unsafe fn traffic<'a>(&self, _lane: &'a Lane<T>) -> &'a Traffic<T> {
        // SAFETY: the caller's obligation. It lives as long as the lane does.
        unsafe { &*self.traffic }
    }

    /// Whether there is a message, or will never be one again.
    pub(in crate::channel) fn is_ready(&mut self, lane: &Lane<T>) -> bool {
        self.look(lane) > 0 || lane.ended().is_some() || lane.is_closing()
    }

    /// Takes the next message.
    ///
    /// # Safety
    ///
    /// This is the one reader of the lane.
    #[inline(always)]
    pub(in crate::channel) unsafe fn pop(&mut self, lane: &Lane<T>) -> Result<T, Nothing> {
        if self.look(lane) == 0 {
            self.explain(lane)?;
        }
        // SAFETY: there is a message.
        let traffic = unsafe { self.traffic(lane) };
        // SAFETY: as above.
        Ok(unsafe { self.read(traffic) })
    }

    /// As [`pop`](Self::pop), of a lane with this traffic. Does not say why there is no message.
    ///
    /// # Safety
    ///
    /// As for [`pop`](Self::pop).
    #[inline(always)]
    pub(super) unsafe fn pop_further(&mut self, traffic: &Traffic<T>) -> Option<T> {
        if self.head == self.tail_seen {
            self.traffic = traffic;
            self.refresh_from(traffic);
            if self.head == self.tail_seen {
                return None;
            }
        }
        // SAFETY: there is a message.
        Some(unsafe { self.read(traffic) })
    }

    /// Has the processor fetch the next message.
    #[inline(always)]
    pub(super) fn prefetch(&self) {
        if self.slot < self.block_len {
            // SAFETY: the block has this slot.
            prefetch(unsafe { Block::slot(self.block, self.slot) });
        }
    }

    /// Takes up to `most` messages, and returns how many.
    ///
    /// # Safety
    ///
    /// As for [`pop`](Self::pop).
    pub(in crate::channel) unsafe fn pop_many(
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
        // SAFETY: there is a message.
        let traffic = unsafe { self.traffic(lane) };
        // SAFETY: `count` messages are there, and room for them was reserved.
        unsafe { self.read_many(traffic, messages, count) };
        self.give_back(traffic);
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
    unsafe fn read(&mut self, traffic: &Traffic<T>) -> T {
        if self.slot == self.block_len {
            // SAFETY: there is a message, so there is a block that it is in.
            unsafe { self.go_on(traffic) };
        }
        // SAFETY: the message was published, and is read once.
        let message = unsafe { Block::read(self.block, self.slot) };
        self.slot += 1;
        self.head += 1;
        self.give_back(traffic);
        message
    }

    /// Moves messages in rows: their lines of memory come from the writer's processor, several at a
    /// time.
    ///
    /// # Safety
    ///
    /// There are `count` messages, and `messages` has room for them; this is the one reader.
    unsafe fn read_many(&mut self, traffic: &Traffic<T>, messages: &mut Vec<T>, count: usize) {
        let mut left = count;
        while left > 0 {
            if self.slot == self.block_len {
                // SAFETY: there is a message, so there is a block that it is in.
                unsafe { self.go_on(traffic) };
            }
            let row = left.min(usize::from(self.block_len - self.slot));
            let len = messages.len();
            // SAFETY: the messages were published, and are read once; there is room.
            unsafe {
                let to = messages.as_mut_ptr().add(len);
                Block::read_row(self.block, self.slot, row as u16, to);
                messages.set_len(len + row);
            }
            // It fits: no longer than a block.
            self.slot += row as u16;
            self.head += row;
            left -= row;
        }
    }

    /// The writer may use the places again.
    #[inline(always)]
    fn give_back(&mut self, traffic: &Traffic<T>) {
        // Release pairs with the Acquire in `has_room`: the slots are empty.
        traffic.head().store(self.head, Ordering::Release);
        if self.is_bounded {
            let told = traffic.room().tell(&mut self.teller);
            debug_assert_eq!(told, Told::Done, "a writer waits at one lane only");
        }
    }

    /// Goes on with the next block, or at the beginning of this one.
    ///
    /// # Safety
    ///
    /// There is a message, and the reader has none of the slots before it.
    #[cold]
    unsafe fn go_on(&mut self, traffic: &Traffic<T>) {
        let left = self.block;
        if left.is_null() {
            // Relaxed: published with the traffic.
            self.enter(traffic, traffic.oldest().load(Ordering::Relaxed));
            return;
        }
        // SAFETY: it is this lane's.
        let Some(next) = (unsafe { (*left).next_at(self.head) }) else {
            self.slot = 0;
            return;
        };
        self.enter(traffic, next);
        // Relaxed: read by the last owner of the lane.
        traffic.oldest().store(next, Ordering::Relaxed);
        if traffic.is_first(left) {
            return;
        }
        // SAFETY: the writer has linked the next block, and does not come back to this one.
        unsafe { (*left).unlink() };
        // Release: the writer gets an empty block. Acquire: so does this thread.
        let second = traffic.spare().swap(left, Ordering::AcqRel);
        if !second.is_null() {
            // SAFETY: taken out of its place by this thread.
            unsafe { Block::free(second, self.block_len) };
        }
    }

    fn enter(&mut self, traffic: &Traffic<T>, block: *mut Block<T>) {
        self.block = block;
        self.block_len = traffic.block_len(block);
        self.is_bounded = traffic.is_bounded();
        self.slot = 0;
    }

    /// Wants no more messages. Those before the cut are still to be taken. Returns whether it
    /// rested at this lane.
    pub(in crate::channel) fn close(&mut self, lane: &Lane<T>) -> bool {
        if lane.is_closing() {
            return false;
        }
        // Release: a writer that sees it goes on with what this thread has done.
        lane.is_closing.store(true, Ordering::Release);
        let rested_first = !planted!(LaneCutUnsilenced) && lane.first.silence();
        if self.shut(lane) {
            return rested_first;
        }
        let traffic = lane.traffic().expect("the writer was first");
        traffic.begin_to_close();
        let rested = !planted!(LaneCutUnsilenced) && traffic.messages().silence();
        // Acquire as in `refresh`.
        let tail = traffic.tail().load(Ordering::Acquire);
        traffic.cut_at(tail);
        if !planted!(LaneCutUntold) {
            let told = traffic.room().tell_loudly();
            debug_assert_eq!(told, Told::Done, "a writer waits at one lane only");
        }
        rested_first || rested
    }

    /// Sees to it that there is never any traffic. `false`: there is some.
    fn shut(&mut self, lane: &Lane<T>) -> bool {
        let never = ptr::without_provenance_mut(NEVER);
        if planted!(LaneShutBlindly) {
            let is_new = lane.traffic().is_none();
            if is_new {
                lane.traffic.store(never, Ordering::Release);
            }
            return is_new;
        }
        // Release pairs with the Acquire in `Writer::open`. Acquire as in `Lane::traffic`.
        lane.traffic
            .compare_exchange(ptr::null_mut(), never, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }
}
