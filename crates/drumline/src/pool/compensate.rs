//! Giving up a place while its thread blocks.
//!
//! As a rule the place is given up at once, and whoever stands first in line
//! is woken, or a spare is started. That costs microseconds, so a thread whose
//! last announced blocking was over sooner than that only leaves a note: it
//! costs a few nanoseconds, and if the thread stays away after all, the
//! [monitor](super::monitor) finds the note and takes the place.
//!
//! A thread may be in several pools at once, by calls from one into another. It
//! gives up its place in each.

use std::cell::Cell;
use std::time::Duration;

use super::line::Absence;
use super::local;
use super::seat::Seat;
use crate::sync::{Instant, planted, thread_local};
use crate::wait::{self, Hook};

/// A thread that blocked for less than this last time is expected to do so
/// again: waking another one costs as much.
const SHORT: Duration = Duration::from_micros(20);

thread_local! {
    /// Since when the thread has been away from its places.
    static SINCE: Cell<Option<Instant>> = const { Cell::new(None) };
}

static HOOK: Hook = Hook { block, unblock };

/// From now on threads of pools that block are replaced.
pub(super) fn start() {
    wait::install(&HOOK);
}

/// The seats of this thread, innermost first.
fn seats<'a>() -> impl Iterator<Item = &'a Seat> {
    std::iter::successors(local::seat(), |seat| {
        // SAFETY: null, or a seat that this thread occupies further out.
        unsafe { seat.outer().as_ref() }
    })
    .filter(|seat| !seat.registry().is_forked())
}

fn block() -> bool {
    let mut any = false;
    for seat in seats() {
        if seat.enter_region() {
            seat.has_blocked();
            if seat.conduct().block() {
                any = true;
                continue;
            }
            SINCE.with(|since| since.set(Some(Instant::now())));
            let registry = seat.registry();
            registry.wake(
                registry
                    .line()
                    .rest(seat.index(), Absence::Blocks, &|| registry.has_work()),
            );
        }
        any = true;
    }
    any
}

fn unblock() {
    for seat in seats() {
        if seat.leave_region() {
            if seat.conduct().unblock() {
                // Where it was expected to be short, it was not.
                let since = SINCE.with(Cell::take);
                let short = since.is_some_and(|since| since.elapsed() < SHORT);
                // Where nobody looks for a note, none is left.
                let registry = seat.registry();
                let read = registry.line().is_monitored() || planted!(NoteUnread);
                seat.conduct().expect_short(short && read);
                registry.wake(registry.line().come_back(seat.index(), Absence::Blocks));
            }
            seat.has_unblocked();
        }
    }
}
