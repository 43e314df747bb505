//! The end of a scope: waiting for its jobs, and running them meanwhile.

use std::cell::Cell;

use super::crew::{self, Body, Crew};
use crate::job::JobRef;
use crate::latch::Sleeper;
use crate::pool::local;
use crate::pool::waiting::{self, Awaited};
use crate::sync::Arc;

/// Waits until all jobs of the crew are done; the body already is.
pub(super) fn wait(crew: &Arc<Crew>, registry: &crate::pool::Registry) {
    if crew.is_done() {
        return;
    }
    let all_done = AllDone {
        crew,
        lent: Cell::new(Some(Arc::clone(crew))),
        next: Cell::new(None),
    };
    waiting::wait_in(registry, &all_done);
}

/// All jobs of a crew.
struct AllDone<'a> {
    crew: &'a Arc<Crew>,
    /// A reference for the job that runs now, given back by it.
    lent: Cell<Option<Arc<Crew>>>,
    /// A job that was begun and is about to be run.
    next: Cell<Option<Body<'static>>>,
}

impl AllDone<'_> {
    /// Runs the job in `next`.
    ///
    /// # Safety
    ///
    /// `data` is an `AllDone` of this thread.
    unsafe fn run_next(data: *const ()) {
        // SAFETY: in a frame of this thread, further out. The lifetime is that
        // of the frame.
        let this = unsafe { &*data.cast::<AllDone<'_>>() };
        let seat = local::seat().expect("jobs run in seats").index();
        let body = this.next.take().expect("put there by `take_work`");
        let crew = this.lent.take().expect("one job at a time");
        this.lent.set(Some(crew::run(crew, seat, body)));
    }
}

impl Awaited for AllDone<'_> {
    fn is_done(&self) -> bool {
        self.crew.is_done()
    }

    fn take_work(&self) -> Option<JobRef> {
        let seat = local::seat()?;
        self.next.set(Some(self.crew.begin_own(seat.index())?));
        // The common case, a job that was spawned here, leaves no ticket for
        // others to stumble over.
        if seat.queue().withdraw(Arc::as_ptr(self.crew).cast()) {
            // SAFETY: at this address there is this crew, and its tickets only.
            unsafe { crew::drop_ticket(self.crew) };
        }
        Some(JobRef {
            data: std::ptr::from_ref(self).cast(),
            run: Self::run_next,
        })
    }

    fn any_runner(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool {
        // Not with the crew's lock held: to visit is to take the locks of a
        // deque, and who holds those asks `is_runner`. A change of the list in
        // between can hide a runner from this look; there is a next one, and
        // the end of a job wakes.
        (0..)
            .map_while(|place| self.crew.runner(place))
            .any(&mut *visit)
    }

    fn is_runner(&self, seat: usize) -> bool {
        self.crew.is_runner(seat)
    }

    fn watch(&self, sleeper: Sleeper) -> bool {
        self.crew.watch(sleeper)
    }
}
