//! A fork for loops: something is on offer to other threads while `a` runs, and `a`
//! can see whether it still is.
//!
//! A loop offers half of its items, goes on with the other half, and looks now
//! and then: as long as the offer stands nobody is idle for want of it, and when
//! it is gone the loop makes another. What nobody took comes back untouched.
//!
//! A thread that has to wait for what was taken may have something open: a folder, with the state
//! of the program in it. It is *closed* first, since what the thread does while it waits may need
//! the same state, or take the same lock.
//!
//! The job holds a copy of what is offered, bit by bit, and only one of the two
//! is ever used: the copy, if a thief takes the job, or else the original. The
//! original can so stay where the compiler likes it best. To read it back from
//! the job would be a stall for each loop: written in words, and read in pairs.

use std::mem::ManuallyDrop;
use std::ptr;

use crate::job::{ErasedCall, Header, StackJob};
use crate::pool::stack_room::StackRoom;
use crate::pool::{self, Deque, Slot, local, waiting};
use crate::unwind::{self, Payload};

/// The view that `a` has of the offer.
#[derive(Debug)]
pub(crate) enum SplitWatch<'a> {
    /// Of an entry of this thread's deque.
    Entry(&'a Deque, *mut Slot),
    /// Of one of which the test scheduler says whether it is taken; and the job, if it was run.
    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    Forced(bool, Option<*const Header>),
}

impl SplitWatch<'_> {
    /// Whether another thread has taken `b`. Answers those who ask this thread
    /// for attention meanwhile, as a push would: a thief gets `b` from its
    /// owner, and need not interrupt it.
    #[inline(always)]
    pub(crate) fn is_taken(&self) -> bool {
        match *self {
            SplitWatch::Entry(deque, slot) => {
                if deque.is_asked() {
                    pool::answer(deque);
                }
                deque.has_lost(slot)
            }
            #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
            SplitWatch::Forced(is_taken, _) => is_taken,
        }
    }

    /// What came of `b`, if another thread has run it and it did not panic.
    ///
    /// # Safety
    ///
    /// `T` is the type of what is on offer, and `R` what the offer's `work` returns; that captures
    /// nothing of a larger alignment than a word's.
    #[cold]
    pub(crate) unsafe fn result<T, R>(&self) -> Option<&R> {
        let job = match *self {
            SplitWatch::Entry(deque, slot) => {
                if deque.is_asked() {
                    pool::answer(deque);
                }
                waiting::job_if_run(deque, slot)?
            }
            #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
            SplitWatch::Forced(_, job) => job?,
        };
        let result = job.cast::<u8>().wrapping_add(result_offset::<T, R>());
        // SAFETY: the job has been run, which was seen with Acquire, and its result is taken after
        // the end of this watch. The types are the caller's obligation, and so is the place.
        let result = unsafe { &*result.cast::<Result<R, Payload>>() };
        result.as_ref().ok()
    }
}

/// Where the result is in a job for an item of type `T`. The job begins with a word, the header,
/// and what follows is aligned as the largest of what can be there: the item and the result, and
/// pointers. (It could be kept in the watch, but that is made for each offer.)
const fn result_offset<T, R>() -> usize {
    let aligns = [
        align_of::<usize>(),
        align_of::<T>(),
        align_of::<Result<R, Payload>>(),
    ];
    let mut offset = size_of::<Header>();
    let mut i = 0;
    while i < aligns.len() {
        if offset < aligns[i] {
            offset = aligns[i];
        }
        i += 1;
    }
    offset
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
    StackRoom::find().is_some()
}

/// Whether this thread is in no pool.
#[inline(always)]
pub(crate) fn is_outside() -> bool {
    local::deque().is_null()
}

/// Whether the pool of this thread has one job, so that no other thread comes as long as this one
/// does not block.
#[inline(always)]
pub(crate) fn is_alone() -> bool {
    local::seat().is_some_and(|seat| seat.registry().jobs() == 1)
}

/// What this thread offers next is to be taken without a barrier.
#[cold]
pub(crate) fn expose_next() {
    // SAFETY: the current deque lives as long as this thread is in the pool.
    if let Some(deque) = unsafe { local::deque().as_ref() } {
        deque.request_next();
    }
}

/// Runs `op` in the pool that this thread is in, or as a call of the global one. Little is compiled
/// for each `op`.
pub(crate) fn within<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    pool::in_any(op)
}

/// What became of a published split.
#[derive(Debug)]
pub(crate) enum SplitOutcome<T, R> {
    /// No thread took it.
    NotTaken(T),
    /// Another thread took it, and made this of it.
    Taken(R),
}

/// How the split and the owner's own part ended. The two paths are told apart so that a caller can
/// go on differently after the cold one: where two paths meet again, their values meet in memory.
#[derive(Debug)]
pub(crate) enum PublishOutcome<A, T, R> {
    /// On the fast path.
    Fast(A, SplitOutcome<T, R>),
    /// After a push that met a full deque, or a thread that asked for attention.
    Cold(A, SplitOutcome<T, R>),
}

/// Runs `a` with `own` while `item` is on offer. If another thread takes that, it runs
/// `work` with it, and the call waits for the result, after it has `close`d what `a` returned. On
/// the rare way, what `to_cold` makes of `own` is run instead of `a`: something that is compiled
/// anyway, so that `a` is compiled once.
///
/// # Panics
///
/// As [`join`](super::join()), with `work` for its second half; where `close` does; and outside
/// every pool.
#[inline(always)]
pub(crate) fn publish_split<T, O, A, P, B, W, RA, R>(
    item: T,
    own: O,
    a: A,
    to_cold: impl FnOnce(O) -> (P, B) + Copy,
    work: W,
    close: impl FnOnce(RA) -> RA + Copy,
) -> PublishOutcome<RA, T, R>
where
    T: Send,
    A: FnOnce(O, SplitWatch<'_>) -> RA + Copy,
    B: FnOnce(P, SplitWatch<'_>) -> RA,
    W: FnOnce(T) -> R + Copy + Send,
    R: Send,
{
    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    if super::forced::is_active() {
        return super::forced::publish_split(item, own, a, to_cold, work, close);
    }
    // Nothing from here on unwinds but `a`, which is caught: so nothing need be compiled for that.
    let own = ManuallyDrop::new(own);
    let item = ManuallyDrop::new(item);
    // SAFETY: the current deque lives as long as this thread is in the pool,
    // and so longer than this frame.
    let deque = unsafe { local::deque().as_ref() }.expect("a loop runs inside a pool");
    // SAFETY: see the module on which of the two is used.
    let copy = unsafe { ptr::read(&raw const *item) };
    let job = job_of(copy, work);
    let slot = deque.vacant();
    // SAFETY: this thread owns the deque; the job stays in this frame until
    // it has been popped, also if `a` panics.
    if unsafe { deque.push::<false>(slot, job.header()) } {
        // Moved on the way: what has its own address passed on is built in memory on the common
        // way, too.
        let call = ErasedCall::new(to_cold(ManuallyDrop::into_inner(own)));
        // SAFETY: just pushed.
        let (ra, is_back) = unsafe { run_rarely(call, &job, Some((deque, slot)), close) };
        if is_back {
            return PublishOutcome::Cold(
                ra,
                SplitOutcome::NotTaken(ManuallyDrop::into_inner(item)),
            );
        }
        // SAFETY: the thief has finished; the result is taken once.
        let (ra, done) = unsafe { take_result(ra, &job) };
        return PublishOutcome::Cold(ra, SplitOutcome::Taken(done));
    }
    debug_assert_eq!(job.result_at(), result_offset::<T, R>());
    let a = move || {
        a(
            ManuallyDrop::into_inner(own),
            SplitWatch::Entry(deque, slot),
        )
    };
    let ra = match unwind::catch(a) {
        Ok(ra) => ManuallyDrop::new(ra),
        Err(payload) => {
            // SAFETY: what `a` pushed was popped while it unwound.
            let is_back = unsafe { pop::<false>(deque, slot) };
            // SAFETY: just popped, with this result.
            unsafe { job.abandon(is_back, payload) }
        }
    };
    // SAFETY: all that `a` pushed has been popped, so this is the newest entry.
    if unsafe { take_back::<false>(deque, slot) } {
        let item = ManuallyDrop::into_inner(item);
        return PublishOutcome::Fast(ManuallyDrop::into_inner(ra), SplitOutcome::NotTaken(item));
    }
    // SAFETY: it could not be taken back.
    let (ra, done) =
        unsafe { wait_for_result(ManuallyDrop::into_inner(ra), close, &job, deque, slot) };
    PublishOutcome::Fast(ra, SplitOutcome::Taken(done))
}

/// As [`publish_split`], for what is not in a hurry: little of it is compiled for each of them.
#[cold]
pub(crate) fn publish_split_cold<T, O, A, W, RA, R>(
    item: T,
    own: O,
    a: A,
    work: W,
    close: impl FnOnce(RA) -> RA,
) -> (RA, SplitOutcome<T, R>)
where
    T: Send,
    A: FnOnce(O, SplitWatch<'_>) -> RA,
    W: FnOnce(T) -> R + Copy + Send,
    R: Send,
{
    let item = ManuallyDrop::new(item);
    // SAFETY: see the module on which of the two is used.
    let copy = unsafe { ptr::read(&raw const *item) };
    let job = job_of(copy, work);
    // SAFETY: the job stays in this frame until it has been popped.
    let (ra, is_back) = unsafe { run_rarely(ErasedCall::new((own, a)), &job, None, close) };
    if is_back {
        return (ra, SplitOutcome::NotTaken(ManuallyDrop::into_inner(item)));
    }
    // SAFETY: the thief has finished; the result is taken once.
    let (ra, done) = unsafe { take_result(ra, &job) };
    (ra, SplitOutcome::Taken(done))
}

/// The rare way of an offer: pushes `job`, unless that has just been done, runs the call meanwhile,
/// and takes the job back. Returns whether it did; if not, what is on offer must not be used, and
/// what the call returned is closed.
///
/// # Safety
///
/// The job stays where it is until then. If it has been pushed, then just now, to this slot of this
/// deque, which is this thread's.
#[cold]
#[inline(never)]
unsafe fn run_rarely<O, A, F, RA, R>(
    call: ErasedCall<(O, A), RA>,
    job: &StackJob<F, R>,
    pushed: Option<(&Deque, *mut Slot)>,
    close: impl FnOnce(RA) -> RA,
) -> (RA, bool)
where
    A: FnOnce(O, SplitWatch<'_>) -> RA,
    F: FnOnce(bool) -> R + Send,
    R: Send,
{
    let mut own = Own {
        call,
        close: Some(close),
    };
    let erased = erase(&mut own);
    // SAFETY: the job stays where it is, and `erased` is of what stays there, too.
    let (caught, is_back) = unsafe { run_and_pop(erased, job.header(), pushed) };
    if let Err(payload) = caught {
        // SAFETY: popped, with this result.
        unsafe { job.abandon(is_back, payload) }
    }
    (own.call.result(), is_back)
}

/// What a thread does itself while something is on offer, and how that is closed before a wait.
struct Own<O, A, C, RA> {
    call: ErasedCall<(O, A), RA>,
    close: Option<C>,
}

/// An [`Own`] of any type.
#[derive(Clone, Copy)]
pub(super) struct ErasedOwn {
    pub(super) data: *mut (),
    pub(super) run: unsafe fn(*mut (), SplitWatch<'_>),
    pub(super) close: unsafe fn(*mut ()),
}

fn erase<O, A, C, RA>(own: &mut Own<O, A, C, RA>) -> ErasedOwn
where
    A: FnOnce(O, SplitWatch<'_>) -> RA,
    C: FnOnce(RA) -> RA,
{
    ErasedOwn {
        data: ptr::from_mut(own).cast(),
        run: Own::<O, A, C, RA>::run,
        close: Own::<O, A, C, RA>::close,
    }
}

impl<O, A, C, RA> Own<O, A, C, RA>
where
    A: FnOnce(O, SplitWatch<'_>) -> RA,
    C: FnOnce(RA) -> RA,
{
    /// Does it.
    ///
    /// # Safety
    ///
    /// `own` is one of this very type, and no other code uses it.
    #[cold]
    unsafe fn run(own: *mut (), watch: SplitWatch<'_>) {
        // SAFETY: the caller's obligation.
        let own = unsafe { &mut *own.cast::<Self>() };
        if let Some((before, a)) = own.call.op.take() {
            own.call.result = Some(a(before, watch));
        }
    }

    /// Closes what came of it.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    #[cold]
    unsafe fn close(own: *mut ()) {
        // SAFETY: the caller's obligation.
        let own = unsafe { &mut *own.cast::<Self>() };
        if let (Some(close), Some(open)) = (own.close.take(), own.call.result.take()) {
            own.call.result = Some(close(open));
        }
    }
}

/// Closes what this thread has open, and waits for the result of a job that another thread has
/// begun; or for its panic. That of `close` wins.
///
/// # Safety
///
/// The job is that of this entry, which could not be taken back. Called once.
#[cold]
#[inline(never)]
unsafe fn wait_for_result<RA, F, R>(
    ra: RA,
    close: impl FnOnce(RA) -> RA,
    job: &StackJob<F, R>,
    deque: &Deque,
    slot: *mut Slot,
) -> (RA, R)
where
    F: FnOnce(bool) -> R + Send,
    R: Send,
{
    let closed = unwind::catch(|| close(ra)).map(ManuallyDrop::new);
    waiting::wait_out(deque, slot);
    match closed {
        // SAFETY: the thief has finished; the result is taken once.
        Ok(ra) => unsafe { take_result(ManuallyDrop::into_inner(ra), job) },
        // SAFETY: as above.
        Err(payload) => unsafe { job.abandon(false, payload) },
    }
}

/// The result of a job that another thread has run, with that of this thread; or its panic.
///
/// # Safety
///
/// As for [`StackJob::take_result`].
#[cold]
#[inline(never)]
unsafe fn take_result<RA, F, R>(ra: RA, job: &StackJob<F, R>) -> (RA, R)
where
    F: FnOnce(bool) -> R + Send,
    R: Send,
{
    let ra = ManuallyDrop::new(ra);
    // SAFETY: the caller's obligations.
    match unsafe { job.take_result() } {
        Ok(rb) => (ManuallyDrop::into_inner(ra), rb),
        Err(payload) => {
            unwind::discard(ManuallyDrop::into_inner(ra));
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

/// Pushes `job`, unless that has been done, runs `own`, and takes the job back. Returns whether it
/// did; if not, `own` is closed. Compiled once for all offers.
///
/// # Safety
///
/// The job and `own` stay where they are until then. If the job has been pushed, then just now, to
/// this slot of this deque, which is this thread's. `own` has not been run.
unsafe fn run_and_pop(
    own: ErasedOwn,
    job: *const Header,
    pushed: Option<(&Deque, *mut Slot)>,
) -> (Result<(), Payload>, bool) {
    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    if super::forced::is_active() {
        // SAFETY: the caller's obligations.
        return unsafe { super::forced::run_and_pop(own, job) };
    }
    let (deque, slot) = match pushed {
        Some((deque, slot)) if pool::attend(deque, slot) => (deque, slot),
        Some(_) => {
            // Undone, before any thread could see it.
            let seat = local::seat().expect("whoever pushes has a seat");
            let mut full = seat.current();
            if full.is_gate() {
                let room = full
                    .next()
                    .expect("a trampoline deque has a room behind it");
                if room.has_room() {
                    let slot = room.vacant();
                    // SAFETY: this thread owns the chain; the job is the caller's
                    // obligation.
                    if unsafe { room.push::<true>(slot, job) } {
                        pool::attend(room, slot);
                    }
                    // SAFETY: just pushed; `own` is the caller's obligation.
                    return unsafe { run_while::<true>(own, room, slot) };
                }
                full = room;
            }
            let _restore = local::switch(seat, seat.overflow(full));
            // SAFETY: the caller's obligations.
            return unsafe { run_and_pop(own, job, None) };
        }
        None => {
            // SAFETY: the current deque lives as long as this thread is in the pool,
            // and so longer than this frame.
            let deque = unsafe { local::deque().as_ref() }.expect("a loop runs inside a pool");
            let slot = deque.vacant();
            // SAFETY: this thread owns the deque; the rest is the caller's obligation.
            if unsafe { deque.push::<false>(slot, job) } {
                // SAFETY: just pushed. The deque may be a trampoline.
                return unsafe { run_and_pop(own, job, Some((deque, slot))) };
            }
            (deque, slot)
        }
    };
    // SAFETY: just pushed; `own` is the caller's obligation.
    unsafe { run_while::<false>(own, deque, slot) }
}

/// Runs `own` while an entry is on offer, and takes that back, or closes `own` and waits.
///
/// # Safety
///
/// The entry is the newest of this thread's deque; `own` has not been run.
unsafe fn run_while<const FENCED: bool>(
    own: ErasedOwn,
    deque: &Deque,
    slot: *mut Slot,
) -> (Result<(), Payload>, bool) {
    let watch = SplitWatch::Entry(deque, slot);
    // SAFETY: the caller's obligation.
    let mut caught = unwind::catch(|| unsafe { (own.run)(own.data, watch) });
    // SAFETY: all that was pushed meanwhile has been popped, so this is the newest entry.
    if unsafe { take_back::<FENCED>(deque, slot) } {
        return (caught, true);
    }
    if caught.is_ok() {
        // SAFETY: it has been run.
        caught = unwind::catch(|| unsafe { (own.close)(own.data) });
    }
    waiting::wait_out(deque, slot);
    (caught, false)
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

/// As [`pop`], but `false` is no more than that another thread has begun the job:
/// [`waiting::wait_out`] is due.
///
/// # Safety
///
/// As for [`pop`].
#[inline(always)]
unsafe fn take_back<const FENCED: bool>(deque: &Deque, slot: *mut Slot) -> bool {
    // SAFETY: the caller's obligations.
    unsafe { deque.pop::<FENCED>(slot) || waiting::take_back(deque, slot) }
}
