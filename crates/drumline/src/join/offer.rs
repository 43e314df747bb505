//! A fork for loops: `a` can see whether `b` is still on offer.
//!
//! A loop offers half of its items, goes on with the other half, and looks now
//! and then: as long as the offer stands nobody is idle for want of it, and when
//! it is gone the loop makes another. What nobody took is run, or rather handed
//! back, by `b` itself, which is told that it did not migrate.

use std::mem::ManuallyDrop;
use std::ptr;

use super::Fork;
use crate::job::StackJob;
use crate::pool::{self, Deque, Slot, local};

/// The view that `a` has of the offer.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    deque: &'a Deque,
    slot: *mut Slot,
}

impl Watch<'_> {
    /// Whether another thread has taken `b`. Answers those who ask this thread
    /// for attention meanwhile, as a push would: a thief gets `b` from its
    /// owner, and need not interrupt it.
    #[inline(always)]
    pub(crate) fn is_taken(&self) -> bool {
        if self.deque.is_asked() {
            pool::answer(self.deque);
        }
        self.deque.has_lost(self.slot)
    }
}

/// Runs `op` in the pool that this thread is in, or as a call of the global one.
#[inline(always)]
pub(crate) fn within<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    if local::deque().is_null() {
        return pool::in_global(op);
    }
    op()
}

/// Runs `a` while `b` is on offer, then `b`, unless somebody took it; `b` is
/// told whether that is so.
///
/// # Panics
///
/// As [`join`](super::join()); and outside every pool.
#[inline(always)]
pub(crate) fn offer<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce(Watch<'_>) -> RA,
    B: FnOnce(bool) -> RB + Send,
    RB: Send,
{
    let a = ManuallyDrop::new(a);
    let fork = Fork::new(StackJob::new(b));
    // SAFETY: the current deque lives as long as this thread is in the pool,
    // and so longer than this frame.
    let deque = unsafe { local::deque().as_ref() }.expect("a loop runs inside a pool");
    // SAFETY: this thread owns the deque; the fork stays in this frame until
    // it has been popped, also if `a` panics.
    if unsafe { fork.push::<false>(deque) } {
        // SAFETY: the original of `a` is never used again.
        let mut a = ManuallyDrop::new(unsafe { ptr::read(&raw const *a) });
        // SAFETY: `a` is moved out there; the job has been pushed.
        return unsafe { uncommon(&raw mut *a, &fork) };
    }
    // SAFETY: pushed, and nobody asked.
    unsafe { settle::<_, _, _, _, false>(&fork, ManuallyDrop::into_inner(a)) }
}

/// Runs `a` with a view of the pushed `fork`, and settles it.
///
/// # Safety
///
/// The job has been pushed, and its deque attended to.
#[inline(always)]
unsafe fn settle<A, B, RA, RB, const FENCED: bool>(fork: &Fork<B, RB>, a: A) -> (RA, RB)
where
    A: FnOnce(Watch<'_>) -> RA,
    B: FnOnce(bool) -> RB + Send,
    RB: Send,
{
    let watch = Watch {
        // SAFETY: pushed, with the same `FENCED`.
        deque: unsafe { fork.deque::<FENCED>() },
        // SAFETY: pushed.
        slot: unsafe { fork.slot() },
    };
    // SAFETY: the caller's obligations.
    unsafe { fork.finish::<_, _, FENCED>(move |_| a(watch)) }
}

/// The push met a full deque or a gate, or somebody who asks for attention.
///
/// # Safety
///
/// `a` can be moved out of; the fork has been pushed to the current deque.
#[cold]
#[inline(never)]
unsafe fn uncommon<A, B, RA, RB>(a: *mut A, fork: &Fork<B, RB>) -> (RA, RB)
where
    A: FnOnce(Watch<'_>) -> RA,
    B: FnOnce(bool) -> RB + Send,
    RB: Send,
{
    // SAFETY: the deque of a pushed fork is this thread's, and alive.
    if unsafe { pool::attend(fork.deque::<false>(), fork.slot()) } {
        // SAFETY: moved out once; pushed and attended to.
        return unsafe { settle::<_, _, _, _, false>(fork, ptr::read(a)) };
    }
    let seat = local::seat().expect("whoever pushes has a seat");
    let mut full = seat.current();
    if full.is_gate() {
        let room = full.next().expect("a gate has a room behind it");
        if room.has_room() {
            // SAFETY: this thread owns the chain; `fork` stays in its frame.
            if unsafe { fork.push::<true>(room) } {
                // SAFETY: just pushed, to a deque with room.
                unsafe { pool::attend(room, fork.slot()) };
            }
            // SAFETY: moved out once; pushed and attended to.
            return unsafe { settle::<_, _, _, _, true>(fork, ptr::read(a)) };
        }
        full = room;
    }
    let _restore = local::switch(seat, seat.overflow(full));
    // SAFETY: `a` and `b` are moved out once: the push was undone before any
    // thread could see it.
    unsafe { again(ptr::read(a), fork.job.take_func()) }
}

/// An offer that starts over in a deque with room.
#[inline(never)]
fn again<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce(Watch<'_>) -> RA,
    B: FnOnce(bool) -> RB + Send,
    RB: Send,
{
    offer(a, b)
}
