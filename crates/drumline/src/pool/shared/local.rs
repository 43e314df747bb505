//! What the current thread is in: its seat, and the deque that it pushes to.
//!
//! Both are plain thread-local cells without a destructor, so they can be
//! read at any time, also while other thread-local state is being destroyed.

use std::cell::Cell;
use std::ptr;

use super::registry::Registry;
use super::seat::Seat;
use crate::pool::deque::Deque;
use crate::sync::{own_word, per_thread};

per_thread! {
    static SEAT: Cell<*const Seat> = const { Cell::new(ptr::null()) };
    /// What a hook that runs on this thread does not find.
    static HIDDEN: Cell<*const Hidden> = const { Cell::new(ptr::null()) };
    /// The number of the pool that this thread belongs to, until the thread ends; 0 for any other
    /// thread.
    static HOME: Cell<usize> = const { Cell::new(0) };
}

/// The seat of a thread that is outside of every pool for the length of a hook.
struct Hidden {
    seat: *const Seat,
    /// That of a hook further out.
    outer: *const Hidden,
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

/// This thread is one of pool `id` from now on, to its very end.
pub(crate) fn set_home(id: usize) {
    HOME.with(|home| home.set(id));
}

/// As [`set_home`], for a while. Returns what was there.
pub(crate) fn change_home(id: usize) -> usize {
    HOME.with(|home| home.replace(id))
}

/// The seat of this thread in `registry`, entered last or earlier.
#[inline]
pub(crate) fn find<'a>(registry: &Registry) -> Option<&'a Seat> {
    find_from(registry, seat())
}

/// Whether the pool of `registry` has to wait for this thread before it has ended: the thread is
/// in it, or was before a hook began, or is one of its own at its end.
pub(crate) fn is_inside(registry: &Registry) -> bool {
    if find(registry).is_some() || HOME.with(Cell::get) == registry.id() {
        return true;
    }
    let mut next = HIDDEN.with(Cell::get);
    // SAFETY: null, or in a frame further down this thread's stack.
    while let Some(hidden) = unsafe { next.as_ref() } {
        // SAFETY: null, or a seat that this thread occupies again when the hook has ended.
        if find_from(registry, unsafe { hidden.seat.as_ref() }).is_some() {
            return true;
        }
        next = hidden.outer;
    }
    false
}

#[inline]
fn find_from<'a>(registry: &Registry, mut next: Option<&'a Seat>) -> Option<&'a Seat> {
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

/// A seat that this thread has had before is the first of its seats, until this is dropped.
#[must_use]
#[derive(Debug)]
pub(crate) struct Reentry<'a> {
    restore: Option<Restore>,
    /// The seat, and the one that it came after.
    moved: Option<(&'a Seat, &'a Seat)>,
}

/// Makes `seat`, which this thread occupies, current again. It becomes the first in the chain of
/// the thread's seats, in which each is found once: so those that were entered in between are
/// further out now.
#[inline]
pub(crate) fn reenter<'a>(seat: &'a Seat) -> Reentry<'a> {
    let moved = match self::seat::<'a>() {
        Some(first) if !ptr::eq(first, seat) => Some((seat, move_to_front(seat, first))),
        _ => None,
    };
    Reentry {
        restore: Some(switch(seat, seat.current())),
        moved,
    }
}

/// Returns the seat that it came after.
#[cold]
fn move_to_front<'a>(seat: &Seat, first: &'a Seat) -> &'a Seat {
    let mut before = first;
    while !ptr::eq(before.outer(), seat) {
        // SAFETY: a seat that this thread occupies further out.
        before = unsafe { before.outer().as_ref() }.expect("the thread occupies the seat");
    }
    before.set_outer(seat.outer());
    seat.set_outer(first);
    before
}

impl Drop for Reentry<'_> {
    fn drop(&mut self) {
        // What was entered later has been left.
        drop(self.restore.take());
        if let Some((seat, before)) = self.moved {
            seat.set_outer(before.outer());
            before.set_outer(seat);
        }
    }
}

/// Runs `hook` as if this thread were in no pool.
pub(crate) fn outside<R>(hook: impl FnOnce() -> R) -> R {
    let before = Restore {
        deque: own_word::get(),
        seat: SEAT.with(|cell| cell.replace(ptr::null())),
    };
    own_word::set(ptr::null::<Deque>());
    let hidden = Hidden {
        seat: before.seat,
        outer: HIDDEN.with(Cell::get),
    };
    HIDDEN.with(|cell| cell.set(&raw const hidden));
    let _reveal = Reveal(hidden.outer);
    let outcome = hook();
    drop(before);
    outcome
}

/// The hook has ended; what the one further out does not find is hidden again.
struct Reveal(*const Hidden);

impl Drop for Reveal {
    fn drop(&mut self) {
        HIDDEN.with(|cell| cell.set(self.0));
    }
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
