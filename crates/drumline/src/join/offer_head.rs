//! The beginning of an offer, and what came of it.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

use crate::job::Header;
use crate::unwind::Payload;

/// The beginning of an offer, by which it is known where its type is not.
#[repr(C)]
pub(super) struct Head<R> {
    pub(super) header: Header,
    pub(super) result: UnsafeCell<MaybeUninit<Result<R, Payload>>>,
}

impl<R> Head<R> {
    /// `run` is what runs the offer.
    #[inline(always)]
    pub(super) fn new(run: unsafe fn(*const ())) -> Self {
        Head {
            header: Header::new(run),
            result: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }
}

/// What came of an offer that has been run, if it did not panic.
///
/// # Safety
///
/// An `R` comes of the offer with this header; it was seen with Acquire that it has been run, and
/// its result has not been taken.
pub(super) unsafe fn result_of<'j, R>(job: *const Header) -> Option<&'j R> {
    // SAFETY: the caller's obligations.
    let result = unsafe { (*(*job.cast::<Head<R>>()).result.get()).assume_init_ref() };
    result.as_ref().ok()
}
