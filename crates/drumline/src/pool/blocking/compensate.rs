//! Giving up a place while its thread blocks.
//!
//! As a rule the place is given up at once, and the first idle worker is woken, or a spare is
//! started. That costs microseconds. So a thread only leaves a note if its last announced blocking
//! was over sooner than that. The note costs a few nanoseconds. If the thread stays away after all,
//! the [monitor](super::monitor) finds the note and takes the place.
//!
//! A thread may be in several pools at once, by calls from one into another. It
//! gives up its place in each.

use std::cell::Cell;
use std::time::Duration;

use crate::pool::idle::Absence;
use crate::pool::shared::local;
use crate::pool::shared::seat::Seat;
use crate::sync::{Instant, per_thread, planted};
use crate::wait::{self, Hook};

/// A thread that blocked for less than this last time is expected to do so
/// again: waking another one costs as much.
const SHORT: Duration = Duration::from_micros(20);

per_thread! {
    /// Since when the thread has been away from its places.
    static SINCE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// From now on threads of pools that block are replaced.
pub(crate) fn start() {
    wait::install(&Hook {
        block,
        unblock,
        pools,
        inmost_pool,
    });
}

/// A seat, and those that its thread occupies further out.
pub(in crate::pool) fn chain(first: Option<&Seat>) -> impl Iterator<Item = &Seat> {
    std::iter::successors(first, |seat| {
        // SAFETY: null, or a seat that this thread occupies further out.
        unsafe { seat.outer().as_ref() }
    })
    .filter(|seat| !seat.registry().is_forked())
}

fn pools() -> Vec<usize> {
    let seats = chain(local::seat());
    seats.map(|seat| seat.registry().id()).collect()
}

fn inmost_pool() -> usize {
    local::seat().map_or(0, |seat| seat.registry().id())
}

fn block() -> bool {
    leave_places(local::seat())
}

fn unblock() {
    take_places_back(local::seat());
}

/// Runs `wait`, for which the thread has given up its place in the pool of
/// `inner` already; until it returns, the places in pools further out are free,
/// too.
pub(crate) fn wait_inside<R>(inner: &Seat, wait: impl FnOnce() -> R) -> R {
    // SAFETY: null, or a seat that this thread occupies further out.
    let outer = unsafe { inner.outer().as_ref() };
    leave_places(outer);
    let outcome = wait();
    take_places_back(outer);
    outcome
}

/// Whether there are any.
fn leave_places(first: Option<&Seat>) -> bool {
    let mut any = false;
    for seat in chain(first) {
        any = true;
        seat.flush_hand_off();
        if !seat.enter_region() {
            continue;
        }
        seat.has_blocked();
        let is_read = seat.registry().idle_set().is_monitored() && !seat.is_permanent();
        if !is_read && !planted!(NoteUnread) {
            // No worker would read a note: the monitor passes members for good by.
            seat.block_state().expect_short(false);
        }
        if !seat.block_state().block() {
            SINCE.with(|since| since.set(Some(Instant::now())));
            let registry = seat.registry();
            let wake = registry
                .idle_set()
                .rest(seat.index(), Absence::Blocks, &|| registry.has_work());
            registry.wake(wake);
        }
    }
    any
}

fn take_places_back(first: Option<&Seat>) {
    for seat in chain(first) {
        if !seat.leave_region() {
            continue;
        }
        if seat.block_state().unblock() {
            // Where it was expected to be short, it was not.
            let since = SINCE.with(Cell::take);
            let short = since.is_some_and(|since| since.elapsed() < SHORT);
            let registry = seat.registry();
            seat.block_state().expect_short(short);
            registry.wake(registry.idle_set().come_back(seat.index(), Absence::Blocks));
        }
        seat.has_unblocked();
    }
}
