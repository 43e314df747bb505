//! The thread of a pinned actor, or of one that receives by itself.

use std::io;
use std::ptr::{self, NonNull};

use super::cell::ActorCore;
use super::run::{self, RunEnd};
use super::thread_call::ThreadCall;
use crate::pool::local;
use crate::sync::atomic::{AtomicPtr, Ordering};
use crate::sync::{Arc, Instant, thread};

/// What a pinned actor and its thread share.
#[derive(Debug)]
pub(super) struct OwnThread {
    call: ThreadCall,
    /// The actor, from the first call on.
    core: AtomicPtr<ActorCore>,
}

impl OwnThread {
    /// Starts a thread that lives for an actor as `live` says, when it is told of one. `pool` is
    /// the number of the actor's pool, which waits for this thread before it ends.
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
            call: ThreadCall::new(),
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
        self.call.call();
    }

    pub(super) fn thread_call(&self) -> &ThreadCall {
        &self.call
    }

    /// Waits for the next call, until `deadline` at most, or for ever. Returns whether there was a
    /// call.
    pub(super) fn await_call_until(&self, deadline: Option<Instant>) -> bool {
        let Some(deadline) = deadline else {
            self.call.await_call();
            return true;
        };
        self.call
            .await_call_for(|| deadline.saturating_duration_since(Instant::now()))
    }

    fn await_actor(&self) -> Option<NonNull<ActorCore>> {
        self.call.await_call();
        // Acquire pairs with the Release in `begin`.
        NonNull::new(self.core.load(Ordering::Acquire))
    }

    /// Runs an actor that has handlers, until it ends.
    pub(super) fn run(self: Arc<Self>, core: NonNull<ActorCore>) {
        loop {
            // SAFETY: the thread was called by the sender that found the actor idle.
            match unsafe { run::run_and_count(core, u32::MAX) } {
                RunEnd::Idle | RunEnd::Held => self.call.await_call(),
                RunEnd::More => {}
                RunEnd::Ended => return,
            }
        }
    }
}
