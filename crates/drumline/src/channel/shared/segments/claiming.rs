//! Senders claim slots, and write them.

use std::ptr;

use super::super::segment::Segment;
use super::{CLOSED, FLAGS, PLACE, Pass, QUEUED, RECEIVERS, Refusal, Segments, Sent, wait};
#[cfg(not(drumline_loom))]
use crate::channel::pause::Pause;
use crate::sync::atomic::Ordering;
use crate::sync::{RetryBackoff, planted, prefetch_for_write};

/// A slot that the calling thread has to write.
struct SlotClaim<T> {
    segment: *mut Segment<T>,
    index: u64,
    sent: Sent,
}

impl<T> SlotClaim<T> {
    /// # Safety
    ///
    /// To be called once.
    #[inline]
    unsafe fn write(&self, message: T) {
        // SAFETY: the slot is claimed and not written, so its segment is alive; the caller's
        // obligation.
        unsafe { Segment::write(self.segment, self.index, message) };
    }
}

/// Why a slot was not claimed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Obstacle {
    /// Another sender was faster.
    Contended,
    /// There is something to consider.
    Unusual,
}

impl<T> Segments<T> {
    /// Adds a message, or returns it.
    #[inline]
    pub(in super::super) fn push(&self, message: T, pass: Pass) -> Result<Sent, (Refusal, T)> {
        match self.claim_at_once() {
            Ok(claim) => {
                // SAFETY: just claimed.
                unsafe { claim.write(message) };
                Ok(Sent::Quietly)
            }
            Err(obstacle) => self.push_slowly(message, pass, obstacle),
        }
    }

    #[cold]
    #[inline(never)]
    fn push_slowly(
        &self,
        message: T,
        pass: Pass,
        obstacle: Obstacle,
    ) -> Result<Sent, (Refusal, T)> {
        match self.claim(pass, obstacle) {
            Ok(claim) => {
                // SAFETY: just claimed.
                unsafe { claim.write(message) };
                Ok(claim.sent)
            }
            Err(refusal) => Err((refusal, message)),
        }
    }

    /// Claims a slot if there is nothing to consider: the usual case.
    #[inline]
    fn claim_at_once(&self) -> Result<SlotClaim<T>, Obstacle> {
        let tail = &*self.tail;
        // Acquire: with the tail of a lap comes its segment.
        let word = tail.word.load(Ordering::Acquire);
        let index = word / PLACE;
        // Not the last slot, nor the gap.
        let is_plain = word & FLAGS == 0 && index % Self::LAP + 1 < Self::SLOTS;
        // Relaxed: the count may be an old one, which promises less.
        let fits = tail.capacity == usize::MAX || {
            let taken = tail.taken_seen.load(Ordering::Relaxed);
            Segment::<T>::number(index).saturating_sub(taken) < tail.capacity as u64
        };
        let segment = tail.segment.load(Ordering::Acquire);
        if !is_plain || !fits || segment.is_null() {
            return Err(Obstacle::Unusual);
        }
        // Orders as in `claim`. Relaxed: a failure reads nothing.
        let claim =
            tail.word
                .compare_exchange(word, word + PLACE, Ordering::AcqRel, Ordering::Relaxed);
        match claim {
            Ok(_) => {
                // SAFETY: it has the slot that was claimed, so it is alive.
                if let Some(ahead) = unsafe { Segment::slot_ahead(segment, index) } {
                    prefetch_for_write(ahead);
                }
                Ok(SlotClaim {
                    segment,
                    index,
                    sent: Sent::Quietly,
                })
            }
            Err(_) => Err(Obstacle::Contended),
        }
    }

    /// Whether a newcomer could send, or would be refused for good.
    pub(in super::super) fn may_push(&self) -> bool {
        // Relaxed: what is seen here is looked at again.
        let word = self.tail.word.load(Ordering::Relaxed);
        word & CLOSED != 0
            || word & QUEUED == 0 && (!self.is_bounded() || self.has_room(word / PLACE))
    }

    /// Whether there is room for what is claimed at this index.
    #[inline]
    fn has_room(&self, index: u64) -> bool {
        let claimed = Segment::<T>::number(index);
        // More may have been taken than was claimed at an index that is an old one.
        let fits = |taken: u64| claimed.saturating_sub(taken) < self.capacity as u64;
        // Relaxed: the count may be an old one, which promises less.
        fits(self.tail.taken_seen.load(Ordering::Relaxed)) || {
            // Acquire: what receivers did before, this sender sees.
            let taken = self.head.taken.load(Ordering::Acquire);
            self.tail.taken_seen.store(taken, Ordering::Relaxed);
            fits(taken)
        }
    }

    /// Lets the receivers go on for a moment: a sender has found no room, and will look again. Each
    /// look takes the line of memory away from them, to which they write for each message.
    #[cfg(not(drumline_loom))]
    pub(in super::super) fn pause_for_room(&self) {
        let tail = &*self.tail;
        // Relaxed: what senders remember here decides how long a pause is, and nothing else.
        let position = (tail.word.load(Ordering::Relaxed) / PLACE) as u32;
        let sent = position.wrapping_sub(tail.seen.swap(position, Ordering::Relaxed));
        let mut pause = Pause(tail.pause.load(Ordering::Relaxed));
        pause.learn_of(sent as usize, tail.capacity);
        tail.pause.store(pause.0, Ordering::Relaxed);
        pause.pass();
        if !self.may_push() {
            // No receiver runs now. It may need this very processor. Relaxed: as above.
            tail.pause.store(pause.0 / 4, Ordering::Relaxed);
        }
    }

    #[inline]
    fn claim(&self, pass: Pass, obstacle: Obstacle) -> Result<SlotClaim<T>, Refusal> {
        let mut next: *mut Segment<T> = ptr::null_mut();
        let mut turn = 0;
        let mut backoff = RetryBackoff::new();
        if obstacle == Obstacle::Contended {
            let _ = backoff.pause();
        }
        // Acquire, here and below: with the tail of a lap comes its segment.
        let mut word = self.tail.word.load(Ordering::Acquire);
        loop {
            let index = word / PLACE;
            let place = index % Self::LAP;
            if place == Self::SLOTS {
                wait(&mut turn);
                word = self.tail.word.load(Ordering::Acquire);
                continue;
            }
            if let Some(refusal) = self.refuses(word, pass) {
                if !next.is_null() {
                    self.keep(next);
                }
                return Err(refusal);
            }
            let mut segment = self.tail.segment.load(Ordering::Acquire);
            if segment.is_null() {
                segment = self.begin();
            }
            if place + 1 == Self::SLOTS && next.is_null() {
                next = self.empty_segment();
            }
            // Release: what this thread did before is seen by the one that meets a flag of this
            // word, or the index. Acquire: the flags.
            let claim = self.tail.word.compare_exchange_weak(
                word,
                word + PLACE,
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            if let Err(now) = claim {
                word = if backoff.pause() {
                    self.tail.word.load(Ordering::Acquire)
                } else {
                    now
                };
                continue;
            }
            if place + 1 == Self::SLOTS {
                self.link(segment, next);
            } else if !next.is_null() {
                self.keep(next);
            }
            let sent = if word & RECEIVERS != 0 && !planted!(ReceiversUnseen) {
                Sent::WakesReceiver
            } else {
                Sent::Quietly
            };
            return Ok(SlotClaim {
                segment,
                index,
                sent,
            });
        }
    }

    /// Why nothing can be claimed at this tail, if so.
    #[inline]
    fn refuses(&self, word: u64, pass: Pass) -> Option<Refusal> {
        if word & CLOSED != 0 {
            return Some(Refusal::Closed);
        }
        if !self.is_bounded() || pass == Pass::Admitted {
            return None;
        }
        (word & QUEUED != 0 || !self.has_room(word / PLACE)).then_some(Refusal::Full)
    }

    /// For how many messages there is room. The caller holds the lock of the sleepers, while
    /// newcomers have to see that.
    pub(in super::super) fn room(&self) -> usize {
        // Acquire: as in `has_room`.
        let taken = self.head.taken.load(Ordering::Acquire);
        // Relaxed: ordered by the lock and by the flag.
        let claimed = Segment::<T>::number(self.tail.word.load(Ordering::Relaxed) / PLACE);
        self.capacity.saturating_sub((claimed - taken) as usize)
    }

    /// The calling thread has claimed the last slot of a segment.
    #[cold]
    fn link(&self, segment: *mut Segment<T>, next: *mut Segment<T>) {
        if planted!(TailMovesFirst) {
            self.tail.word.fetch_add(PLACE, Ordering::Release);
            self.tail.segment.store(next, Ordering::Release);
        }
        self.tail.segment.store(next, Ordering::Release);
        // SAFETY: its last slot is claimed and not written, so it is alive.
        unsafe { (*segment).link(next) };
        if !planted!(TailMovesFirst) {
            // Release: with the tail comes its segment. It may have got flags meanwhile.
            self.tail.word.fetch_add(PLACE, Ordering::Release);
        }
    }

    /// The segment in which the queue begins, made by the first sender.
    #[cold]
    fn begin(&self) -> *mut Segment<T> {
        let new = self.empty_segment();
        // Release publishes the segment, Acquire gets that of another sender.
        let first =
            self.oldest
                .compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
        let segment = match first {
            Ok(_) => new,
            Err(other) => {
                self.keep(new);
                other
            }
        };
        // If it is not null by now, the queue has gone on. Release: as for the tail. Relaxed: the
        // segment that is there is not read.
        let _ = self.tail.segment.compare_exchange(
            ptr::null_mut(),
            segment,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        segment
    }
}
