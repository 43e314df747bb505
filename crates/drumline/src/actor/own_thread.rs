//! The thread of a pinned actor, or of one that receives by itself.
//!
//! The sender that finds the actor idle does not queue a run, but calls the thread. There is one
//! call for each time that the actor was idle, so a call is never missed, and none is left over.

use std::io;
use std::ptr::{self, NonNull};

use super::cell::ActorCore;
use super::run::{self, RunEnd};
use crate::pool::local;
use crate::sync::atomic::{AtomicPtr, Ordering};
use crate::sync::{Arc, Instant, thread};
use crate::wait::Parker;

/// What a pinned actor and its thread share.
#[derive(Debug)]
pub(super) struct OwnThread {
    parker: Parker,
    /// The actor, from the first call on.
    core: AtomicPtr<ActorCore>,
}

impl OwnThread {
    /// Starts a thread that lives for an actor as `live` says, when it is told of one. `pool` is
    /// the number of the actor's pool, whose end waits for this thread.
    ///
    /// # Errors
    ///
    /// If the system refuses the thread.
    pub(super) fn start(
        name: Option<&str>,
        pool: usize,
        live: impl FnOnce(Arc<Self>, NonNull<ActorCore>) + Send + 'static,
    ) -> io::Result<Arc<Self>> {
        let own = Arc::new(OwnThread {
            parker: Parker::new(),
            core: AtomicPtr::new(ptr::null_mut()),
        });
        let name = name.unwrap_or("drumline-actor").replace('\0', "");
        let shared = Arc::clone(&own);
        let started = thread::Builder::new().name(name).spawn(move || {
            // So a drop of the pool on this thread does not wait for the thread.
            local::set_home(pool);
            if let Some(core) = shared.await_actor() {
                live(shared, core);
            }
        });
        started.map(|_detached| own)
    }

    /// Has the thread run this actor from now on. `None`: has it end.
    pub(super) fn begin(&self, core: Option<NonNull<ActorCore>>) {
        let core = core.map_or(ptr::null_mut(), NonNull::as_ptr);
        // Release pairs with the Acquire in `live`.
        self.core.store(core, Ordering::Release);
        self.call();
    }

    /// Calls the thread: the actor has a message.
    pub(super) fn call(&self) {
        self.parker.unpark();
    }

    /// Waits for the next call.
    pub(super) fn await_call(&self) {
        self.parker.park();
    }

    /// As [`await_call`](Self::await_call), until `deadline` at most, or for ever. Returns whether
    /// there was a call.
    pub(super) fn await_call_until(&self, deadline: Option<Instant>) -> bool {
        let Some(deadline) = deadline else {
            self.parker.park();
            return true;
        };
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() && !self.parker.has_token() {
                return false;
            }
            if self.parker.park_timeout(left) {
                return true;
            }
        }
    }

    /// Whether there is a call for which no wait has waited; asked by the thread itself.
    pub(super) fn has_call(&self) -> bool {
        self.parker.has_token()
    }

    fn await_actor(&self) -> Option<NonNull<ActorCore>> {
        self.parker.park();
        // Acquire pairs with the Release in `begin`.
        NonNull::new(self.core.load(Ordering::Acquire))
    }

    /// Runs an actor that has handlers, until it ends.
    pub(super) fn run(self: Arc<Self>, core: NonNull<ActorCore>) {
        loop {
            // SAFETY: the thread was called by the sender that found the actor idle.
            match unsafe { run::run(core, u32::MAX) } {
                RunEnd::Idle | RunEnd::Held => self.await_call(),
                RunEnd::More => {}
                RunEnd::Ended => return,
            }
        }
    }
}
