//! What the current thread is in: its seat, and the deque that it pushes to.
//!
//! Both are plain thread-local cells without a destructor, so they can be
//! read at any time, also while other thread-local state is being destroyed.

use std::cell::Cell;
use std::ptr;

use super::deque::Deque;
use super::registry::Registry;
use super::seat::Seat;
use crate::sync::{own_word, thread_local};

thread_local! {
    static SEAT: Cell<*const Seat> = const { Cell::new(ptr::null()) };
}

/// The deque that this thread pushes to; null outside every pool.
#[inline(always)]
pub(crate) fn deque() -> *const Deque {
    own_word::get()
}

/// Whether [`deque`] is so cheap that a frame need not keep what it said.
pub(crate) const CHEAP: bool = own_word::CHEAP;

/// The seat of this thread in the pool that it entered last.
///
/// The reference is good while the thread stays in that pool, which is as long
/// as the frame that entered it lives. Callers keep it in frames above that one.
#[inline]
pub(crate) fn seat<'a>() -> Option<&'a Seat> {
    // SAFETY: null, or a seat that this thread occupies now.
    unsafe { SEAT.with(Cell::get).as_ref() }
}

/// The seat of this thread in `registry`, entered last or earlier.
pub(crate) fn find<'a>(registry: &Registry) -> Option<&'a Seat> {
    let mut next = seat();
    while let Some(seat) = next {
        if ptr::eq(seat.registry(), registry) {
            return Some(seat);
        }
        // SAFETY: null, or a seat that this thread occupies further out.
        next = unsafe { seat.outer().as_ref() };
    }
    None
}

/// Restores what the thread was in before, when it is dropped.
#[must_use]
#[derive(Debug)]
pub(crate) struct Restore {
    deque: *const Deque,
    seat: *const Seat,
}

/// Makes `seat` and `deque`, one of its deques, current.
pub(crate) fn switch(seat: &Seat, deque: &Deque) -> Restore {
    let before = Restore {
        deque: own_word::get(),
        seat: SEAT.with(|cell| cell.replace(ptr::from_ref(seat))),
    };
    own_word::set(ptr::from_ref(deque));
    seat.set_current(deque);
    before
}

/// Makes this thread one that is in no pool.
pub(crate) fn outside() -> Restore {
    let before = Restore {
        deque: own_word::get(),
        seat: SEAT.with(|cell| cell.replace(ptr::null())),
    };
    own_word::set(ptr::null::<Deque>());
    before
}

impl Restore {
    /// The seat that was current before.
    pub(crate) fn seat(&self) -> *const Seat {
        self.seat
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        own_word::set(self.deque);
        SEAT.with(|cell| cell.set(self.seat));
        // SAFETY: null, or a seat that this thread still occupies.
        if let Some(seat) = unsafe { self.seat.as_ref() } {
            // SAFETY: a seat comes with a deque.
            seat.set_current(unsafe { &*self.deque });
        }
    }
}
