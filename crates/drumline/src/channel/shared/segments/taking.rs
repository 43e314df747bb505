//! Receivers take messages out of slots.

use super::super::segment::Segment;
use super::room_flag::RoomLook;
use super::{CLOSED, NoMessage, PLACE, Segments, Taken, wait};
#[cfg(not(drumline_loom))]
use crate::channel::pause::Pause;
use crate::sync::atomic::Ordering;
use crate::sync::{RetryBackoff, SpinGuard};

/// How often a receiver tries to take the lock of the head with a pause in between. Then it offers
/// its processor, which the thread that has the lock may need.
const TRIES: u32 = 4;

impl<T> Segments<T> {
    /// Takes the oldest message.
    ///
    /// # Safety
    ///
    /// No other thread takes at this moment.
    #[inline]
    pub(in super::super) unsafe fn take_alone(&self) -> Result<(T, Taken), NoMessage> {
        // SAFETY: the caller's obligation.
        let message = unsafe { self.take() }?;
        Ok((message, self.count_taken(1)))
    }

    #[inline]
    fn lock_head(&self) -> SpinGuard<'_> {
        match self.head.lock.try_lock() {
            Some(held) => held,
            None => self.wait_for_head(),
        }
    }

    /// Waits for the lock of the head, as a sender waits for the tail.
    #[cold]
    #[inline(never)]
    fn wait_for_head(&self) -> SpinGuard<'_> {
        let mut backoff = RetryBackoff::new();
        for _ in 0..TRIES {
            if !backoff.pause() {
                break;
            }
            if let Some(held) = self.head.lock.try_lock() {
                return held;
            }
        }
        self.head.lock.lock()
    }

    /// As [`take_alone`](Self::take_alone), for several receivers.
    #[inline]
    pub(in super::super) fn take_shared(&self) -> Result<(T, Taken), NoMessage> {
        let held = self.lock_head();
        // SAFETY: the lock is held.
        let message = unsafe { self.take() }?;
        let taken = self.count_taken(1);
        drop(held);
        Ok((message, taken))
    }

    /// Takes up to `most` messages, which is at least one.
    ///
    /// # Safety
    ///
    /// No other thread takes at this moment, unless `is_shared`.
    pub(in super::super) unsafe fn take_many(
        &self,
        messages: &mut Vec<T>,
        most: usize,
        is_shared: bool,
    ) -> Result<(usize, Taken), NoMessage> {
        // Before anything is taken: it may panic.
        messages.reserve(most.min(self.len().max(1)));
        let held = is_shared.then(|| self.lock_head());
        let mut count = 0;
        let nothing = loop {
            if count == most || messages.len() == messages.capacity() {
                break None;
            }
            // SAFETY: the lock is held, or the caller's obligation.
            match unsafe { self.take() } {
                Ok(message) => messages.push(message),
                Err(nothing) => break Some(nothing),
            }
            count += 1;
        };
        match nothing {
            Some(nothing) if count == 0 => Err(nothing),
            _ => {
                let taken = self.count_taken(count);
                drop(held);
                Ok((count, taken))
            }
        }
    }

    /// Takes the oldest message if there is nothing to consider: the usual case.
    ///
    /// # Safety
    ///
    /// As for [`take_alone`](Self::take_alone).
    #[inline]
    pub(in super::super) unsafe fn take_at_once(&self) -> Option<(T, Taken)> {
        // Relaxed, here and below: as in `take`.
        let index = self.head.index.load(Ordering::Relaxed);
        let segment = self.head.segment.load(Ordering::Relaxed);
        if segment.is_null() || index % Self::LAP + 1 >= Self::SLOTS {
            return None;
        }
        // SAFETY: as in `take`.
        let message = unsafe { Segment::read(segment, index) }?;
        // Relaxed: as in `pass`.
        self.head.index.store(index + 1, Ordering::Relaxed);
        Some((message, self.count_taken(1)))
    }

    /// # Safety
    ///
    /// The calling thread has the lock of the head, or is the one receiver.
    #[inline]
    pub(super) unsafe fn take(&self) -> Result<T, NoMessage> {
        // Relaxed: what is the head's is ordered by the lock, or used by one thread.
        let index = self.head.index.load(Ordering::Relaxed);
        let segment = self.head.segment.load(Ordering::Relaxed);
        if !segment.is_null() {
            // SAFETY: a segment is freed when all its slots have been passed. What is read is
            // passed.
            if let Some(message) = unsafe { Segment::read(segment, index) } {
                // SAFETY: the caller's obligation, and the slot is empty.
                unsafe { self.pass(segment, index) };
                return Ok(message);
            }
        }
        // SAFETY: the caller's obligation.
        unsafe { self.take_slowly() }
    }

    /// # Safety
    ///
    /// As for [`take`](Self::take).
    #[cold]
    #[inline(never)]
    unsafe fn take_slowly(&self) -> Result<T, NoMessage> {
        let mut turn = 0;
        loop {
            // Relaxed, here and below: as in `take`.
            let index = self.head.index.load(Ordering::Relaxed);
            let mut segment = self.head.segment.load(Ordering::Relaxed);
            if segment.is_null() {
                // Acquire pairs with the Release in `begin`.
                segment = self.oldest.load(Ordering::Acquire);
                self.head.segment.store(segment, Ordering::Relaxed);
            }
            if !segment.is_null() {
                // SAFETY: as in `take`.
                if let Some(message) = unsafe { Segment::read(segment, index) } {
                    // SAFETY: as in `take`.
                    unsafe { self.pass(segment, index) };
                    return Ok(message);
                }
            }
            // Acquire: what came before the close is seen after it.
            let word = self.tail.word.load(Ordering::Acquire);
            if word / PLACE == index {
                return Err(if word & CLOSED == 0 {
                    NoMessage::Yet
                } else {
                    NoMessage::Ever
                });
            }
            wait(&mut turn);
        }
    }

    /// Goes on behind the slot at the head.
    ///
    /// # Safety
    ///
    /// As for [`take`](Self::take), and the slot is written and empty.
    #[inline]
    unsafe fn pass(&self, segment: *mut Segment<T>, index: u64) {
        if index % Self::LAP + 1 < Self::SLOTS {
            // Relaxed: as in `take`. Senders learn of an empty slot by the count of `count_taken`.
            self.head.index.store(index + 1, Ordering::Relaxed);
            return;
        }
        // SAFETY: the caller's obligation.
        unsafe { self.pass_segment(segment, index) };
    }

    /// # Safety
    ///
    /// As for [`pass`](Self::pass), and it is the last slot.
    #[cold]
    unsafe fn pass_segment(&self, segment: *mut Segment<T>, index: u64) {
        // SAFETY: the segment is alive until it is kept, below. The link came before the stamp of
        // the last slot.
        let next = unsafe { (*segment).next() };
        // Relaxed, here and below: as in `take`.
        self.head.segment.store(next, Ordering::Relaxed);
        self.head.index.store(index + 2, Ordering::Relaxed);
        // Read by the last owner of the queue, and by receivers before their first message.
        self.oldest.store(next, Ordering::Relaxed);
        self.keep(segment);
    }

    /// Lets the senders go on for a moment: a receiver has found nothing, and will look again.
    #[cfg(not(drumline_loom))]
    pub(in super::super) fn pause(&self) {
        let head = &*self.head;
        // Relaxed: what receivers remember here decides how long a pause is, and nothing else.
        let position = head.index.load(Ordering::Relaxed) as u32;
        let found = position.wrapping_sub(head.seen.swap(position, Ordering::Relaxed));
        let mut pause = Pause(head.pause.load(Ordering::Relaxed));
        pause.learn_of(found as usize, head.capacity);
        head.pause.store(pause.0, Ordering::Relaxed);
        pause.pass();
    }

    /// Says that places are free again. By the thread that has taken something, before another one
    /// does.
    #[inline]
    fn count_taken(&self, count: usize) -> Taken {
        let head = &*self.head;
        if head.capacity == usize::MAX {
            return Taken::Quietly;
        }
        // Relaxed: only such a thread writes it. Release: senders see what was done before.
        let taken = head.taken.load(Ordering::Relaxed) + count as u64;
        head.taken.store(taken, Ordering::Release);
        match head.room.look() {
            RoomLook::Nothing => Taken::Quietly,
            RoomLook::Senders => Taken::LeavesRoom,
            RoomLook::Asks => Taken::Asks,
        }
    }
}
