//! Giving up a place while its thread blocks.

use super::local;
use super::seat::Seat;
use crate::wait::{self, Hook};

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
            let registry = seat.registry();
            registry.wake(registry.line().rest(&|| registry.has_work()));
        }
        any = true;
    }
    any
}

fn unblock() {
    for seat in seats() {
        if seat.leave_region() {
            seat.registry().line().come_back();
            seat.has_unblocked();
        }
    }
}
