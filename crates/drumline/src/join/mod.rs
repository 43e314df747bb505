//! Fork and join.
//!
//! # The fast path
//!
//! Each instruction of [`fork`], and of `push` and `pop` of the deque, has to be defended. *Nothing
//! of the runtime is in a register while `a` runs*: see [`Fork`] and [`FirstResult`]. The deque is
//! looked up anew, by one load (`sync::own_word`). *What is rare leaves the fast path and does not
//! come back*: see [`fork`].
//!
//! # Rejected
//!
//! * The slot in a register: `fib` 35 on one job took 3.05 ns per call, and 1.43 to 1.69 without.
//! * The deque from a `thread_local!` of `std`: `fib` saves registers for it (1.68 and 1.41 ns);
//!   `uts` took 1.30 and 1.16 times as long as plain recursion.
//! * A cold call that returns: it keeps values alive in saved registers (`uts`: 1.43 and 1.31).
//! * A scope argument that the program's code passes on: it gained nothing over thread-local state.

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
pub(crate) mod forced;
mod offer;
mod offer_head;
mod published_split;

use std::cell::Cell;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr;

use crate::job::StackJob;
use crate::pool::{self, Deque, Pool, Slot, local, waiting};
use crate::sync::thread;
use crate::unwind::{self, Payload};

pub(crate) use offer::{Lost, OfferOutcome, Offered, Rare, offer};
use published_split::{Own, run_and_pop};
pub(crate) use published_split::{
    OwnPart, SplitOutcome, SplitWatch, expose_next, has_room, here, is_alone, is_outside, jobs,
    publish_split, within,
};

/// Tells a half of a [`join_context`] where it runs.
///
/// ```
/// fn count(ctx: drumline::FnContext) -> usize {
///     usize::from(ctx.migrated())
/// }
/// let (a, b) = drumline::join_context(count, count);
/// println!("{} of 2 halves migrated", a + b);
/// ```
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
    ///
    /// ```
    /// let (here, there) = drumline::join_context(|a| a.migrated(), |b| b.migrated());
    /// assert!(!here); // the first closure runs on the caller
    /// println!("the second one ran on {} thread", if there { "another" } else { "this" });
    /// ```
    #[must_use]
    #[inline]
    pub fn migrated(&self) -> bool {
        self.migrated
    }
}

/// Runs two closures, potentially in parallel, and returns both results.
///
/// The calling thread runs `a` at once. Meanwhile `b` is visible to idle threads of the pool. Any
/// of them can take it *while `a` runs*, even if `a` never calls Drumline again. If no thread took
/// it, the caller runs it after `a`. Then the whole call costs about a nanosecond more than two
/// plain calls, and no allocation, fence or atomic read-modify-write.
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
    fork(move |_| a(), move |_| b())
}

/// As [`join`]; each closure is told whether it *migrated* to another thread.
///
/// Where work is split to feed idle threads, a half that migrated is the sign
/// that there are such threads.
///
/// ```
/// let (a, b) = drumline::join_context(|ctx| ctx.migrated(), |ctx| ctx.migrated());
/// assert!(!a); // `a` always runs on the calling thread
/// let _ = b; // depends on which threads are idle
/// ```
///
/// # Panics
///
/// As [`join`].
///
/// # Blocking
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
    if local::deque().is_null() {
        return join_outside(a, b);
    }
    fork(
        move |migrated| a(FnContext::new(migrated)),
        move |migrated| b(FnContext::new(migrated)),
    )
}

/// As [`join_context`], on a thread that is in no pool: both halves migrate
/// where the pool takes no guests.
#[cold]
fn join_outside<RA: Send, RB: Send>(
    a: impl FnOnce(FnContext) -> RA + Send,
    b: impl FnOnce(FnContext) -> RB + Send,
) -> (RA, RB) {
    let home = thread::current().id();
    let moved = move || thread::current().id() != home;
    fork(
        move |migrated| a(FnContext::new(migrated || moved())),
        move |migrated| b(FnContext::new(migrated || moved())),
    )
}

impl Pool {
    /// [`join()`] in this pool.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// assert_eq!(pool.join(|| 1 + 1, || 2 + 2), (2, 4));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`join()`], and in a forked child.
    ///
    /// # Blocking
    ///
    /// As [`join()`]; in a pool without guests, until one of its threads has
    /// run both halves.
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.install(|| join(a, b))
    }
}

/// What a fork keeps in its frame while `a` runs.
///
/// The slot is kept here and read again afterwards, instead of being left to a
/// register: registers that live across the call to `a` would be saved and
/// restored by *every* call of the user's function, also by those that do not
/// fork. A recursion is bound by its stores, and half of its calls are leaves.
/// For the same reason the result of `a` waits in memory for `b` ([`FirstResult`]).
#[repr(C)]
struct Fork<F, R> {
    job: StackJob<F, R>,
    slot: Cell<MaybeUninit<*mut Slot>>,
    /// Where asking for the current one has a price; not written otherwise.
    deque: Cell<MaybeUninit<*const Deque>>,
}

impl<F, R> Fork<F, R>
where
    F: FnOnce(bool) -> R + Send,
    R: Send,
{
    #[inline(always)]
    fn new(job: StackJob<F, R>) -> Self {
        Fork {
            job,
            slot: Cell::new(MaybeUninit::uninit()),
            deque: Cell::new(MaybeUninit::uninit()),
        }
    }

    /// Pushes the job to `deque`, which is the current one. Returns whether its owner was asked for
    /// attention, and must call [`pool::attend`].
    ///
    /// # Safety
    ///
    /// This thread owns `deque`, which has room or a scratch slot; the fork
    /// stays where it is until [`pop`](Self::pop).
    #[inline(always)]
    unsafe fn push(&self, deque: &Deque) -> bool {
        let slot = deque.vacant();
        self.slot.set(MaybeUninit::new(slot));
        if !local::CHEAP {
            self.deque.set(MaybeUninit::new(deque));
        }
        // SAFETY: the caller's obligations.
        unsafe { deque.push::<false>(slot, self.job.header()) }
    }

    /// The slot of the pushed job.
    ///
    /// # Safety
    ///
    /// [`push`](Self::push) has been called.
    #[inline(always)]
    unsafe fn slot(&self) -> *mut Slot {
        // SAFETY: `push` has set it.
        unsafe { self.slot.get().assume_init() }
    }

    /// The deque to which the job was pushed.
    ///
    /// # Safety
    ///
    /// [`push`](Self::push) has been called, and the thread pushes to where it pushed then.
    #[inline(always)]
    unsafe fn deque(&self) -> &Deque {
        let deque = if local::CHEAP {
            local::deque()
        } else {
            // SAFETY: `push` has set it.
            unsafe { self.deque.get().assume_init() }
        };
        // SAFETY: the deque outlives the frame that pushed to it.
        unsafe { &*deque }
    }

    /// Takes the entry back. `false`: another thread has run it.
    ///
    /// # Safety
    ///
    /// The job has been pushed, it is the newest entry of its deque, and this
    /// is called once.
    #[inline(always)]
    unsafe fn pop(&self) -> bool {
        // SAFETY: the job has been pushed; whatever `a` switched to, it has
        // switched back, also if it panicked.
        let deque = unsafe { self.deque() };
        // SAFETY: the job has been pushed.
        let slot = unsafe { self.slot() };
        // SAFETY: the caller's obligations.
        unsafe { deque.pop::<false>(slot) || waiting::contest(deque, slot) }
    }

    /// Runs `a`, then settles `b`: the part of a fork after the push.
    ///
    /// # Safety
    ///
    /// The job has been pushed, and no thread has asked for attention.
    #[inline(always)]
    unsafe fn finish<A, RA>(&self, a: A) -> (RA, R)
    where
        A: FnOnce(bool) -> RA,
    {
        match unwind::catch(|| a(false)) {
            // SAFETY: all that `a` pushed has been popped, so this is the newest entry.
            Ok(ra) => unsafe { self.settle(ra, || self.pop()) },
            // SAFETY: as above; what `a` pushed was popped while it unwound.
            Err(payload) => unsafe { self.recover(payload) },
        }
    }

    /// Runs `b`, if it `is_back`, or takes what came of it. Returns that with what came of `a`.
    ///
    /// # Safety
    ///
    /// It is back, or another thread has run it, as `is_back` says. Called once.
    #[inline(always)]
    unsafe fn settle<RA>(&self, ra: RA, is_back: impl FnOnce() -> bool) -> (RA, R) {
        // Never moved, so that the value is not, either.
        let mut kept = FirstResult::vacant();
        kept.put(ra);
        let rb = if is_back() {
            // SAFETY: the entry is this thread's again; no other has run it.
            let b = unsafe { self.job.take_func() };
            b(false)
        } else {
            // SAFETY: the thief has finished; the result is taken once.
            match unsafe { self.job.take_result() } {
                Ok(rb) => rb,
                Err(payload) => {
                    drop(kept);
                    unwind::resume(payload)
                }
            }
        };
        // SAFETY: put above, taken once, and not dropped.
        let ra = unsafe { kept.take() };
        std::mem::forget(kept);
        (ra, rb)
    }

    /// `a` has panicked: waits for `b`, or drops it, and goes on panicking.
    ///
    /// # Safety
    ///
    /// As for [`pop`](Self::pop).
    #[cold]
    #[inline(never)]
    unsafe fn recover(&self, payload: Payload) -> ! {
        // SAFETY: the caller's obligations.
        let is_back = unsafe { self.pop() };
        // SAFETY: so says `pop`.
        unsafe { self.job.abandon(is_back, payload) }
    }
}

/// The result of `a` while `b` runs: in memory, and [discarded] if `b` panics.
///
/// A result that fits registers would stay in one, and that one would have to
/// be saved by every call, as explained at [`Fork`]. A store and a load that
/// the compiler may not remove cost less.
///
/// [discarded]: unwind::discard
struct FirstResult<T>(MaybeUninit<T>);

impl<T> FirstResult<T> {
    const IN_REGISTERS: bool = size_of::<T>() <= 2 * size_of::<usize>();

    /// Must be [`put`](Self::put) next.
    #[inline(always)]
    fn vacant() -> Self {
        FirstResult(MaybeUninit::uninit())
    }

    #[inline(always)]
    fn put(&mut self, value: T) {
        if Self::IN_REGISTERS {
            // SAFETY: the place is this value's own.
            unsafe { ptr::write_volatile(self.0.as_mut_ptr(), value) };
        } else {
            self.0.write(value);
        }
    }

    /// Takes the value out.
    ///
    /// # Safety
    ///
    /// It has been put, is taken once, and the place is not dropped then.
    #[inline(always)]
    unsafe fn take(&self) -> T {
        if Self::IN_REGISTERS {
            // SAFETY: the caller's obligation.
            unsafe { ptr::read_volatile(self.0.as_ptr()) }
        } else {
            // SAFETY: as above.
            unsafe { self.0.assume_init_read() }
        }
    }
}

impl<T> Drop for FirstResult<T> {
    #[inline(always)]
    fn drop(&mut self) {
        if const { std::mem::needs_drop::<T>() } {
            // A drop that panics must not meet the panic of `b`.
            // SAFETY: `put` before, and `take` does not drop `self`.
            unwind::discard(unsafe { self.0.assume_init_read() });
        }
    }
}

/// The fork itself: push `b`, run `a`, settle `b`.
///
/// Whatever is rare leaves for [`uncommon`] and does not come back. So only the result of `a` has
/// to survive a call on this path. The closures are moved there through copies made on the way. To
/// pass on the address of a closure itself would build the closure in memory on the fast path, too.
#[inline(always)]
fn fork<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let a = ManuallyDrop::new(a);
    let fork = Fork::new(StackJob::new(b));
    // SAFETY: the current deque lives as long as this thread is in the pool,
    // and so longer than this frame.
    let Some(deque) = (unsafe { local::deque().as_ref() }) else {
        // SAFETY: the original of `a` is never used again.
        let mut a = ManuallyDrop::new(unsafe { ptr::read(&raw const *a) });
        // SAFETY: `a` is moved out there; nothing has been pushed.
        return unsafe { uncommon(&raw mut *a, &fork, false) };
    };
    // SAFETY: this thread owns the deque; the fork stays in this frame until
    // it has been popped, also if `a` panics.
    if unsafe { fork.push(deque) } {
        // SAFETY: the original of `a` is never used again.
        let mut a = ManuallyDrop::new(unsafe { ptr::read(&raw const *a) });
        // SAFETY: `a` is moved out there; the job has been pushed.
        return unsafe { uncommon(&raw mut *a, &fork, true) };
    }
    // SAFETY: pushed, and no thread has asked.
    unsafe { fork.finish(ManuallyDrop::into_inner(a)) }
}

/// The rest of a fork that is not common: no thread has taken the job yet because
/// there is no deque (`pushed` is false); or the push met a full deque or a
/// trampoline, or a thread that asks for attention. Most of it is compiled once for all forks
/// ([`run_and_pop`]).
///
/// # Safety
///
/// `a` can be moved out of; `pushed` says whether the fork has been pushed to
/// its deque, just now.
#[cold]
#[inline(never)]
unsafe fn uncommon<A, B, RA, RB>(a: *mut A, fork: &Fork<B, RB>, pushed: bool) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    // SAFETY: moved out once.
    let a = unsafe { ptr::read(a) };
    if is_outside() {
        // SAFETY: moved out once; nothing has been pushed.
        let b = unsafe { fork.job.take_func() };
        return pool::in_global(move || {
            let mut a = ManuallyDrop::new(a);
            let fork = Fork::new(StackJob::new(b));
            // SAFETY: `a` is moved out there; nothing has been pushed.
            unsafe { uncommon(&raw mut *a, &fork, false) }
        });
    }
    // SAFETY: the deque of a pushed fork is this thread's, and alive.
    let pushed = pushed.then(|| unsafe { (fork.deque(), fork.slot()) });
    // A result is closed.
    let mut first = Own::new((), |(), _watch: SplitWatch<'_>| a(false), |ra| ra);
    // SAFETY: the fork stays in its frame.
    let (caught, is_back) = unsafe { run_and_pop(&mut first, fork.job.header(), pushed) };
    if let Err(payload) = caught {
        // SAFETY: popped, with this result.
        unsafe { fork.job.abandon(is_back, payload) }
    }
    let ra = first.into_result();
    // SAFETY: as above.
    unsafe { fork.settle(ra, || is_back) }
}
