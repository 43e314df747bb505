//! A queue that many threads fill and many empty, in one order for all of them.
//!
//! # What it owns
//!
//! *Segments* of slots in a row, each linked to the next:
//!
//! ```text
//!    head                                              tail
//!     ▼                                                 ▼
//!   [.  .  m  m  m  m  m  m]──►[ m  m  m  m  m  m  m  m]──►[ m  m  -  .  .  .  .  .]
//!    taken                                                       ▲ claimed, not written yet
//! ```
//!
//! Head and tail are indices that grow: the number of the segment times [`LAP`](Segment::LAP), plus
//! the place in it. The last place of a lap is the *gap*; it stands for "the next segment is being
//! linked". This is how the [injector](crate::pool) of the pool counts, and, before that, the
//! segmented queues of crossbeam.
//!
//! A slot has a *stamp*: the index of the message that was written there last. So a receiver sees
//! by the slot alone whether its message is there, and does not read the line of memory to which
//! all senders write. No stamp is ever reset.
//!
//! # The word of the tail
//!
//! The index of the tail shares its word with three flags, so the compare-and-swap by which a
//! sender claims its slot tells it, at no further cost:
//!
//! * `CLOSED`: no slot can be claimed any more. The order of all claims and of the close is that of
//!   the changes of one word, so there is no message of which it is doubtful whether it came
//!   before.
//! * `RECEIVERS`: receivers sleep, and are to be woken after the slot is written.
//! * `QUEUED`: senders sleep, and came earlier, or hold permits: the caller has to see the lock.
//!
//! # Capacity
//!
//! A queue with a bound counts what was *taken*. The tail index, which the claim changes, less that
//! count is how many places are in use; senders keep the count that they saw last in the line of
//! the tail, and read that of the receivers only when it does not suffice. So no more places are
//! ever in use than the capacity: the index cannot have changed between the look at the count and
//! the claim, and the count only grows.
//!
//! Where places are kept for messages that come later, the owner of the queue counts them, under a
//! lock of its own. As long as it does, `QUEUED` sends all newcomers to that lock, so that
//! [`room`](Segments::room) stands still, or grows.
//!
//! # The races feared
//!
//! *A sender writes to a segment that is not that of its index.* The segment of the tail changes
//! only while the tail is in the gap, which no claim leaves. A thread that has read the tail, then
//! its segment, and then wins the tail, has the segment of that tail.
//!
//! *A sender writes to a segment that is free.* It touches a segment only after it has claimed a
//! slot there. A slot is not taken before it is written, and a segment is freed when all its slots
//! are taken. The link is written before the last slot.
//!
//! *A receiver sleeps beside a message.* It sets `RECEIVERS` by a read-modify-write of the tail,
//! and looks whether that tail is its head. Either the claim came before, and it sees the index, or
//! the claim sees the flag.
//!
//! *A sender sleeps beside room.* The same, with the count of what was taken: a flag in that word
//! says that senders sleep.
//!
//! # Senders that meet
//!
//! A sender that has lost the compare-and-swap of the tail lets the others go on for a microsecond
//! before it tries again ([`RetryBackoff`]). So each of them has the line of the tail for a row of
//! messages. Four senders on two processors: 8 ns per message, and 19 without that.
//!
//! # In between
//!
//! A message is claimed, and then written. A receiver that comes in between waits for the few
//! instructions of the sender; if that has lost its processor, it offers its own. Nothing that runs
//! in between is the program's.

mod flags;

use std::ptr;

use super::segment::Segment;

use crate::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use crate::sync::{Apart, RetryBackoff, SpinGuard, SpinLock, planted, relax};

/// How often a thread counts messages while others take some.
const LOOKS: u32 = 8;

/// How many times a thread waits for the next instructions of another one before it offers its
/// processor, in calls of `relax`.
#[cfg(not(drumline_loom))]
const SPINS: u32 = 100;

/// How often a receiver tries to take the lock of the head with a pause in between. Then it offers
/// its processor, which the thread that has the lock may need.
const TRIES: u32 = 4;

const CLOSED: u64 = 1;
const RECEIVERS: u64 = 2;
const QUEUED: u64 = 4;
const FLAGS: u64 = CLOSED | RECEIVERS | QUEUED;
/// One place, in the word of the tail.
const PLACE: u64 = 8;

/// Senders sleep: in the word that counts what was taken.
const SENDERS: u64 = 1;
/// One message, in that word.
const TAKEN: u64 = 2;

/// See the module.
#[derive(Debug)]
pub(super) struct Segments<T> {
    tail: Apart<Tail<T>>,
    head: Apart<Head<T>>,
    /// The segment in which the queue begins.
    oldest: AtomicPtr<Segment<T>>,
    /// One that is empty.
    spare: AtomicPtr<Segment<T>>,
    capacity: usize,
}

#[derive(Debug)]
struct Tail<T> {
    word: AtomicU64,
    segment: AtomicPtr<Segment<T>>,
    /// How much was taken, at least.
    taken_seen: AtomicU64,
    /// Here, too, for senders.
    capacity: usize,
}

#[derive(Debug)]
struct Head<T> {
    lock: SpinLock,
    index: AtomicU64,
    segment: AtomicPtr<Segment<T>>,
    /// How much was taken, and a flag. Only in a queue with a bound.
    taken: AtomicU64,
    /// Here, too, for receivers.
    capacity: usize,
}

/// Which senders may claim a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Those for which there is room, if no others wait.
    Newcomer,
    /// One for which there is a place: it holds the lock, and has seen the room.
    Admitted,
}

/// Why no slot was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Full,
    Closed,
}

/// Why a slot was not claimed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Obstacle {
    /// Another sender was faster.
    Contended,
    /// There is something to consider.
    Unusual,
}

/// Why there is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::channel) enum NoMessage {
    Yet,
    Ever,
}

/// What is to be done after a message was sent.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Quietly,
    /// A receiver is to be woken.
    WakesReceiver,
}

/// What is to be done after a message was taken.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Quietly,
    /// Senders wait for the room.
    LeavesRoom,
}

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

/// Waits for the next few instructions of another thread.
fn wait(turn: &mut u32) {
    *turn += 1;
    #[cfg(not(drumline_loom))]
    if *turn > SPINS {
        // It has lost its processor.
        return crate::sync::thread::yield_now();
    }
    relax();
}

impl<T> Segments<T> {
    const LAP: u64 = Segment::<T>::LAP;
    const SLOTS: u64 = Segment::<T>::SLOTS;

    /// A queue with this many places; `usize::MAX`: as many as there is memory for.
    pub(super) fn new(capacity: usize) -> Self {
        Segments {
            tail: Apart(Tail {
                word: AtomicU64::new(0),
                segment: AtomicPtr::new(ptr::null_mut()),
                taken_seen: AtomicU64::new(0),
                capacity,
            }),
            head: Apart(Head {
                lock: SpinLock::new(),
                index: AtomicU64::new(0),
                segment: AtomicPtr::new(ptr::null_mut()),
                taken: AtomicU64::new(0),
                capacity,
            }),
            oldest: AtomicPtr::new(ptr::null_mut()),
            spare: AtomicPtr::new(ptr::null_mut()),
            capacity,
        }
    }

    #[inline]
    pub(super) fn is_bounded(&self) -> bool {
        self.capacity != usize::MAX
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// About how many messages there are.
    pub(super) fn len(&self) -> usize {
        let mut len = 0;
        for _ in 0..LOOKS {
            // Relaxed: the number is of the past in any case.
            let head = self.head.index.load(Ordering::Relaxed);
            let tail = self.tail.word.load(Ordering::Relaxed) / PLACE;
            len = Segment::<T>::number(tail).saturating_sub(Segment::<T>::number(head));
            if head == self.head.index.load(Ordering::Relaxed) {
                break;
            }
            // It was at work while this thread was not, perhaps for long.
        }
        usize::try_from(len).map_or(self.capacity, |len| len.min(self.capacity))
    }

    // ---- senders -----------------------------------------------------------------

    /// Adds a message, or returns it.
    #[inline]
    pub(super) fn push(&self, message: T, pass: Pass) -> Result<Sent, (Refusal, T)> {
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
        // Orders as in `claim`.
        let claim =
            tail.word
                .compare_exchange(word, word + PLACE, Ordering::AcqRel, Ordering::Relaxed);
        match claim {
            Ok(_) => Ok(SlotClaim {
                segment,
                index,
                sent: Sent::Quietly,
            }),
            Err(_) => Err(Obstacle::Contended),
        }
    }

    /// Whether a newcomer could send, or would be refused for good.
    pub(super) fn may_push(&self) -> bool {
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
            let taken = self.head.taken.load(Ordering::Acquire) / TAKEN;
            self.tail.taken_seen.store(taken, Ordering::Relaxed);
            fits(taken)
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

    /// For how many messages there is room. By a thread that holds the lock of those who sleep,
    /// while newcomers have to see that.
    pub(super) fn room(&self) -> usize {
        // Acquire: as in `has_room`.
        let taken = self.head.taken.load(Ordering::Acquire) / TAKEN;
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
        // If it is not null by now, the queue has gone on. Release: as for the tail.
        let _ = self.tail.segment.compare_exchange(
            ptr::null_mut(),
            segment,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        segment
    }

    // ---- receivers ---------------------------------------------------------------

    /// Takes the oldest message.
    ///
    /// # Safety
    ///
    /// No other thread takes at this moment.
    #[inline]
    pub(super) unsafe fn take_alone(&self) -> Result<(T, Taken), NoMessage> {
        // SAFETY: the caller's obligation.
        let message = unsafe { self.take() }?;
        Ok((message, self.count_taken(1)))
    }

    /// Waits for the lock of the head, as a sender waits for the tail.
    #[inline]
    fn lock_head(&self) -> SpinGuard<'_> {
        let lock = &self.head.lock;
        lock.try_lock().unwrap_or_else(|| {
            let mut backoff = RetryBackoff::new();
            for _ in 0..TRIES {
                if !backoff.pause() {
                    break;
                }
                if let Some(held) = lock.try_lock() {
                    return held;
                }
            }
            lock.lock()
        })
    }

    /// As [`take_alone`](Self::take_alone), for several receivers.
    #[inline]
    pub(super) fn take_shared(&self) -> Result<(T, Taken), NoMessage> {
        let held = self.lock_head();
        // SAFETY: the lock is held.
        let message = unsafe { self.take() };
        drop(held);
        Ok((message?, self.count_taken(1)))
    }

    /// Takes up to `most` messages, which is at least one.
    ///
    /// # Safety
    ///
    /// No other thread takes at this moment, unless `is_shared`.
    pub(super) unsafe fn take_many(
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
        drop(held);
        match nothing {
            Some(nothing) if count == 0 => Err(nothing),
            _ => Ok((count, self.count_taken(count))),
        }
    }

    /// # Safety
    ///
    /// The calling thread has the lock of the head, or is the one receiver.
    #[inline]
    unsafe fn take(&self) -> Result<T, NoMessage> {
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
        self.head.segment.store(next, Ordering::Relaxed);
        self.head.index.store(index + 2, Ordering::Relaxed);
        // Read by the last owner of the queue, and by receivers before their first message.
        self.oldest.store(next, Ordering::Relaxed);
        self.keep(segment);
    }

    /// Says that places are free again.
    #[inline]
    pub(super) fn count_taken(&self, count: usize) -> Taken {
        if self.head.capacity == usize::MAX {
            return Taken::Quietly;
        }
        let taken = TAKEN * count as u64;
        // Release: senders see what was done before. Acquire: those who sleep have put down what
        // they want.
        let before = if planted!(TakenBlindly) {
            let before = self.head.taken.load(Ordering::Acquire);
            self.head.taken.store(before + taken, Ordering::Release);
            before
        } else {
            self.head.taken.fetch_add(taken, Ordering::AcqRel)
        };
        if before & SENDERS == 0 {
            Taken::Quietly
        } else {
            Taken::LeavesRoom
        }
    }

    // ---- segments ----------------------------------------------------------------

    #[cold]
    fn empty_segment(&self) -> *mut Segment<T> {
        // Acquire pairs with the Release in `keep`: its slots are empty.
        let spare = self.spare.swap(ptr::null_mut(), Ordering::Acquire);
        if spare.is_null() {
            Segment::allocate()
        } else {
            spare
        }
    }

    /// Keeps an empty segment, or frees one.
    #[cold]
    fn keep(&self, segment: *mut Segment<T>) {
        // SAFETY: only this thread knows it.
        unsafe { (*segment).link(ptr::null_mut()) };
        let before = self.spare.swap(segment, Ordering::AcqRel);
        if !before.is_null() {
            // SAFETY: it is in no list, and no thread but this one knows it.
            unsafe { Segment::free(before) };
        }
    }
}

impl<T> Drop for Segments<T> {
    fn drop(&mut self) {
        if cfg!(drumline_loom) && std::thread::panicking() {
            // The model has failed, and its atomics are gone.
            return;
        }
        // A message whose drop panics stops this. The rest goes on with the others.
        struct Rest<'a, T>(&'a mut Segments<T>);
        impl<T> Rest<'_, T> {
            fn drop_messages(&mut self) {
                // SAFETY: borrowed mutably.
                while unsafe { self.0.take() }.is_ok() {}
            }
        }
        impl<T> Drop for Rest<'_, T> {
            fn drop(&mut self) {
                self.drop_messages();
                // Relaxed: this thread has acquired all.
                let oldest = self.0.oldest.load(Ordering::Relaxed);
                for segment in [oldest, self.0.spare.load(Ordering::Relaxed)] {
                    if !segment.is_null() {
                        // SAFETY: no other thread is left. All slots before the tail are passed, so
                        // the oldest segment is the last one.
                        unsafe { Segment::free(segment) };
                    }
                }
            }
        }
        Rest(self).drop_messages();
    }
}
