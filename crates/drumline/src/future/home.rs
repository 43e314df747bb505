//! Where a future is queued: in a pool, or in a scope.

use super::JoinError;
use super::cell::Core;
use crate::job::{Header, JobRef};
use crate::pool::{
    Registry, SharedRegistry, SuspendedList, WakeOrigin, local, submit, submit_again, submit_woken,
};
use crate::sync::Arc;
use crate::unwind::{self, Payload};

/// Where a future is queued.
pub(crate) trait Home: Send + Sync + 'static {
    /// Queues the first run.
    ///
    /// # Safety
    ///
    /// The core is that of a future of this home, with a run to be queued.
    unsafe fn queue_first(&self, core: *const Core);

    /// Queues a run. The home may be gone before this returns, hence a pointer.
    ///
    /// # Safety
    ///
    /// As for [`queue_first`](Self::queue_first). The home is alive when this is called; if the
    /// calling thread is not in the pool, until it returns.
    unsafe fn queue(this: *const Self, core: *const Core, origin: WakeOrigin);

    /// Queues a run behind what is queued at the calling thread. The home may be gone before this
    /// returns.
    ///
    /// # Safety
    ///
    /// The run is one of a future of this home. The calling thread is in the pool.
    unsafe fn queue_again(this: *const Self, run: JobRef);

    /// Whether the calling thread is in the pool.
    fn is_inside(&self) -> bool;

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

    /// Takes a panic of a future that no handle gets.
    fn take_lost_panic(&self, payload: Payload) {
        self.report_panic(payload);
    }

    /// Takes a panic of a waker.
    fn report_panic(&self, payload: Payload);
}

/// A future of a pool.
pub(crate) struct PoolHome(pub(crate) SharedRegistry);

impl Home for PoolHome {
    const EVICTED: JoinError = JoinError::Shutdown;

    unsafe fn queue_first(&self, core: *const Core) {
        // SAFETY: the core lives until its job has been run.
        submit(
            &self.0,
            unsafe { Header::job_ref(Core::header(core)) },
            false,
        );
    }

    #[inline]
    unsafe fn queue(this: *const Self, core: *const Core, origin: WakeOrigin) {
        // SAFETY: the home is alive now.
        let registry: *const Registry = Arc::as_ptr(unsafe { &(*this).0 });
        // SAFETY: as above. The pool does not end before the future, and this thread is in the pool
        // or keeps the home.
        unsafe { submit_woken(&*registry, Core::header(core), origin) };
    }

    #[inline]
    unsafe fn queue_again(this: *const Self, run: JobRef) {
        // SAFETY: the home is alive now.
        let registry: *const Registry = Arc::as_ptr(unsafe { &(*this).0 });
        // SAFETY: this thread is in the pool.
        submit_again(unsafe { &*registry }, run);
    }

    #[inline]
    fn is_inside(&self) -> bool {
        local::find(&self.0).is_some()
    }

    #[inline]
    fn suspended(&self) -> &SuspendedList {
        self.0.suspended()
    }

    #[inline]
    fn is_closed(&self) -> bool {
        self.0.suspended().is_closed()
    }

    fn report_panic(&self, payload: Payload) {
        self.0.report_panic(payload);
    }
}

/// Drops an outcome that no handle asks for, and reports a panic, also one of that drop.
pub(super) fn dispose<T>(home: &impl Home, outcome: Result<T, JoinError>) {
    let panic = match outcome {
        Ok(value) => unwind::catch(|| drop(value)).err(),
        Err(error) => error.try_into_panic().ok(),
    };
    if let Some(payload) = panic {
        home.take_lost_panic(payload);
    }
}
