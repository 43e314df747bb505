//! Where a future is queued: in a pool, or in a scope.

use super::JoinError;
use super::cell::Core;
use crate::job::JobRef;
use crate::pool::{
    Registry, Seat, SharedRegistry, SuspendedList, WakeOrigin, local, report_later, submit,
    submit_woken,
};
use crate::unwind::{self, Payload};

/// Where a future is queued.
pub(crate) trait Home: Send + Sync + 'static {
    /// Queues the first run.
    ///
    /// # Safety
    ///
    /// It is that of a new future of this home.
    unsafe fn queue_first(&self, run: JobRef);

    /// Queues a later run. `seat` is that of the calling thread in the pool. The home may be gone
    /// before this returns, hence a pointer.
    ///
    /// # Safety
    ///
    /// The core is that of a future of this home, with a run to be queued. The home is alive when
    /// this is called; without a seat, until it returns.
    unsafe fn queue(this: *const Self, core: *const Core, seat: Option<&Seat>, origin: WakeOrigin);

    /// The seat of the calling thread in the pool.
    fn seat<'a>(&self) -> Option<&'a Seat>;

    /// The futures of this home that wait.
    fn suspended(&self) -> &SuspendedList;

    /// Whether a future that is not ready is to be dropped.
    fn is_closed(&self) -> bool;

    /// Whether a future is to be dropped instead of polled.
    fn has_cancelled(&self) -> bool {
        false
    }

    /// Why a future is dropped when the home ends.
    const EVICTED: JoinError;

    /// A future has ended: it is gone, and so is its outcome unless a handle has it. Its run is
    /// still under way.
    fn has_ended(&self) {}

    /// Takes a panic of a future that no handle gets, in the run that ends it.
    fn take_lost_panic(&self, payload: Payload) {
        self.report_panic(payload);
    }

    /// Takes a panic of a future that had ended when its handle was dropped, in that drop.
    fn take_late_panic(&self, payload: Payload) {
        self.take_lost_panic(payload);
    }

    /// Takes a panic of a waker.
    fn report_panic(&self, payload: Payload);
}

/// A future of a pool.
pub(crate) struct PoolHome(pub(crate) SharedRegistry);

impl Home for PoolHome {
    const EVICTED: JoinError = JoinError::Shutdown;

    unsafe fn queue_first(&self, run: JobRef) {
        submit(&self.0, run, false);
    }

    #[inline]
    unsafe fn queue(this: *const Self, core: *const Core, seat: Option<&Seat>, origin: WakeOrigin) {
        // SAFETY: the home is alive now.
        let registry: *const Registry = SharedRegistry::as_ptr(unsafe { &(*this).0 });
        // SAFETY: as above. The pool does not end before the future, and this thread is in the pool
        // or keeps the home.
        unsafe { submit_woken(&*registry, seat, Core::header(core), origin) };
    }

    #[inline]
    fn seat<'a>(&self) -> Option<&'a Seat> {
        local::find(&self.0)
    }

    #[inline]
    fn suspended(&self) -> &SuspendedList {
        self.0.suspended()
    }

    #[inline]
    fn is_closed(&self) -> bool {
        self.0.suspended().is_closed()
    }

    fn take_late_panic(&self, payload: Payload) {
        report_later(&self.0, payload);
    }

    fn report_panic(&self, payload: Payload) {
        self.0.report_panic(payload);
    }
}

/// Drops an outcome that no handle asks for. Returns a panic, also one of that drop.
pub(super) fn dispose<T>(outcome: Result<T, JoinError>) -> Option<Payload> {
    match outcome {
        Ok(value) => unwind::catch(|| drop(value)).err(),
        Err(error) => error.try_into_panic().ok(),
    }
}
