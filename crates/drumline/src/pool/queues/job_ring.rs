//! A short first-in first-out queue that its owner fills without a lock.
//!
//! A task that yields, or that is woken, goes to the end of its worker's queue, again and again. A
//! lock for each of these steps is most of what the step costs. So the first jobs of that line lie
//! in a ring; the further ones lie under the lock of the [`JobQueue`](super::job_queue).
//!
//! ```text
//!   slots:   -   -  [J] [J] [J]  -   -   -
//!                    ▲           ▲
//!                   head        tail         numbers that only grow; the slot is the rest modulo
//!                                            the capacity
//! ```
//!
//! * **push**, by the owner: if `tail - head` is less than the capacity, write the slot, then
//!   `tail + 1`. No read-modify-write.
//! * **take**, by any thread: read the head and the tail, then the slots, then claim them by a
//!   compare-and-swap of the head. The owner takes in the same way.
//!
//! The shape is that of the local queues of Go and of tokio, in which the owner fills one end and
//! all threads take from the other one.
//!
//! # The races feared
//!
//! *Two threads take one job.* The head only grows. So one compare-and-swap at most leaves each of
//! its values.
//!
//! *A thread reads a slot while the owner fills it anew.* The owner does so only after it has seen
//! that the head is past this job. Then the compare-and-swap of that thread fails, and it drops
//! what it has read. The words of a slot are atomic, so what it has read may be nonsense, and no
//! more. (With 64 bits the head does not come back to a value. With 32 bits a thread would have to
//! sleep between its read and its compare-and-swap for exactly 2^32 jobs.)
//!
//! *A job is not seen by a thread that goes to sleep.* A push is a store, as a push to the deque
//! is, and is followed by the same duty (`Seat::published`).

use std::mem;
use std::ptr;
#[cfg(not(drumline_loom))]
use std::sync::OnceLock;

use crate::job::{JobRef, RunFn};
use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::sync::planted;

/// How many jobs there is room for; a power of two.
#[cfg(not(any(drumline_loom, drumline_shuttle)))]
const CAPACITY: usize = 256;
#[cfg(any(drumline_loom, drumline_shuttle))]
const CAPACITY: usize = 2;

/// A share has at most this many jobs besides the first one.
pub(crate) const MOST_FURTHER: usize = 31;

/// A job, in two words that any thread may read at any time.
#[derive(Debug)]
struct Slot {
    data: AtomicPtr<()>,
    /// A [`RunFn`].
    run: AtomicPtr<()>,
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct JobRing {
    /// The number of the oldest job.
    head: AtomicUsize,
    /// The number of the next job; written by the owner.
    tail: AtomicUsize,
    slots: Slots,
}

/// Made by the owner, in its own memory, at the first push.
#[cfg(not(drumline_loom))]
type Slots = OnceLock<Box<[Slot]>>;
#[cfg(drumline_loom)]
type Slots = Box<[Slot]>;

fn make_slots() -> Box<[Slot]> {
    let slot = |_| Slot {
        data: AtomicPtr::new(ptr::null_mut()),
        run: AtomicPtr::new(ptr::null_mut()),
    };
    (0..CAPACITY).map(slot).collect()
}

impl Slot {
    #[inline]
    fn write(&self, job: JobRef) {
        // Relaxed: published by the tail.
        self.data.store(job.data.cast_mut(), Ordering::Relaxed);
        self.run.store(job.run as *mut (), Ordering::Relaxed);
    }

    /// The words, which are a job only if the head is still at it after this.
    #[inline]
    fn read(&self) -> (*const (), *const ()) {
        // Relaxed: the compare-and-swap of the head says whether this counts.
        let data = self.data.load(Ordering::Relaxed);
        let run = self.run.load(Ordering::Relaxed);
        (data.cast_const(), run.cast_const())
    }
}

/// # Safety
///
/// The words are those of one job.
unsafe fn to_job((data, run): (*const (), *const ())) -> JobRef {
    JobRef {
        data,
        // SAFETY: the word was made from such a function.
        run: unsafe { mem::transmute::<*const (), RunFn>(run) },
    }
}

impl Default for JobRing {
    fn default() -> Self {
        JobRing {
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
            #[cfg(not(drumline_loom))]
            slots: OnceLock::new(),
            #[cfg(drumline_loom)]
            slots: make_slots(),
        }
    }
}

impl JobRing {
    /// About how many jobs there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        // Relaxed: a hint. A thread that must not miss a job uses a barrier. The head first: it is
        // never ahead of a tail that is read after it.
        let head = self.head.load(Ordering::Relaxed);
        let tail = self.tail.load(Ordering::Relaxed);
        // The two may be of different times.
        tail.wrapping_sub(head).min(CAPACITY)
    }

    #[cfg(not(drumline_loom))]
    #[inline]
    fn slot(&self, number: usize) -> Option<&Slot> {
        Some(&self.slots.get()?[number % CAPACITY])
    }

    #[cfg(drumline_loom)]
    fn slot(&self, number: usize) -> Option<&Slot> {
        Some(&self.slots[number % CAPACITY])
    }

    /// Owner: adds a job, or gives it back where there is no room. To be followed by the duty after
    /// a push.
    #[inline]
    pub(crate) fn push(&self, job: JobRef) -> Result<(), JobRef> {
        // Relaxed: written by this thread.
        let tail = self.tail.load(Ordering::Relaxed);
        // Acquire pairs with the Release of a take: the slot may be filled anew.
        let head = self.head.load(Ordering::Acquire);
        let room = CAPACITY + usize::from(planted!(JobRingOverfilled));
        if tail.wrapping_sub(head) >= room {
            return Err(job);
        }
        #[cfg(not(drumline_loom))]
        let slots = self.slots.get_or_init(make_slots);
        #[cfg(drumline_loom)]
        let slots = &self.slots;
        slots[tail % CAPACITY].write(job);
        // Release publishes the slot to the Acquire of a take.
        self.tail.store(tail.wrapping_add(1), Ordering::Release);
        Ok(())
    }

    /// Any thread: takes the oldest job.
    #[inline]
    pub(crate) fn take(&self) -> Option<JobRef> {
        // Acquire pairs with the Release of an earlier take: the tail read next is no older.
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            // Acquire pairs with the Release of the push.
            let tail = self.tail.load(Ordering::Acquire);
            // Signed: another thread may have moved the head past this tail.
            if tail.wrapping_sub(head).cast_signed() <= 0 {
                return None;
            }
            let words = self.slot(head)?.read();
            match self.claim(head, 1) {
                // SAFETY: the head was still there, so the slot was not filled anew.
                Ok(_) => return Some(unsafe { to_job(words) }),
                Err(now) => head = now,
            }
        }
    }

    /// Any thread: takes the oldest job, and puts the next ones into `buffer`: as many as `share`
    /// says when it is told how many there are, and at most [`MOST_FURTHER`].
    pub(crate) fn take_share(
        &self,
        share: impl Fn(usize) -> usize,
        buffer: &mut Vec<JobRef>,
    ) -> Option<JobRef> {
        // Acquire, here and below: as in `take`.
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            let tail = self.tail.load(Ordering::Acquire);
            let len = tail.wrapping_sub(head).cast_signed();
            if len <= 0 {
                return None;
            }
            let others = len.unsigned_abs().min(CAPACITY) - 1;
            let further = share(others).min(others).min(MOST_FURTHER);
            let first = self.slot(head)?.read();
            let mut words = [(ptr::null(), ptr::null()); MOST_FURTHER];
            for (place, words) in words[..further].iter_mut().enumerate() {
                *words = self.slot(head.wrapping_add(1 + place))?.read();
            }
            match self.claim(head, 1 + further) {
                Ok(_) => {
                    // SAFETY: the head was still there, so no slot from there to the tail was
                    // filled anew.
                    buffer.extend(
                        words[..further]
                            .iter()
                            .map(|&words| unsafe { to_job(words) }),
                    );
                    // SAFETY: as above.
                    return Some(unsafe { to_job(first) });
                }
                Err(now) => head = now,
            }
        }
    }

    /// Moves the head from `head` on.
    #[inline]
    fn claim(&self, head: usize, count: usize) -> Result<usize, usize> {
        let next = head.wrapping_add(count);
        if planted!(JobRingTakenTwice) {
            self.head.store(next, Ordering::Release);
            return Ok(head);
        }
        // Release: what was read from the slots comes before they are filled anew. Acquire: the
        // tail read after a failure is no older than the head.
        self.head
            .compare_exchange(head, next, Ordering::AcqRel, Ordering::Acquire)
    }

    /// Any thread: the address of the oldest job, as far as one can see, and its place.
    pub(crate) fn oldest(&self) -> Option<(usize, usize)> {
        if self.len() == 0 {
            return None;
        }
        // Relaxed: a hint.
        let head = self.head.load(Ordering::Relaxed);
        Some((self.slot(head)?.read().0.addr(), head))
    }
}
