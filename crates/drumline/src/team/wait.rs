//! The end of a team: the caller waits for all sides, and takes part meanwhile.

use super::Shared;
use super::roster::NO_SEAT;
use crate::job::JobRef;
use crate::latch::Sleeper;
use crate::pool::waiting::{self, Awaited};
use crate::sync::Arc;

/// Waits until all sides are done. Meanwhile the calling thread takes part if it `helps`: it must
/// have nothing open of this loop, and not be unwinding.
///
/// # Panics
///
/// On a thread that is in no pool.
pub(crate) fn wait<S: Shared>(shared: &Arc<S>, helps: bool) {
    if shared.team().roster().is_done() {
        return;
    }
    waiting::wait_in(shared.team().registry(), &AllSides { shared, helps });
}

/// All sides of a loop.
struct AllSides<'a, S> {
    shared: &'a Arc<S>,
    helps: bool,
}

impl<S: Shared> AllSides<'_, S> {
    /// # Safety
    ///
    /// `data` is an `AllSides` of this thread.
    unsafe fn take_part(data: *const ()) {
        // SAFETY: in a frame of this thread, further out.
        let this = unsafe { &*data.cast::<AllSides<'_, S>>() };
        this.shared.take_part();
    }
}

impl<S: Shared> Awaited for AllSides<'_, S> {
    fn is_done(&self) -> bool {
        self.shared.team().roster().is_done()
    }

    fn take_work(&self, _help: &mut dyn FnMut() -> bool) -> Option<JobRef> {
        (self.helps && self.shared.is_open()).then(|| JobRef {
            data: std::ptr::from_ref(self).cast(),
            run: Self::take_part,
        })
    }

    fn any_runner(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool {
        // Not with the lock held: to visit is to take the locks of a deque, and a thread that holds
        // those asks `is_runner`. A participant that comes too late for this look is seen by the
        // next.
        (0..)
            .map_while(|place| self.shared.team().roster().runner(place))
            .flatten()
            .filter(|&seat| seat != NO_SEAT)
            .any(&mut *visit)
    }

    fn is_runner(&self, seat: usize) -> bool {
        self.shared.team().roster().is_runner(seat)
    }

    fn watch(&self, sleeper: Sleeper) -> bool {
        self.shared.team().roster().watch(sleeper)
    }
}
