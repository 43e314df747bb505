//! The side of a lane that sends.

use std::ptr;

use super::block::Block;
use super::traffic::Traffic;
use super::{Lane, Refused};
use crate::channel::CloseReason;
use crate::sync::atomic::Ordering;
use crate::sync::{planted, relax};
use crate::wait::{Teller, Told, WakeFlag};

/// How often the writer looks for the cut before it offers its processor: the reader may need it.
#[cfg(not(drumline_loom))]
const SPINS: u32 = 100;

/// The writer's side, in the hands of one thread at a time.
#[derive(Debug)]
pub(in crate::channel) struct Writer<T> {
    /// How many messages it has published.
    tail: usize,
    /// It may publish messages up to this count. Then it has to look for a slot, or for room.
    limit: usize,
    /// The traffic of its lane, once it has made that.
    traffic: *const Traffic<T>,
    /// Where the next message goes; null before the first one.
    block: *mut Block<T>,
    slot: u16,
    /// How many slots that block has.
    block_len: u16,
    teller: Teller,
}

// SAFETY: what it points to belongs to the lane.
unsafe impl<T: Send> Send for Writer<T> {}

impl<T> Writer<T> {
    pub(in crate::channel) fn new() -> Self {
        Writer {
            tail: 0,
            limit: 0,
            traffic: ptr::null(),
            block: ptr::null_mut(),
            slot: 0,
            block_len: 0,
            teller: Teller::default(),
        }
    }

    /// Whether a message would be taken, or refused for good.
    pub(in crate::channel) fn has_room(&mut self, lane: &Lane<T>) -> bool {
        let Some(traffic) = self.traffic(lane) else {
            return true;
        };
        self.tail != self.limit
            || self.block.is_null()
            || self.finds_slot(traffic)
            || traffic.is_closing()
    }

    /// Looks for a slot for the next message, in this block or in a further one. `false`: there is
    /// no room for it in the lane.
    #[cold]
    fn finds_slot(&mut self, traffic: &Traffic<T>) -> bool {
        // Acquire pairs with the Release in `give_back`: the slots are empty.
        let head = traffic.head().load(Ordering::Acquire);
        let room = traffic.capacity() - (self.tail - head);
        if room == 0 {
            return false;
        }
        if self.slot == self.block_len {
            if head == self.tail || planted!(LaneComesBackEarly) {
                // The reader has emptied the block, and is at its end as well.
                self.slot = 0;
            } else {
                self.go_on(traffic);
            }
        }
        self.limit = self.tail + room.min(usize::from(self.block_len - self.slot));
        true
    }

    /// Where it waits for the end of the reader. `None`: the reader has closed.
    pub(in crate::channel) fn open_for_end<'a>(
        &mut self,
        lane: &'a Lane<T>,
    ) -> Option<&'a WakeFlag> {
        self.open(lane).map(Traffic::room)
    }

    /// Sends a message, if there is room. Returns what the tell has met.
    ///
    /// # Safety
    ///
    /// This is the one writer of the lane.
    #[inline(always)]
    pub(in crate::channel) unsafe fn push(
        &mut self,
        lane: &Lane<T>,
        message: T,
    ) -> Result<Told, Refused<T>> {
        let Some(traffic) = self.traffic(lane) else {
            // SAFETY: the caller's obligation.
            return unsafe { self.push_first(lane, message) };
        };
        if traffic.is_closing() {
            return Err(Refused::Closed(message, Told::Done));
        }
        if self.tail == self.limit {
            if self.block.is_null() {
                // SAFETY: the caller's obligation.
                return unsafe { self.push_first(lane, message) };
            }
            if !self.finds_slot(traffic) {
                return Err(Refused::Full(message));
            }
        }
        // SAFETY: the caller's obligation. There is room, so the slot is empty.
        unsafe { self.push_here(traffic, message) }
    }

    /// # Safety
    ///
    /// The writer's slot is there and empty, and this is the one writer.
    #[inline(always)]
    unsafe fn push_here(&mut self, traffic: &Traffic<T>, message: T) -> Result<Told, Refused<T>> {
        // SAFETY: the block is the writer's until the reader has emptied it. The slot was not
        // published yet.
        unsafe { Block::write(self.block, self.slot, message) };
        self.slot += 1;
        self.tail += 1;
        let told = self.publish(traffic);
        if traffic.is_closing() && !planted!(LaneCutUnasked) {
            // SAFETY: the message was published just now, by this call.
            return unsafe { self.take_back(traffic, told) };
        }
        Ok(told)
    }

    #[inline(always)]
    fn publish(&mut self, traffic: &Traffic<T>) -> Told {
        let order = if planted!(LaneUnpublished) {
            // The bug that the models have to find.
            Ordering::Relaxed
        } else {
            // Release publishes the slots to the Acquire in `refresh`.
            Ordering::Release
        };
        traffic.tail().store(self.tail, order);
        traffic.messages().tell(&mut self.teller)
    }

    /// Sends the first message.
    ///
    /// # Safety
    ///
    /// This is the one writer, and it has sent none.
    #[cold]
    unsafe fn push_first(&mut self, lane: &Lane<T>, message: T) -> Result<Told, Refused<T>> {
        // A lane that is closed gets no traffic in vain. If there is some, the push has looked at
        // that.
        let traffic = if self.traffic.is_null() && lane.is_closing() {
            None
        } else {
            self.open(lane)
        };
        let Some(traffic) = traffic else {
            return Err(Refused::Closed(message, Told::Done));
        };
        // Relaxed: written by this thread.
        self.block = traffic.oldest().load(Ordering::Relaxed);
        self.block_len = traffic.block_len(self.block);
        let has_room = self.finds_slot(traffic);
        debug_assert!(has_room, "each lane has room for a message");
        // SAFETY: the block is empty, and the caller is the one writer.
        let pushed = unsafe { self.push_here(traffic, message) };
        if planted!(LaneFirstUntold) {
            return pushed;
        }
        // The reader may have seen no traffic when it began to wait.
        let first = lane.first.tell_loudly();
        match pushed {
            Ok(told) => Ok(told.or(first)),
            Err(Refused::Closed(message, told)) => Err(Refused::Closed(message, told.or(first))),
            full @ Err(Refused::Full(_)) => full,
        }
    }

    /// The traffic, if this writer has made it.
    #[inline(always)]
    fn traffic<'a>(&self, _lane: &'a Lane<T>) -> Option<&'a Traffic<T>> {
        // SAFETY: null, or it lives as long as the lane.
        unsafe { self.traffic.as_ref() }
    }

    /// Makes the traffic, if there is none. `None`: the reader has closed, and there will never be
    /// any.
    fn open<'a>(&mut self, lane: &'a Lane<T>) -> Option<&'a Traffic<T>> {
        if self.traffic.is_null() {
            let made = Traffic::allocate(lane.capacity);
            let order = if planted!(LaneOpenedUnseen) {
                // The bug that the models have to find.
                Ordering::Relaxed
            } else {
                // Release publishes it to the Acquire in `Lane::traffic`.
                Ordering::Release
            };
            // Acquire, if the reader has closed: what it did before.
            let won =
                lane.traffic
                    .compare_exchange(ptr::null_mut(), made, order, Ordering::Acquire);
            if won.is_err() {
                // SAFETY: made above, and shared with no thread.
                unsafe { Traffic::free(made) };
                return None;
            }
            self.traffic = made;
        }
        self.traffic(lane)
    }

    /// Goes on with an empty block.
    fn go_on(&mut self, traffic: &Traffic<T>) {
        // Acquire pairs with the Release in `Reader::go_on`.
        let spare = traffic.spare().swap(ptr::null_mut(), Ordering::Acquire);
        let next = if spare.is_null() {
            Block::allocate(Block::<T>::len_for(traffic.capacity()))
        } else {
            spare
        };
        // SAFETY: the reader leaves a block only for the next one.
        unsafe { (*self.block).link(next, self.tail) };
        self.block = next;
        self.block_len = traffic.block_len(next);
        self.slot = 0;
    }

    /// The reader closes: takes the last message back if it is behind the cut.
    ///
    /// # Safety
    ///
    /// The last message was pushed by the caller.
    #[cold]
    unsafe fn take_back(&mut self, traffic: &Traffic<T>, told: Told) -> Result<Told, Refused<T>> {
        #[cfg(not(drumline_loom))]
        let mut spins = 0;
        let cut = loop {
            if let Some(cut) = traffic.cut() {
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
        traffic.tail().store(self.tail, Ordering::Relaxed);
        // SAFETY: the message is in the slot, and the reader does not touch it.
        let message = unsafe { Block::read(self.block, self.slot) };
        Err(Refused::Closed(message, told))
    }

    /// No message follows.
    pub(in crate::channel) fn end(&mut self, lane: &Lane<T>, reason: CloseReason) -> Told {
        // Release publishes the last messages.
        lane.ended.store(reason.byte(), Ordering::Release);
        let traffic = self.traffic(lane);
        let told = traffic.map_or(Told::Done, |traffic| traffic.messages().tell_loudly());
        if self.block.is_null() {
            // There was no first message.
            told.or(lane.first.tell_loudly())
        } else {
            told
        }
    }
}
