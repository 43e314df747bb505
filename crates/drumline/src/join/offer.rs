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

use std::cell::Cell;
use std::mem::{self, MaybeUninit};
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

/// Runs `a` while `item` is on offer. If another thread takes it, that one runs
/// `work` with it, and the call waits for the result. Returned last: whether the offer met a full deque, or
/// somebody who asked for attention.
///
/// # Panics
///
/// As [`join`](super::join()), with `work` for its second half; and outside
/// every pool.
#[inline(always)]
pub(crate) fn offer<T, A, W, RA, R>(item: T, a: A, work: W) -> (RA, Fate<T, R>, bool)
where
    T: Send,
    A: FnOnce(Watch<'_>) -> RA,
    W: FnOnce(T) -> R + Send,
    R: Send,
{
    #[cfg(all(test, not(any(loom, shuttle))))]
    if super::forced::is_active() {
        let (ra, fate) = super::forced::offer(item, a, work);
        return (ra, fate, super::forced::below(4) == 0);
    }
    // SAFETY: the current deque lives as long as this thread is in the pool,
    // and so longer than this frame.
    let deque = unsafe { local::deque().as_ref() }.expect("a loop runs inside a pool");
    let item = MaybeUninit::new(item);
    // SAFETY: initialised just now; see the module on which of the two is used.
    let job = job_of(unsafe { ptr::read(&raw const item).assume_init() }, work);
    let slot = deque.vacant();
    let mut place = (deque, slot);
    let mut detour = MaybeUninit::uninit();
    // SAFETY: this thread owns the deque; the job stays in this frame until
    // it has been popped, also if `a` panics.
    let is_rare = unsafe { deque.push::<false>(slot, job.header()) };
    if is_rare {
        // SAFETY: just pushed.
        place = unsafe { Detour::take(deque, slot, job.header(), &mut detour) };
    }
    let (deque, slot) = place;
    let caught = unwind::catch(move || a(Watch::Entry(deque, slot)));
    let is_back = if is_rare {
        // SAFETY: made above. All that `a` pushed has been popped, also if it panicked, so this is the newest
        // entry.
        unsafe { detour.assume_init_ref().pop(deque, slot) }
    } else {
        // SAFETY: as above.
        unsafe { pop::<false>(deque, slot) }
    };
    match caught {
        // SAFETY: nobody used the copy, and nobody will.
        Ok(ra) if is_back => (ra, Fate::Back(unsafe { item.assume_init() }), is_rare),
        caught => {
            // SAFETY: popped, with this result.
            let (ra, done) = unsafe { settle(caught, &job, is_back) };
            (ra, Fate::Done(done), is_rare)
        }
    }
}

/// As [`offer`], for what is not in a hurry: little of it is compiled for each of them.
#[inline(never)]
pub(crate) fn offer_calmly<T, A, W, RA, R>(item: T, a: A, work: W) -> (RA, Fate<T, R>)
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
    let item = MaybeUninit::new(item);
    // SAFETY: initialised just now; see the module on which of the two is used.
    let job = job_of(unsafe { ptr::read(&raw const item).assume_init() }, work);
    let mut call = Call {
        a: MaybeUninit::new(a),
        ra: MaybeUninit::uninit(),
    };
    // SAFETY: the job stays in this frame until it has been popped, and `run` is called once, with this call.
    let (caught, is_back) =
        unsafe { run_on_offer(job.header(), Call::<A, RA>::run, (&raw mut call).cast()) };
    // SAFETY: the call has ended without a panic, and so left its result.
    let caught = caught.map(|()| unsafe { call.ra.assume_init() });
    match caught {
        // SAFETY: nobody used the copy, and nobody will.
        Ok(ra) if is_back => (ra, Fate::Back(unsafe { item.assume_init() })),
        caught => {
            // SAFETY: popped, with this result.
            let (ra, done) = unsafe { settle(caught, &job, is_back) };
            (ra, Fate::Done(done))
        }
    }
}

/// A job of one type for all offers with this `work`.
#[inline(always)]
fn job_of<T, W, R>(item: T, work: W) -> StackJob<impl FnOnce(bool) -> R + Send, R>
where
    T: Send,
    W: FnOnce(T) -> R + Send,
    R: Send,
{
    StackJob::new(move |_| work(item))
}

/// A closure, and then what it returned.
struct Call<A, RA> {
    a: MaybeUninit<A>,
    ra: MaybeUninit<RA>,
}

impl<A, RA> Call<A, RA>
where
    A: FnOnce(Watch<'_>) -> RA,
{
    /// Runs the closure.
    ///
    /// # Safety
    ///
    /// `call` is one of this very type, and this is called once.
    unsafe fn run(call: *mut (), watch: Watch<'_>) {
        // SAFETY: the caller's obligation.
        let call = unsafe { &mut *call.cast::<Self>() };
        // SAFETY: moved out once.
        let a = unsafe { call.a.assume_init_read() };
        call.ra.write(a(watch));
    }
}

/// Offers `job`, runs `run` with `data` meanwhile, and takes the job back: whether it is. Compiled once for
/// all of them.
///
/// # Safety
///
/// The job stays where it is until then; `run` can be called with `data`, once.
unsafe fn run_on_offer(
    job: *const Header,
    run: unsafe fn(*mut (), Watch<'_>),
    data: *mut (),
) -> (Result<(), Payload>, bool) {
    // SAFETY: the current deque lives as long as this thread is in the pool,
    // and so longer than this frame.
    let deque = unsafe { local::deque().as_ref() }.expect("a loop runs inside a pool");
    let slot = deque.vacant();
    let mut place = (deque, slot);
    let mut detour = MaybeUninit::uninit();
    // SAFETY: this thread owns the deque; the rest is the caller's obligation.
    let is_rare = unsafe { deque.push::<false>(slot, job) };
    if is_rare {
        // SAFETY: just pushed.
        place = unsafe { Detour::take(deque, slot, job, &mut detour) };
    }
    let (deque, slot) = place;
    // SAFETY: the caller's obligation.
    let caught = unwind::catch(|| unsafe { run(data, Watch::Entry(deque, slot)) });
    let is_back = if is_rare {
        // SAFETY: made above. All that `run` pushed has been popped, so this is the newest entry.
        unsafe { detour.assume_init_ref().pop(deque, slot) }
    } else {
        // SAFETY: as above.
        unsafe { pop::<false>(deque, slot) }
    };
    (caught, is_back)
}

/// The end of an offer that somebody took, or whose closure panicked.
///
/// # Safety
///
/// The job has been popped, with this result; what is on offer is used by nobody else.
#[cold]
#[inline(never)]
unsafe fn settle<RA, F, R>(
    caught: Result<RA, Payload>,
    job: &StackJob<F, R>,
    is_back: bool,
) -> (RA, R)
where
    F: FnOnce(bool) -> R + Send,
    R: Send,
{
    match caught {
        Err(payload) => {
            // SAFETY: the caller's obligations.
            unsafe { job.abandon(is_back) };
            unwind::resume(payload)
        }
        // SAFETY: not back, and so the thief has finished; the result is taken once.
        Ok(ra) => match unsafe { job.take_result() } {
            Ok(rb) => (ra, rb),
            Err(payload) => {
                unwind::discard(ra);
                unwind::resume(payload)
            }
        },
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

/// How a job came to its place after a push that met a full deque or a gate, or somebody who asked for
/// attention. Nothing of it is compiled for each offer.
struct Detour {
    is_fenced: bool,
    /// What the thread was in before it went to another deque.
    before: Cell<Option<local::Restore>>,
}

impl Detour {
    /// Answers those who asked, and makes sure that the job is pushed: where. `place` is filled.
    ///
    /// # Safety
    ///
    /// `deque` is this thread's, which has just pushed `job` to its `slot`.
    #[cold]
    #[inline(never)]
    unsafe fn take<'d>(
        deque: &'d Deque,
        slot: *mut Slot,
        job: *const Header,
        place: &mut MaybeUninit<Detour>,
    ) -> (&'d Deque, *mut Slot) {
        let mut before = None;
        let (mut deque, mut slot) = (deque, slot);
        let mut is_fenced = false;
        while !pool::attend(deque, slot) {
            let seat = local::seat().expect("whoever pushes has a seat");
            let mut full = seat.current();
            if full.is_gate() {
                let room = full.next().expect("a gate has a room behind it");
                if room.has_room() {
                    (deque, slot, is_fenced) = (room, room.vacant(), true);
                    // SAFETY: this thread owns the chain; the job is the caller's
                    // obligation.
                    if unsafe { room.push::<true>(slot, job) } {
                        pool::attend(room, slot);
                    }
                    break;
                }
                full = room;
            }
            let restore = local::switch(seat, seat.overflow(full));
            if before.is_none() {
                before = Some(restore);
            } else {
                // The first one brings back what there was before both.
                mem::forget(restore);
            }
            deque = seat.current();
            slot = deque.vacant();
            // SAFETY: the push was undone before any thread could see it; this thread
            // owns the new deque, which may be a gate.
            if !unsafe { deque.push::<false>(slot, job) } {
                break;
            }
        }
        place.write(Detour {
            is_fenced,
            before: Cell::new(before),
        });
        (deque, slot)
    }

    /// Takes the entry back, and returns to where the thread was. `false`: another thread has run it.
    ///
    /// # Safety
    ///
    /// It is the newest entry of its deque, and this is called once.
    #[cold]
    #[inline(never)]
    unsafe fn pop(&self, deque: &Deque, slot: *mut Slot) -> bool {
        let _restore = self.before.take();
        if self.is_fenced {
            // SAFETY: the caller's obligations.
            unsafe { pop::<true>(deque, slot) }
        } else {
            // SAFETY: as above.
            unsafe { pop::<false>(deque, slot) }
        }
    }
}
