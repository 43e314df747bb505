//! What a lazy loop offers: the hottest kind of job.
//!
//! A loop offers half of its items, goes on with the other half, and looks now and then whether the
//! offer [still stands](SplitWatch). As long as it does no thread is idle for want of it, and when
//! it is gone the loop makes another. What no thread took comes back untouched.
//!
//! ```text
//!   push ─┬─► a() ─► pop ─┬─► Kept: it is back, and the loop goes on
//!         │               └─► lost(): a thief has it; it is waited for, and the loop ends there
//!         └─► rarely(): a thread asked for attention, or the deque is full
//! ```
//!
//! Only the way to `Kept` is compiled for each loop of a program. The two others are functions that
//! get [`Lost`] and [`Rare`], which know no types but that of what a thief makes of an offer: it is
//! the same for all loops.
//!
//! The job holds a copy of what is offered, bit by bit, and only one of the two is ever used: the
//! copy, if a thief takes the job, or else the original. The original can so stay where the
//! compiler likes it best. To read it back from the job would be a stall for each loop: written in
//! words, and read in pairs. To use it is also to move it, as what it is: while the offer stands,
//! it may be moved as bytes only.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr;

use super::offer_head::Head;
use super::published_split::{OwnPart, SplitWatch, run_split, take_back};
use crate::job::Header;
use crate::pool::{Deque, Slot, local, waiting};
use crate::unwind::{self, Payload};

/// What can be offered.
pub(crate) trait Offered: Send {
    /// What a thief makes of it: the same for all loops.
    type Taken: Send;

    /// This thread has taken it.
    fn take(self) -> Self::Taken;
}

/// A job for what is offered.
#[repr(C)]
struct Offer<T: Offered> {
    head: Head<T::Taken>,
    item: UnsafeCell<ManuallyDrop<T>>,
}

impl<T: Offered> Offer<T> {
    /// # Safety
    ///
    /// `job` is the header of an offer of this type. The job of that offer is run once, by this
    /// call.
    unsafe fn run(job: *const ()) {
        // SAFETY: the caller's obligations; the two are of the same type.
        unsafe { run_guarded::<T::Taken>(job, Self::take) }
    }

    /// # Safety
    ///
    /// The item is in the offer at this address, and is used by no other thread.
    unsafe fn take(job: *const ()) -> T::Taken {
        // SAFETY: the caller's obligations; it is taken once.
        let item = unsafe { ptr::read((*job.cast::<Self>()).item.get()) };
        ManuallyDrop::into_inner(item).take()
    }

    /// # Safety
    ///
    /// As for [`take`](Self::take).
    unsafe fn drop_item(job: *const ()) {
        // SAFETY: as in `take`.
        unsafe { ManuallyDrop::drop(&mut *(*job.cast::<Self>()).item.get()) }
    }
}

/// Runs an offer; compiled once for all of them.
///
/// # Safety
///
/// `take` is that of the offer at `job`, which is run once.
unsafe fn run_guarded<R>(job: *const (), take: unsafe fn(*const ()) -> R) {
    // SAFETY: the caller's obligations.
    let result = unwind::catch(|| unsafe { take(job) });
    // SAFETY: the owner looks at the result once it is told that the job has been run.
    unsafe { (*(*job.cast::<Head<R>>()).result.get()).write(result) };
}

/// An offer in a frame that waits for it.
struct Made<'o, R> {
    /// The address may be used for the whole offer.
    head: *const Head<R>,
    drop_item: unsafe fn(*const ()),
    _offer: PhantomData<&'o ()>,
}

impl<'o, R> Made<'o, R> {
    #[inline(always)]
    fn new<T: Offered<Taken = R>>(offer: &'o Offer<T>) -> Self {
        Made {
            head: ptr::from_ref(offer).cast(),
            drop_item: Offer::<T>::drop_item,
            _offer: PhantomData,
        }
    }

    #[inline(always)]
    fn header(&self) -> *const Header {
        self.head.cast()
    }

    /// # Safety
    ///
    /// It has been run, which was seen with Acquire. Called once.
    unsafe fn take_result(&self) -> Result<R, Payload> {
        // SAFETY: the offer outlives this; the rest is the caller's obligation.
        unsafe { (*(*self.head).result.get()).assume_init_read() }
    }

    /// Pushes it to the deque of this thread, and says where it is there, and whether that was not
    /// on the common way: the deque is full, or a thread asks for attention.
    ///
    /// # Safety
    ///
    /// The offer stays where it is until it has been popped.
    #[inline(always)]
    unsafe fn push(&self) -> (&'o Deque, *mut Slot, bool) {
        // SAFETY: the current deque lives as long as this thread is in the pool,
        // and so longer than the frame of the offer.
        let deque = unsafe { local::deque().as_ref() }.expect("a loop runs inside a pool");
        let slot = deque.vacant();
        // SAFETY: this thread owns the deque; the rest is the caller's obligation.
        let is_rare = unsafe { deque.push::<false>(slot, self.header()) };
        (deque, slot, is_rare)
    }

    /// What this thread did while the offer stood has panicked: pops the offer, or waits for what
    /// comes of it, and goes on with the panic.
    ///
    /// # Safety
    ///
    /// The offer is the newest entry of the deque, in this slot. `drop_kept` may be called.
    #[cold]
    unsafe fn give_up(
        &self,
        deque: &Deque,
        slot: *mut Slot,
        drop_kept: &mut dyn FnMut(),
        payload: Payload,
    ) -> ! {
        unwind::discard_erased(drop_kept);
        // SAFETY: the caller's obligation.
        let is_back = unsafe { take_back::<false>(deque, slot) };
        if !is_back {
            waiting::wait_out(deque, slot);
        }
        // SAFETY: just popped, with this result.
        unsafe { self.abandon(is_back, payload) }
    }

    /// Drops what is in the offer, and goes on with a panic.
    ///
    /// # Safety
    ///
    /// It is back, or it has been run, which was seen with Acquire, and its result is there.
    #[cold]
    unsafe fn abandon(&self, is_back: bool, payload: Payload) -> ! {
        unwind::discard_erased(&mut || {
            // SAFETY: the caller's obligations; the address is that of the whole offer.
            unsafe {
                if is_back {
                    (self.drop_item)(self.header().cast());
                } else {
                    drop(self.take_result());
                }
            }
        });
        unwind::resume(payload)
    }
}

/// An offer that could not be made on the common way.
pub(crate) struct Rare<'o, R> {
    made: Made<'o, R>,
    pushed: Option<(&'o Deque, *mut Slot)>,
}

impl<R> Rare<'_, R> {
    /// Does what the thread itself has to do while the offer stands. Returns what came of that, or
    /// its panic, if another thread took it; `own` is closed then. The original must not be used
    /// before this returns, nor then.
    ///
    /// # Panics
    ///
    /// Where `own` does. What was offered is dropped then, or what came of it.
    pub(crate) fn run(self, own: &mut dyn OwnPart) -> Option<Result<R, Payload>> {
        // SAFETY: the offer stays in the frame that waits for this, and if it has been pushed, it
        // was just now, by this thread.
        let (caught, is_back) = unsafe { run_split(own, self.made.header(), self.pushed) };
        if let Err(payload) = caught {
            // SAFETY: it is back, or has been waited for.
            unsafe { self.made.abandon(is_back, payload) }
        }
        // SAFETY: it has been waited for; taken once.
        (!is_back).then(|| unsafe { self.made.take_result() })
    }
}

/// An offer that another thread has taken.
pub(crate) struct Lost<'o, R> {
    made: Made<'o, R>,
    /// Where to wait for it; if that is still to be done.
    entry: Option<(&'o Deque, *mut Slot)>,
}

impl<R> Lost<'_, R> {
    /// Closes what this thread has open, and waits for what the other thread makes of the offer; or
    /// for its panic.
    ///
    /// # Panics
    ///
    /// Where `close` does. What came of the offer is dropped then.
    pub(crate) fn wait(self, close: &mut dyn FnMut()) -> Result<R, Payload> {
        let closed = unwind::catch(close);
        if let Some((deque, slot)) = self.entry {
            waiting::wait_out(deque, slot);
        }
        if let Err(payload) = closed {
            // SAFETY: it has been waited for.
            unsafe { self.made.abandon(false, payload) }
        }
        // SAFETY: as above; taken once.
        unsafe { self.made.take_result() }
    }
}

/// How an offer ended.
pub(crate) enum OfferOutcome<A, T, K, X> {
    /// No thread took it: what came of `a`, what was on offer, and what was kept for the others.
    Kept(A, T, K),
    /// One of the rare functions has ended the loop.
    Ended(X),
}

/// Runs `a` with `own` while `item` is on offer. If another thread takes that, `lost` gets what
/// came of `a`, and `kept`. Where a push meets a full deque, or a thread that asks for attention,
/// `rarely` gets `own` and `kept` instead, with the original of the item: that is to be used once
/// the offer has come back, and only then. `close` is for the test scheduler: it is applied to what
/// came of `a` before something else runs on this thread.
///
/// # Panics
///
/// Where `a`, `rarely` or `lost` do; and outside every pool.
///
/// # Safety
///
/// `rarely` calls [`Rare::run`], and `lost` calls [`Lost::wait`], whatever else they do: another
/// thread may use the offer until then.
#[inline(always)]
pub(crate) unsafe fn offer<T, O, K, A, X>(
    item: T,
    own: O,
    kept: K,
    a: impl FnOnce(O, SplitWatch<'_>) -> A + Copy,
    close: impl FnOnce(A) -> A + Copy,
    rarely: impl FnOnce(O, K, MaybeUninit<T>, Rare<'_, T::Taken>) -> X + Copy,
    lost: impl FnOnce(A, K, Lost<'_, T::Taken>) -> X + Copy,
) -> OfferOutcome<A, T, K, X>
where
    T: Offered,
{
    // Nothing from here on unwinds but `a`, which is caught, and the rare functions at the end: so
    // nothing need be compiled for that. (The functions are `Copy`: so they need not be dropped.)
    let own = ManuallyDrop::new(own);
    let item = ManuallyDrop::new(item);
    let kept = ManuallyDrop::new(kept);
    let offer = Offer {
        head: Head::new(Offer::<T>::run),
        // SAFETY: see the module on which of the two is used.
        item: UnsafeCell::new(unsafe { ptr::read(&raw const item) }),
    };
    let made = Made::new(&offer);
    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    if super::forced::is_active() {
        let (own, kept) = (
            ManuallyDrop::into_inner(own),
            ManuallyDrop::into_inner(kept),
        );
        if super::forced::below(4) == 0 {
            let rare = Rare { made, pushed: None };
            return OfferOutcome::Ended(rarely(own, kept, as_bytes(&item), rare));
        }
        let mut own = super::published_split::Own::new(own, a, close);
        // SAFETY: the offer stays in this frame.
        let (caught, is_back) = unsafe { run_split(&mut own, made.header(), None) };
        if let Err(payload) = caught {
            // SAFETY: it is back, or has been run.
            unsafe { made.abandon(is_back, payload) }
        }
        let outcome = own.into_result();
        if is_back {
            return OfferOutcome::Kept(outcome, ManuallyDrop::into_inner(item), kept);
        }
        return OfferOutcome::Ended(lost(outcome, kept, Lost { made, entry: None }));
    }
    #[cfg(not(all(test, not(any(drumline_loom, drumline_shuttle)))))]
    let _ = close;
    // SAFETY: the offer stays in this frame until it has been popped, also if `a` panics.
    let (deque, slot, is_rare) = unsafe { made.push() };
    if is_rare {
        let pushed = Some((deque, slot));
        let (own, kept) = (
            ManuallyDrop::into_inner(own),
            ManuallyDrop::into_inner(kept),
        );
        let rare = Rare { made, pushed };
        return OfferOutcome::Ended(rarely(own, kept, as_bytes(&item), rare));
    }
    let a = move || {
        a(
            ManuallyDrop::into_inner(own),
            SplitWatch::Entry(deque, slot),
        )
    };
    let outcome = match unwind::catch(a) {
        Ok(outcome) => ManuallyDrop::new(outcome),
        Err(payload) => {
            let mut kept = kept;
            // SAFETY: dropped once, and not used any more.
            let mut drop_kept = || unsafe { ManuallyDrop::drop(&mut kept) };
            // SAFETY: what `a` pushed was popped while it unwound.
            unsafe { made.give_up(deque, slot, &mut drop_kept, payload) }
        }
    };
    // SAFETY: all that `a` pushed has been popped, so this is the newest entry.
    let is_back = unsafe { take_back::<false>(deque, slot) };
    let outcome = ManuallyDrop::into_inner(outcome);
    let kept = ManuallyDrop::into_inner(kept);
    if is_back {
        return OfferOutcome::Kept(outcome, ManuallyDrop::into_inner(item), kept);
    }
    let entry = Some((deque, slot));
    OfferOutcome::Ended(lost(outcome, kept, Lost { made, entry }))
}

/// What is there, bit by bit, and not as what it is: another thread may use its own copy.
#[inline(always)]
fn as_bytes<T>(item: &ManuallyDrop<T>) -> MaybeUninit<T> {
    let mut bytes = MaybeUninit::uninit();
    let item = ptr::from_ref(item).cast::<T>();
    // SAFETY: the two are apart, and as long.
    unsafe { ptr::copy_nonoverlapping(item, bytes.as_mut_ptr(), 1) };
    bytes
}
