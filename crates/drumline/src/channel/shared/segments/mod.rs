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
//! *A sender sleeps beside room.* A word beside that count says that senders sleep: see
//! [`room_flag`].
//!
//! # Senders that meet
//!
//! A sender that has lost the compare-and-swap of the tail lets the others go on for a microsecond
//! before it tries again ([`RetryBackoff`]). So each of them has the line of the tail for a row of
//! messages. Four senders on two processors: 8 ns per message, and 19 without that.
//!
//! # Senders that are ahead
//!
//! A claim is a compare-and-swap, before which all earlier stores have to become visible. So a
//! sender would wait at each new line of slots until no other processor has it. It has the
//! processor [prefetch](prefetch_for_write) the next line, while it writes to this one: 48 ns a
//! message without that and 23 with it, for four senders and four receivers on two processors.
//!
//! A sender that has found no room lets the receivers go on for [a
//! moment](Segments::pause_for_room) before it looks again: each look takes a line of memory from
//! them. 44 ns without that, and 23 with it.
//!
//! # In between
//!
//! A message is claimed, and then written. A receiver that comes in between waits for the few
//! instructions of the sender; if that has lost its processor, it offers its own. Nothing that runs
//! in between is the program's.

mod claiming;
mod flags;
mod room_flag;
mod taking;

use std::ptr;

#[cfg(all(test, drumline_loom))]
pub(super) use self::room_flag::LOUDS;
use self::room_flag::RoomFlag;
use super::segment::Segment;
#[cfg(not(drumline_loom))]
use crate::sync::atomic::AtomicU32;
use crate::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
#[cfg(doc)]
use crate::sync::prefetch_for_write;
use crate::sync::{Apart, SpinLock, relax};
#[cfg(not(drumline_loom))]
use crate::{
    sync::Instant,
    wait::{Watched, YieldRecord, watch_moving},
};

/// How often a thread counts messages while others take some.
const LOOKS: u32 = 8;

/// How many times a thread waits for the next instructions of another one before it offers its
/// processor, in calls of `relax`.
#[cfg(not(drumline_loom))]
const SPINS: u32 = 100;

const CLOSED: u64 = 1;
const RECEIVERS: u64 = 2;
const QUEUED: u64 = 4;
const FLAGS: u64 = CLOSED | RECEIVERS | QUEUED;
/// One place, in the word of the tail.
const PLACE: u64 = 8;

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
    /// Where the tail was when a sender last found no room: the low bits.
    #[cfg(not(drumline_loom))]
    seen: AtomicU32,
    /// A [`Pause`](crate::channel::pause::Pause) of senders that have found no room.
    #[cfg(not(drumline_loom))]
    pause: AtomicU32,
    /// Whether it pays to offer the processor here. Where there is space for it.
    #[cfg(not(drumline_loom))]
    yields: YieldRecord,
}

#[derive(Debug)]
struct Head<T> {
    lock: SpinLock,
    index: AtomicU64,
    segment: AtomicPtr<Segment<T>>,
    /// How much was taken. Only in a queue with a bound, as `room`.
    taken: AtomicU64,
    room: RoomFlag,
    /// Here, too, for receivers.
    capacity: usize,
    /// Where the head was when a receiver last found nothing: the low bits.
    #[cfg(not(drumline_loom))]
    seen: AtomicU32,
    /// A [`Pause`](crate::channel::pause::Pause) of receivers that have found nothing.
    #[cfg(not(drumline_loom))]
    pause: AtomicU32,
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
    /// The queue is to [ask](Segments::ask_for_barrier) something.
    Asks,
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
                #[cfg(not(drumline_loom))]
                seen: AtomicU32::new(0),
                #[cfg(not(drumline_loom))]
                pause: AtomicU32::new(0),
                #[cfg(not(drumline_loom))]
                yields: YieldRecord::new(),
            }),
            head: Apart(Head {
                lock: SpinLock::new(),
                index: AtomicU64::new(0),
                segment: AtomicPtr::new(ptr::null_mut()),
                taken: AtomicU64::new(0),
                room: RoomFlag::new(),
                capacity,
                #[cfg(not(drumline_loom))]
                seen: AtomicU32::new(0),
                #[cfg(not(drumline_loom))]
                pause: AtomicU32::new(0),
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

    /// Watches for a message or for room, before the thread sleeps.
    #[cfg(not(drumline_loom))]
    pub(super) fn watch(
        &self,
        deadline: Option<Instant>,
        is_ready: impl FnMut() -> bool,
    ) -> Watched {
        // Grows with each message that is sent, and that is taken. Relaxed: a hint.
        let moved = || {
            let sent = self.tail.word.load(Ordering::Relaxed) / PLACE;
            sent + self.head.index.load(Ordering::Relaxed)
        };
        watch_moving(deadline, is_ready, &self.tail.yields, moved)
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
        // A message that panics in its drop stops this. The rest goes on with the others.
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
