//! Fork and join.

use crate::job::StackJob;
use crate::pool::{self, Deque, local, waiting};
use crate::unwind;

/// Tells a half of a [`join_context`] where it runs.
#[derive(Clone, Copy, Debug)]
pub struct FnContext {
    migrated: bool,
}

impl FnContext {
    #[inline(always)]
    pub(crate) fn new(migrated: bool) -> Self {
        FnContext { migrated }
    }

    /// Whether this closure runs on another thread than the one that called
    /// [`join_context`].
    #[inline]
    pub fn migrated(&self) -> bool {
        self.migrated
    }
}

/// Runs two closures, potentially in parallel, and returns both results.
///
/// The calling thread runs `a` at once. Meanwhile `b` is visible to idle
/// threads of the pool, and any of them can take it *while `a` runs*, even if
/// `a` never calls Drumline again. If nobody took it, the caller runs it after
/// `a`: then the whole call costs about a nanosecond more than two plain calls,
/// and no allocation, fence or atomic read-modify-write.
///
/// Called from a thread outside every pool, it runs on that thread, as a guest
/// of the global pool.
///
/// ```
/// fn sum(values: &[u64]) -> u64 {
///     match values {
///         [] => 0,
///         [one] => *one,
///         _ => {
///             let (left, right) = values.split_at(values.len() / 2);
///             let (l, r) = drumline::join(|| sum(left), || sum(right));
///             l + r
///         }
///     }
/// }
/// assert_eq!(sum(&[1, 2, 3, 4, 5]), 15);
/// ```
///
/// The deque behind it is the THE protocol of Cilk-5 (Frigo, Leiserson,
/// Randall, 1998) with the owner's fence moved into the thief.
///
/// # Panics
///
/// If a half panics, `join` panics with its payload, after the other half has
/// ended: if `b` was not begun when `a` panicked, it is dropped without being
/// run. If both panic, the payload of `a` wins and the other is dropped.
///
/// # Blocking
///
/// If another thread has begun `b` and `a` is done, the call waits; it helps
/// with what `b` forks meanwhile, and runs nothing else.
#[inline]
pub fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    fork::<_, _, _, _, false>(move |_| a(), move |_| b())
}

/// As [`join`]; each closure is told whether it *migrated* to another thread.
///
/// Where work is split to feed idle threads, a half that migrated is the sign
/// that there are such threads.
///
/// ```
/// let (a, b) = drumline::join_context(|ctx| ctx.migrated(), |ctx| ctx.migrated());
/// assert!(!a); // `a` always runs on the calling thread
/// let _ = b; // depends on who was idle
/// ```
///
/// # Panics
///
/// As [`join`].
#[inline]
pub fn join_context<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    fork::<_, _, _, _, false>(
        move |migrated| a(FnContext::new(migrated)),
        move |migrated| b(FnContext::new(migrated)),
    )
}

/// The fork itself. `FENCED` is the variant for systems that refuse the
/// asymmetric barrier; it works on the deque behind the current one, which is
/// a gate.
#[inline(always)]
fn fork<A, B, RA, RB, const FENCED: bool>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let deque = local::deque();
    if deque.is_null() {
        return elsewhere(a, b);
    }
    // SAFETY: the current deque lives as long as this thread is in the pool,
    // and so longer than this frame.
    let mut deque = unsafe { &*deque };
    if FENCED {
        match deque.next() {
            Some(room) => deque = room,
            None => unreachable!("a gate has a room behind it"),
        }
    }
    let job = StackJob::new(b);
    // SAFETY: this thread owns the deque; the job stays in this frame until
    // the slot has been popped or settled below, also if `a` panics.
    let (slot, asked) = unsafe { push::<FENCED>(deque, job.as_job_ref()) };
    if asked && !pool::attend(deque, slot) {
        // SAFETY: the push was undone before any thread could see it.
        return elsewhere(a, unsafe { job.take_func() });
    }
    match unwind::catch(|| a(false)) {
        Ok(ra) => {
            // A drop of it that panics must not meet a panic of `b`.
            let ra = unwind::Quiet::new(ra);
            // SAFETY: all that `a` pushed has been popped, so this is the
            // newest entry.
            let rb = if unsafe { pop::<FENCED>(deque, slot) } || waiting::settle(deque, slot) {
                // SAFETY: the entry is this thread's again, and nobody ran it.
                let b = unsafe { job.take_func() };
                b(false)
            } else {
                // SAFETY: the thief has finished, and the result is taken once.
                match unsafe { job.take_result() } {
                    Ok(rb) => rb,
                    Err(payload) => unwind::resume(payload),
                }
            };
            (ra.take(), rb)
        }
        Err(payload) => {
            // SAFETY: as above.
            if unsafe { pop::<FENCED>(deque, slot) } || waiting::settle(deque, slot) {
                // SAFETY: as above.
                unwind::discard(unsafe { job.take_func() });
            } else {
                // SAFETY: as above.
                unwind::discard(unsafe { job.take_result() });
            }
            unwind::resume(payload)
        }
    }
}

/// # Safety
///
/// As for [`Deque::push`].
#[inline(always)]
unsafe fn push<const FENCED: bool>(
    deque: &Deque,
    job: crate::job::JobRef,
) -> (*mut pool::Slot, bool) {
    if FENCED {
        // SAFETY: the caller's obligations.
        unsafe { deque.push_fenced(job) }
    } else {
        // SAFETY: the caller's obligations.
        unsafe { deque.push(job) }
    }
}

/// # Safety
///
/// As for [`Deque::pop`].
#[inline(always)]
unsafe fn pop<const FENCED: bool>(deque: &Deque, slot: *mut pool::Slot) -> bool {
    if FENCED {
        // SAFETY: the caller's obligations.
        unsafe { deque.pop_fenced(slot) }
    } else {
        // SAFETY: the caller's obligations.
        unsafe { deque.pop(slot) }
    }
}

/// The current deque cannot take the fork: there is none, it is full, or it is
/// a gate.
#[cold]
#[inline(never)]
fn elsewhere<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let Some(seat) = local::seat() else {
        return pool::in_global(|| fork::<_, _, _, _, false>(a, b));
    };
    let mut full = seat.current();
    if full.is_gate() {
        let room = full.next().expect("a gate has a room behind it");
        if room.has_room() {
            return fork::<_, _, _, _, true>(a, b);
        }
        full = room;
    }
    let _restore = local::switch(seat, seat.overflow(full));
    fork::<_, _, _, _, false>(a, b)
}
