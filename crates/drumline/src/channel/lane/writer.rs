//! The side of a lane that sends.

use std::ptr;

use super::traffic::{NO_CUT, Traffic};
use super::{Lane, Refused};
use crate::channel::CloseReason;
use crate::channel::block::Block;
use crate::sync::atomic::Ordering;
use crate::sync::{planted, relax};
use crate::wait::{Teller, Told, WakeFlag};

/// How often the writer looks for the cut before it offers its processor: the reader may need it.
#[cfg(not(drumline_loom))]
const SPINS: u32 = 100;

/// The slot of a writer that has no block: it needs the next one.
const NO_SLOT: u32 = u32::MAX;

/// The writer's side, in the hands of one thread at a time.
#[derive(Debug)]
pub(in crate::channel) struct Writer<T> {
    /// How many messages it has published.
    tail: usize,
    /// How many were taken when it looked last.
    head_seen: usize,
    /// The traffic of its lane, once it has made that.
    traffic: *const Traffic<T>,
    /// Where the next message goes; null before the first one.
    block: *mut Block<T>,
    slot: u32,
    teller: Teller,
}

// SAFETY: what it points to belongs to the lane.
unsafe impl<T: Send> Send for Writer<T> {}

impl<T> Writer<T> {
    pub(in crate::channel) fn new() -> Self {
        Writer {
            tail: 0,
            head_seen: 0,
            traffic: ptr::null(),
            block: ptr::null_mut(),
            slot: NO_SLOT,
            teller: Teller::default(),
        }
    }

    /// Whether a message would be taken, or refused for good.
    pub(in crate::channel) fn has_room(&mut self, lane: &Lane<T>) -> bool {
        let traffic = self.traffic(lane);
        traffic.is_none_or(|traffic| self.finds_room(traffic) || traffic.is_closing())
    }

    /// Looks for room, at what the reader has taken if it knows of none.
    fn finds_room(&mut self, traffic: &Traffic<T>) -> bool {
        if self.tail - self.head_seen >= traffic.capacity() {
            // Acquire pairs with the Release in `give_back`: the slots are empty.
            self.head_seen = traffic.head().load(Ordering::Acquire);
        }
        self.tail - self.head_seen < traffic.capacity()
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
        if self.tail - self.head_seen >= traffic.capacity() && !self.finds_room(traffic) {
            return Err(Refused::Full(message));
        }
        if self.slot >= traffic.block_len() {
            if self.block.is_null() {
                // SAFETY: the caller's obligation.
                return unsafe { self.push_first(lane, message) };
            }
            self.go_on(traffic);
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
        unsafe { (*self.block).write(self.slot as usize, message) };
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
        traffic.tail.store(self.tail, order);
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
        self.go_on(traffic);
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
            let made = Box::into_raw(Box::new(Traffic::new(lane.capacity)));
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
                drop(unsafe { Box::from_raw(made) });
                return None;
            }
            self.traffic = made;
        }
        self.traffic(lane)
    }

    /// Goes on with an empty block.
    #[cold]
    fn go_on(&mut self, traffic: &Traffic<T>) {
        // Acquire pairs with the Release in `Reader::go_on`.
        let spare = traffic.spare().swap(ptr::null_mut(), Ordering::Acquire);
        let next = if spare.is_null() {
            Block::allocate(traffic.block_len() as usize)
        } else {
            spare
        };
        if self.block.is_null() {
            // Relaxed: published by the tail.
            traffic.oldest().store(next, Ordering::Relaxed);
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
    unsafe fn take_back(&mut self, traffic: &Traffic<T>, told: Told) -> Result<Told, Refused<T>> {
        #[cfg(not(drumline_loom))]
        let mut spins = 0;
        let cut = loop {
            // Acquire: the reader does not look behind the cut any more.
            let cut = traffic.cut().load(Ordering::Acquire);
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
        traffic.tail.store(self.tail, Ordering::Relaxed);
        // SAFETY: the message is in the slot, and the reader does not touch it.
        let message = unsafe { (*self.block).read(self.slot as usize) };
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
