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

/// Whether this thread is in no pool.
#[inline(always)]
pub(crate) fn is_outside() -> bool {
    local::deque().is_null()
}

/// Runs `op` in the pool that this thread is in, or as a call of the global one.
#[inline(always)]
pub(crate) fn within<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    if is_outside() {
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

/// Runs `a` with `own` while `item` is on offer. If another thread takes that, it runs
/// `work` with it, and the call waits for the result. On the rare way, what `calm` makes of `own` is run instead
/// of `a`: something that is compiled anyway, so that `a` is compiled once.
///
/// # Panics
///
/// As [`join`](super::join()), with `work` for its second half; and outside
/// every pool.
#[inline(always)]
pub(crate) fn offer<T, O, A, P, B, W, RA, R>(
    item: T,
    own: O,
    a: A,
    calm: impl FnOnce(O) -> (P, B),
    work: W,
) -> Settled<RA, T, R>
where
    T: Send,
    A: FnOnce(O, Watch<'_>) -> RA,
    B: FnOnce(P, Watch<'_>) -> RA,
    W: FnOnce(T) -> R + Send,
    R: Send,
{
    #[cfg(all(test, not(any(loom, shuttle))))]
    if super::forced::is_active() {
        return super::forced::offer(item, own, a, calm, work);
    }
    // SAFETY: the current deque lives as long as this thread is in the pool,
    // and so longer than this frame.
    let deque = unsafe { local::deque().as_ref() }.expect("a loop runs inside a pool");
    let item = MaybeUninit::new(item);
    // SAFETY: initialised just now; see the module on which of the two is used.
    let job = job_of(unsafe { ptr::read(&raw const item).assume_init() }, work);
    let slot = deque.vacant();
    // SAFETY: this thread owns the deque; the job stays in this frame until
    // it has been popped, also if `a` panics.
    if unsafe { deque.push::<false>(slot, job.header()) } {
        let pushed = Some((deque, slot));
        // A copy made on the way: what has its own address passed on is built in memory on the common way, too.
        let (own, calmly) = calm(own);
        let mut own = MaybeUninit::new(own);
        // SAFETY: just pushed; `own` is moved out there.
        return match unsafe { run_calmly(own.as_mut_ptr(), calmly, &job, pushed) } {
            // SAFETY: nobody used the copy, and nobody will.
            (ra, None) => Settled::Rarely(ra, Fate::Back(unsafe { item.assume_init() })),
            (ra, Some(done)) => Settled::Rarely(ra, Fate::Done(done)),
        };
    }
    let ra = match unwind::catch(move || a(own, Watch::Entry(deque, slot))) {
        Ok(ra) => ra,
        Err(payload) => {
            // SAFETY: what `a` pushed was popped while it unwound.
            let is_back = unsafe { pop::<false>(deque, slot) };
            // SAFETY: just popped, with this result.
            unsafe { job.abandon(is_back, payload) }
        }
    };
    // SAFETY: all that `a` pushed has been popped, so this is the newest entry.
    if unsafe { pop::<false>(deque, slot) } {
        // SAFETY: nobody used the copy, and nobody will.
        return Settled::Plainly(ra, Fate::Back(unsafe { item.assume_init() }));
    }
    // SAFETY: the thief has finished; the result is taken once.
    let (ra, done) = unsafe { take_result(ra, &job) };
    Settled::Plainly(ra, Fate::Done(done))
}

/// As [`offer`], for what is not in a hurry: little of it is compiled for each of them.
pub(crate) fn offer_calmly<T, O, A, W, RA, R>(item: T, own: O, a: A, work: W) -> (RA, Fate<T, R>)
where
    T: Send,
    A: FnOnce(O, Watch<'_>) -> RA,
    W: FnOnce(T) -> R + Send,
    R: Send,
{
    #[cfg(all(test, not(any(loom, shuttle))))]
    if super::forced::is_active() {
        return super::forced::offer_calmly(item, own, a, work);
    }
    let item = MaybeUninit::new(item);
    // SAFETY: initialised just now; see the module on which of the two is used.
    let job = job_of(unsafe { ptr::read(&raw const item).assume_init() }, work);
    let mut own = MaybeUninit::new(own);
    // SAFETY: not pushed yet; the job stays in this frame until that call is over, where `own` is moved out.
    match unsafe { run_calmly(own.as_mut_ptr(), a, &job, None) } {
        // SAFETY: nobody used the copy, and nobody will.
        (ra, None) => (ra, Fate::Back(unsafe { item.assume_init() })),
        (ra, Some(done)) => (ra, Fate::Done(done)),
    }
}

/// Pushes the job, unless it is, runs `a` with `own`, and settles the job: `None` if nobody has run it. Its
/// closure must not be used then.
///
/// # Safety
///
/// If the job has been pushed, then just now, to this slot of this deque, which is this thread's. `own` can be
/// moved out of.
#[inline(never)]
unsafe fn run_calmly<O, A, F, RA, R>(
    own: *mut O,
    a: A,
    job: &StackJob<F, R>,
    pushed: Option<(&Deque, *mut Slot)>,
) -> (RA, Option<R>)
where
    A: FnOnce(O, Watch<'_>) -> RA,
    F: FnOnce(bool) -> R + Send,
    R: Send,
{
    let mut call = Call {
        // SAFETY: moved out once.
        run: Some((unsafe { own.read() }, a)),
        ra: MaybeUninit::uninit(),
    };
    let data = (&raw mut call).cast();
    // SAFETY: the job stays where it is, `data` is the call that `run` is for, and `run` is called once.
    let (caught, is_back) =
        unsafe { run_and_pop(Call::<O, A, RA>::run, data, job.header(), pushed) };
    if let Err(payload) = caught {
        // SAFETY: popped, with this result.
        unsafe { job.abandon(is_back, payload) }
    }
    // SAFETY: the call has ended without a panic, and so left its result.
    let ra = unsafe { call.ra.assume_init() };
    if is_back {
        return (ra, None);
    }
    // SAFETY: the thief has finished; the result is taken once.
    let (ra, done) = unsafe { take_result(ra, job) };
    (ra, Some(done))
}

/// The result of a job that another thread has run, with that of this thread; or its panic.
///
/// # Safety
///
/// As for [`StackJob::take_result`].
#[inline]
unsafe fn take_result<RA, F, R>(ra: RA, job: &StackJob<F, R>) -> (RA, R)
where
    F: FnOnce(bool) -> R + Send,
    R: Send,
{
    // SAFETY: the caller's obligations.
    match unsafe { job.take_result() } {
        Ok(rb) => (ra, rb),
        Err(payload) => {
            unwind::discard(ra);
            unwind::resume(payload)
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
struct Call<O, A, RA> {
    run: Option<(O, A)>,
    ra: MaybeUninit<RA>,
}

impl<O, A, RA> Call<O, A, RA>
where
    A: FnOnce(O, Watch<'_>) -> RA,
{
    /// Runs the closure.
    ///
    /// # Safety
    ///
    /// `call` is one of this very type, and this is called once.
    unsafe fn run(call: *mut (), watch: Watch<'_>) {
        // SAFETY: the caller's obligation.
        let call = unsafe { &mut *call.cast::<Self>() };
        if let Some((own, a)) = call.run.take() {
            call.ra.write(a(own, watch));
        }
    }
}

/// Pushes `job`, unless that has been done, runs `run` with `data`, and takes the job back: whether it is.
/// Compiled once for all offers.
///
/// # Safety
///
/// The job stays where it is until then. If it has been pushed, then just now, to this slot of this deque,
/// which is this thread's. `run` can be called with `data`, once.
unsafe fn run_and_pop(
    run: unsafe fn(*mut (), Watch<'_>),
    data: *mut (),
    job: *const Header,
    pushed: Option<(&Deque, *mut Slot)>,
) -> (Result<(), Payload>, bool) {
    let (deque, slot) = match pushed {
        Some((deque, slot)) if pool::attend(deque, slot) => (deque, slot),
        Some(_) => {
            // Undone, before any thread could see it.
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
                    // SAFETY: the caller's obligation.
                    let caught = unwind::catch(|| unsafe { run(data, Watch::Entry(room, slot)) });
                    // SAFETY: all that `run` pushed has been popped.
                    return (caught, unsafe { pop::<true>(room, slot) });
                }
                full = room;
            }
            let _restore = local::switch(seat, seat.overflow(full));
            // SAFETY: the caller's obligations.
            return unsafe { run_and_pop(run, data, job, None) };
        }
        None => {
            // SAFETY: the current deque lives as long as this thread is in the pool,
            // and so longer than this frame.
            let deque = unsafe { local::deque().as_ref() }.expect("a loop runs inside a pool");
            let slot = deque.vacant();
            // SAFETY: this thread owns the deque; the rest is the caller's obligation.
            if unsafe { deque.push::<false>(slot, job) } {
                // SAFETY: just pushed. The deque may be a gate.
                return unsafe { run_and_pop(run, data, job, Some((deque, slot))) };
            }
            (deque, slot)
        }
    };
    // SAFETY: the caller's obligation.
    let caught = unwind::catch(|| unsafe { run(data, Watch::Entry(deque, slot)) });
    // SAFETY: all that `run` pushed has been popped, so this is the newest entry.
    (caught, unsafe { pop::<false>(deque, slot) })
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
