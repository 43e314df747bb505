//! A scope as the home of futures.

use super::state::ScopeState;
use crate::future::{Core, Home, JoinError};
use crate::job::{Header, JobRef};
use crate::pool::{Seat, SharedRegistry, SuspendedList, WakeOrigin, local, report_later};
use crate::sync::Arc;
use crate::unwind::Payload;

/// The home of a scope's futures. It borrows nothing, so that wakers may outlive the scope.
pub(super) struct ScopeHome {
    pub(super) state: Arc<ScopeState>,
    /// The pool of the scope: the memory stays for as long as a waker.
    pub(super) registry: SharedRegistry,
}

impl Home for ScopeHome {
    /// As for a future that was cancelled: the program has ended the scope, not the pool.
    const EVICTED: JoinError = JoinError::Cancelled;

    unsafe fn queue_first(&self, run: JobRef) {
        // SAFETY: the future is new, and is spawned by a part of the scope.
        unsafe { self.state.push_future(run) };
    }

    unsafe fn queue(
        this: *const Self,
        core: *const Core,
        seat: Option<&Seat>,
        _origin: WakeOrigin,
    ) {
        // SAFETY: the home is alive now.
        let home = unsafe { &*this };
        if home.registry.is_forked() {
            // The pool, and perhaps its locks, belong to another process.
            return;
        }
        // SAFETY: the core lives until its job has been run.
        let run = unsafe { Header::job_ref(Core::header(core)) };
        // The run may be over before the push returns, and with it the reference to the state.
        let state = Arc::clone(&home.state);
        let is_worker = seat.is_some_and(|seat| !seat.is_permanent());
        // A worker keeps the pool. For any other thread the future does, which may end at once.
        let registry = (!is_worker).then(|| SharedRegistry::clone(&home.registry));
        let _open = registry.as_ref().map(|registry| registry.keep_open());
        // SAFETY: the word of the future has said that a run is to be queued, so it is not done.
        unsafe { state.push_run(run) };
    }

    fn seat<'a>(&self) -> Option<&'a Seat> {
        local::find(&self.registry)
    }

    fn suspended(&self) -> &SuspendedList {
        self.state.suspended()
    }

    fn is_closed(&self) -> bool {
        self.state.has_cancelled_futures()
    }

    fn has_cancelled(&self) -> bool {
        self.state.has_cancelled_futures()
    }

    fn has_ended(&self) {
        self.state.end_future();
    }

    fn take_lost_panic(&self, payload: Payload) {
        if let Err(payload) = self.state.note_late_panic(payload) {
            // A handle that has outlived its scope.
            report_later(&self.registry, payload);
        }
    }

    fn report_panic(&self, payload: Payload) {
        self.registry.report_panic(payload);
    }
}
