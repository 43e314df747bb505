//! The thread of a pinned actor.
//!
//! The sender that finds the actor idle does not queue a run, but calls the thread. There is one
//! call for each time that the actor was idle, so a call is never missed, and none is left over.

use std::ptr::{self, NonNull};

use super::cell::ActorCore;
use super::run::{self, RunEnd};
use crate::sync::atomic::{AtomicPtr, Ordering};
use crate::sync::{Arc, thread};
use crate::wait::Parker;

/// What a pinned actor and its thread share.
#[derive(Debug)]
pub(super) struct OwnThread {
    parker: Parker,
    /// The actor, from the first call on.
    core: AtomicPtr<ActorCore>,
}

impl OwnThread {
    /// Starts a thread. `None`: the system refuses it.
    pub(super) fn start(name: Option<&str>) -> Option<Arc<Self>> {
        let own = Arc::new(OwnThread {
            parker: Parker::new(),
            core: AtomicPtr::new(ptr::null_mut()),
        });
        let name = name.unwrap_or("drumline-actor").replace('\0', "");
        let shared = Arc::clone(&own);
        let started = thread::Builder::new()
            .name(name)
            .spawn(move || shared.live());
        started.ok().map(|_detached| own)
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

    fn live(&self) {
        self.parker.park();
        // Acquire pairs with the Release in `begin`.
        let Some(core) = NonNull::new(self.core.load(Ordering::Acquire)) else {
            return;
        };
        loop {
            // SAFETY: the thread was called by the sender that found the actor idle.
            match unsafe { run::run(core, u32::MAX) } {
                RunEnd::Idle => self.parker.park(),
                RunEnd::More => {}
                RunEnd::Ended => return,
            }
        }
    }
}
