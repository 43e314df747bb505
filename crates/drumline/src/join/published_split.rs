//! A fork for loops: something is on offer to other threads while `a` runs, and `a`
//! can see whether it still is. What no thread took comes back untouched.
//!
//! A thread that has to wait for what was taken may have something open: a folder, with the state
//! of the program in it. It is *closed* first, since what the thread does while it waits may need
//! the same state, or take the same lock.
//!
//! This is the way of what is not in a hurry; lazy loops make [offers](super::offer). Here, too,
//! the job holds a copy of what is offered, and only one of the two is ever used.

use std::mem::ManuallyDrop;
use std::ptr;

use super::offer_head::result_of;
use crate::job::{Header, StackJob};
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
    /// Whether another thread has taken `b`. Also answers threads that ask this thread for
    /// attention meanwhile, as a push would: a thief gets `b` from its owner, and need not
    /// interrupt it.
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
    /// What is on offer is an [offer](super::offer) of which an `R` comes.
    #[cold]
    pub(crate) unsafe fn result<R>(&self) -> Option<&R> {
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
        // SAFETY: the job has been run, which was seen with Acquire, and its result is taken after
        // the end of this watch. The types are the caller's obligation.
        unsafe { result_of(job) }
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

/// Runs `a` with `own` while `item` is on offer. If another thread takes that, it runs `work` with
/// it, and the call waits for the result, after it has `close`d what `a` returned. Little of this
/// is compiled for each of them; what is in a hurry is an [offer](super::offer).
///
/// # Panics
///
/// As [`join`](super::join()), with `work` for its second half; where `close` does; and outside
/// every pool.
#[cold]
pub(crate) fn publish_split<T, O, A, W, RA, R>(
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
    let mut own = Own::new(own, a, close);
    // SAFETY: the job stays in this frame until it has been popped.
    let (caught, is_back) = unsafe { run_split(&mut own, job.header(), None) };
    if let Err(payload) = caught {
        // SAFETY: popped, with this result.
        unsafe { job.abandon(is_back, payload) }
    }
    let ra = own.into_result();
    if is_back {
        return (ra, SplitOutcome::NotTaken(ManuallyDrop::into_inner(item)));
    }
    // SAFETY: the thief has finished; the result is taken once.
    let (ra, done) = unsafe { take_result(ra, &job) };
    (ra, SplitOutcome::Taken(done))
}

/// What a thread does itself while something is on offer, and how that is closed before a wait.
pub(crate) trait OwnPart {
    /// Does it; called once.
    fn run(&mut self, watch: SplitWatch<'_>);

    /// Closes what came of it: this thread is about to wait.
    fn close(&mut self);
}

/// Something that is done, and closed, by functions.
pub(super) struct Own<O, A, C, RA> {
    op: Option<(O, A)>,
    result: Option<RA>,
    close: Option<C>,
}

impl<O, A, C, RA> Own<O, A, C, RA> {
    pub(super) fn new(own: O, a: A, close: C) -> Self {
        Own {
            op: Some((own, a)),
            result: None,
            close: Some(close),
        }
    }

    /// What came of it.
    pub(super) fn into_result(self) -> RA {
        self.result.expect("it has just been run")
    }
}

impl<O, A, C, RA> OwnPart for Own<O, A, C, RA>
where
    A: FnOnce(O, SplitWatch<'_>) -> RA,
    C: FnOnce(RA) -> RA,
{
    fn run(&mut self, watch: SplitWatch<'_>) {
        if let Some((own, a)) = self.op.take() {
            self.result = Some(a(own, watch));
        }
    }

    fn close(&mut self) {
        if let (Some(close), Some(open)) = (self.close.take(), self.result.take()) {
            self.result = Some(close(open));
        }
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

/// As [`run_and_pop`], for loops: as the test scheduler says, where there is one.
///
/// # Safety
///
/// As there. Where there is a test scheduler, the job has not been pushed.
pub(super) unsafe fn run_split(
    own: &mut dyn OwnPart,
    job: *const Header,
    pushed: Option<(&Deque, *mut Slot)>,
) -> (Result<(), Payload>, bool) {
    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    if super::forced::is_active() {
        assert!(pushed.is_none(), "the test scheduler pushes nothing");
        // SAFETY: the caller's obligations.
        return unsafe { super::forced::run_and_pop(own, job) };
    }
    // SAFETY: the caller's obligations.
    unsafe { run_and_pop(own, job, pushed) }
}

/// Pushes `job`, unless that has been done, runs `own`, and takes the job back. Returns whether it
/// did; if not, `own` is closed. Compiled once for all offers and forks.
///
/// # Safety
///
/// The job and `own` stay where they are until then. If the job has been pushed, then just now, to
/// this slot of this deque, which is this thread's. `own` has not been run.
pub(super) unsafe fn run_and_pop(
    own: &mut dyn OwnPart,
    job: *const Header,
    pushed: Option<(&Deque, *mut Slot)>,
) -> (Result<(), Payload>, bool) {
    let (deque, slot) = match pushed {
        Some((deque, slot)) if pool::attend(deque, slot) => (deque, slot),
        Some(_) => {
            // Undone, before any thread could see it.
            let seat = local::seat().expect("a thread that pushes has a seat");
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
    own: &mut dyn OwnPart,
    deque: &Deque,
    slot: *mut Slot,
) -> (Result<(), Payload>, bool) {
    let watch = SplitWatch::Entry(deque, slot);
    let mut caught = unwind::catch(|| own.run(watch));
    // SAFETY: all that was pushed meanwhile has been popped, so this is the newest entry.
    if unsafe { take_back::<FENCED>(deque, slot) } {
        return (caught, true);
    }
    if caught.is_ok() {
        caught = unwind::catch(|| own.close());
    }
    waiting::wait_out(deque, slot);
    (caught, false)
}

/// Takes an entry back. `false`: another thread has begun the job, and [`waiting::wait_out`] is
/// due.
///
/// # Safety
///
/// It is the newest entry of its deque, and this is called once.
#[inline(always)]
pub(super) unsafe fn take_back<const FENCED: bool>(deque: &Deque, slot: *mut Slot) -> bool {
    // SAFETY: the caller's obligations.
    unsafe { deque.pop::<FENCED>(slot) || waiting::take_back(deque, slot) }
}
