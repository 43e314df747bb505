//! A fork for loops: something is on offer to other threads while `a` runs, and `a`
//! can see whether it still is.
//!
//! A loop offers half of its items, goes on with the other half, and looks now
//! and then: as long as the offer stands nobody is idle for want of it, and when
//! it is gone the loop makes another. What nobody took comes back untouched.
//!
//! The job holds a copy of what is offered, bit by bit, and only one of the two
//! is ever used: the copy, if a thief takes the job, or else the original. The
//! original can so stay where the compiler likes it best. To read it back from
//! the job would be a stall for each loop: written in words, and read in pairs.

use std::mem::MaybeUninit;
use std::ptr;

use crate::job::{Header, StackJob};
use crate::pool::room::Room;
use crate::pool::{self, Deque, Slot, local, waiting};
use crate::unwind::{self, Payload};

/// The view that `a` has of the offer.
#[derive(Debug)]
pub(crate) enum Watch<'a> {
    /// Of an entry of this thread's deque.
    Entry(&'a Deque, *mut Slot),
    /// Of one of which the test scheduler says whether it is taken.
    #[cfg(all(test, not(any(loom, shuttle))))]
    Forced(bool),
}

impl Watch<'_> {
    /// Whether another thread has taken `b`. Answers those who ask this thread
    /// for attention meanwhile, as a push would: a thief gets `b` from its
    /// owner, and need not interrupt it.
    #[inline(always)]
    pub(crate) fn is_taken(&self) -> bool {
        match *self {
            Watch::Entry(deque, slot) => {
                if deque.is_asked() {
                    pool::answer(deque);
                }
                deque.has_lost(slot)
            }
            #[cfg(all(test, not(any(loom, shuttle))))]
            Watch::Forced(is_taken) => is_taken,
        }
    }
}

/// The number of this thread in the pool that it is in; 0 outside.
pub(crate) fn here() -> usize {
    local::seat().map_or(0, |seat| seat.index())
}

/// How many jobs the pool has that this thread is in, or would be in.
pub(crate) fn jobs() -> usize {
    pool::current_jobs()
}

/// Whether there is room on the stack for more offers inside of those that stand.
pub(crate) fn has_room() -> bool {
    Room::find().is_some()
}

/// Runs `op` in the pool that this thread is in, or as a call of the global one.
#[inline(always)]
pub(crate) fn within<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    if local::deque().is_null() {
        return pool::in_global(op);
    }
    op()
}

/// What became of something that was on offer.
#[derive(Debug)]
pub(crate) enum Fate<T, R> {
    /// Nobody took it.
    Back(T),
    /// Another thread took it, and made this of it.
    Done(R),
}

/// How an offer was settled. The two ways are told apart so that a caller can go
/// on differently after the rare one: where two ways meet again, what they bring
/// with them meets in memory.
#[derive(Debug)]
pub(crate) enum Settled<A, T, R> {
    /// On the common way.
    Plainly(A, Fate<T, R>),
    /// After a push that met a full deque, or somebody who asked for attention.
    Rarely(A, Fate<T, R>),
}

/// Runs `a` while `item` is on offer. If another thread takes it, that one runs
/// `work` with it, and the call waits for the result.
///
/// # Panics
///
/// As [`join`](super::join()), with `work` for its second half; and outside
/// every pool.
#[inline(always)]
pub(crate) fn offer<T, A, W, RA, R>(item: T, a: A, work: W) -> Settled<RA, T, R>
where
    T: Send,
    A: FnOnce(Watch<'_>) -> RA,
    W: FnOnce(T) -> R + Send,
    R: Send,
{
    #[cfg(all(test, not(any(loom, shuttle))))]
    if super::forced::is_active() {
        return super::forced::offer(item, a, work);
    }
    // SAFETY: the current deque lives as long as this thread is in the pool,
    // and so longer than this frame.
    let deque = unsafe { local::deque().as_ref() }.expect("a loop runs inside a pool");
    let item = MaybeUninit::new(item);
    // SAFETY: initialised just now; see the module on which of the two is used.
    let copy = unsafe { ptr::read(&raw const item).assume_init() };
    let job = StackJob::new(move |_| work(copy));
    let slot = deque.vacant();
    // SAFETY: this thread owns the deque; the job stays in this frame until
    // it has been popped, also if `a` panics.
    if unsafe { deque.push::<false>(slot, job.header()) } {
        let mut a = MaybeUninit::new(a);
        // SAFETY: `a` is moved out there; the job has been pushed.
        return match unsafe { uncommon(a.as_mut_ptr(), deque, slot, &job) } {
            // SAFETY: nobody used the copy, and nobody will.
            (ra, None) => Settled::Rarely(ra, Fate::Back(unsafe { item.assume_init() })),
            (ra, Some(done)) => Settled::Rarely(ra, Fate::Done(done)),
        };
    }
    // SAFETY: pushed, and nobody asked.
    match unsafe { settle(a, deque, slot, &job) } {
        // SAFETY: nobody used the copy, and nobody will.
        (ra, None) => Settled::Plainly(ra, Fate::Back(unsafe { item.assume_init() })),
        (ra, Some(done)) => Settled::Plainly(ra, Fate::Done(done)),
    }
}

/// Runs `a` with a view of the pushed `job`, and settles that: `None` if nobody
/// has run it. Its closure must not be used then.
///
/// # Safety
///
/// The job has been pushed to `slot` of `deque`, which has been attended to.
#[inline(always)]
unsafe fn settle<A, B, RA, RB>(
    a: A,
    deque: &Deque,
    slot: *mut Slot,
    job: &StackJob<B, RB>,
) -> (RA, Option<RB>)
where
    A: FnOnce(Watch<'_>) -> RA,
    B: FnOnce(bool) -> RB + Send,
    RB: Send,
{
    let ra = match unwind::catch(move || a(Watch::Entry(deque, slot))) {
        Ok(ra) => ra,
        Err(payload) => {
            // SAFETY: what `a` pushed was popped while it unwound.
            let is_back = unsafe { pop::<false>(deque, slot) };
            // SAFETY: just popped.
            unsafe { abandon(job, is_back, payload) }
        }
    };
    // SAFETY: all that `a` pushed has been popped, so this is the newest entry.
    if unsafe { pop::<false>(deque, slot) } {
        return (ra, None);
    }
    // SAFETY: the thief has finished; the result is taken once.
    match unsafe { job.take_result() } {
        Ok(rb) => (ra, Some(rb)),
        Err(payload) => {
            unwind::discard(ra);
            unwind::resume(payload)
        }
    }
}

/// Takes an entry back. `false`: another thread has run it.
///
/// # Safety
///
/// It is the newest entry of its deque, and this is called once.
#[inline(always)]
unsafe fn pop<const FENCED: bool>(deque: &Deque, slot: *mut Slot) -> bool {
    // SAFETY: the caller's obligations.
    unsafe { deque.pop::<FENCED>(slot) || waiting::contest(deque, slot) }
}

/// `a` has panicked, and the job is back, or done: drops it, and goes on panicking.
///
/// # Safety
///
/// The job has been popped, with this result; what is on offer is used by nobody else.
#[cold]
#[inline(never)]
unsafe fn abandon<B, R>(job: &StackJob<B, R>, is_back: bool, payload: Payload) -> !
where
    B: FnOnce(bool) -> R + Send,
    R: Send,
{
    if is_back {
        // SAFETY: the entry is this thread's again, and nobody ran it.
        unwind::discard(unsafe { job.take_func() });
    } else {
        // SAFETY: the thief has finished; the result is taken once.
        unwind::discard(unsafe { job.take_result() });
    }
    unwind::resume(payload)
}

/// The push met a full deque or a gate, or somebody who asks for attention.
///
/// # Safety
///
/// `a` can be moved out of; `deque` is this thread's, which has just pushed `job`
/// to its `slot`.
#[cold]
#[inline(never)]
unsafe fn uncommon<A, B, RA, RB>(
    a: *mut A,
    deque: &Deque,
    slot: *mut Slot,
    job: &StackJob<B, RB>,
) -> (RA, Option<RB>)
where
    A: FnOnce(Watch<'_>) -> RA,
    B: FnOnce(bool) -> RB + Send,
    RB: Send,
{
    // SAFETY: moved out once.
    let mut a = Some(unsafe { a.read() });
    let mut ra = None;
    let mut run = |watch: Watch<'_>| ra = a.take().map(|a| a(watch));
    // SAFETY: the caller's obligations.
    let (caught, is_back) = unsafe { run_and_pop(&mut run, deque, slot, job.header()) };
    if let Err(payload) = caught {
        // SAFETY: popped, with this result.
        unsafe { abandon(job, is_back, payload) }
    }
    let ra = ra.expect("it has just been run");
    if is_back {
        return (ra, None);
    }
    // SAFETY: the thief has finished; the result is taken once.
    match unsafe { job.take_result() } {
        Ok(rb) => (ra, Some(rb)),
        Err(payload) => {
            unwind::discard(ra);
            unwind::resume(payload)
        }
    }
}

/// Runs `a` where the job is pushed in the end, and pops that: whether it is back.
/// Compiled once for all offers.
///
/// # Safety
///
/// `deque` is this thread's, which has just pushed `job` to its `slot`.
unsafe fn run_and_pop(
    a: &mut dyn FnMut(Watch<'_>),
    deque: &Deque,
    slot: *mut Slot,
    job: *const Header,
) -> (Result<(), Payload>, bool) {
    if pool::attend(deque, slot) {
        let caught = unwind::catch(|| a(Watch::Entry(deque, slot)));
        // SAFETY: all that `a` pushed has been popped.
        return (caught, unsafe { pop::<false>(deque, slot) });
    }
    let seat = local::seat().expect("whoever pushes has a seat");
    let mut full = seat.current();
    if full.is_gate() {
        let room = full.next().expect("a gate has a room behind it");
        if room.has_room() {
            let slot = room.vacant();
            // SAFETY: this thread owns the chain; the job is the caller's
            // obligation.
            if unsafe { room.push::<true>(slot, job) } {
                pool::attend(room, slot);
            }
            let caught = unwind::catch(|| a(Watch::Entry(room, slot)));
            // SAFETY: all that `a` pushed has been popped.
            return (caught, unsafe { pop::<true>(room, slot) });
        }
        full = room;
    }
    let _restore = local::switch(seat, seat.overflow(full));
    let further = seat.current();
    let slot = further.vacant();
    // SAFETY: the push was undone before any thread could see it; this thread
    // owns the new deque.
    if unsafe { further.push::<false>(slot, job) } {
        // SAFETY: just pushed. The new deque may be a gate.
        return unsafe { run_and_pop(a, further, slot, job) };
    }
    let caught = unwind::catch(|| a(Watch::Entry(further, slot)));
    // SAFETY: all that `a` pushed has been popped.
    (caught, unsafe { pop::<false>(further, slot) })
}
