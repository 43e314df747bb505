//! The thread of a pinned actor, or of one that receives by itself.

use std::io;
use std::ptr::{self, NonNull};

use crate::actor::thread_call::ThreadCall;
use crate::job::Header;
use crate::pool::local;
use crate::sync::atomic::{AtomicPtr, Ordering};
use crate::sync::{Arc, Instant, thread};

/// What a pinned actor and its thread share.
#[derive(Debug)]
pub(crate) struct OwnThread {
    call: ThreadCall,
    /// That of the actor, with which its core begins, from the first call on.
    job: AtomicPtr<Header>,
}

impl OwnThread {
    /// Starts a thread that lives for an actor as `live` says, when it is told of one. `pool` is
    /// the number of the actor's pool, which waits for this thread before it ends.
    ///
    /// # Errors
    ///
    /// If the system refuses the thread.
    pub(crate) fn start(
        name: Option<&str>,
        pool: usize,
        live: impl FnOnce(Arc<Self>, NonNull<Header>) + Send + 'static,
    ) -> io::Result<Arc<Self>> {
        let own = Arc::new(OwnThread {
            call: ThreadCall::new(),
            job: AtomicPtr::new(ptr::null_mut()),
        });
        let name = name.unwrap_or("drumline-actor").replace('\0', "");
        let shared = Arc::clone(&own);
        let started = thread::Builder::new().name(name).spawn(move || {
            // So a drop of the pool on this thread does not wait for the thread.
            local::set_home(pool);
            if let Some(job) = shared.await_actor() {
                live(shared, job);
            }
        });
        started.map(|_detached| own)
    }

    /// Has the thread run this actor from now on. `None`: has it end.
    pub(crate) fn begin(&self, job: Option<NonNull<Header>>) {
        let job = job.map_or(ptr::null_mut(), NonNull::as_ptr);
        // Release pairs with the Acquire in `live`.
        self.job.store(job, Ordering::Release);
        self.call();
    }

    /// Calls the thread: the actor has a message.
    pub(crate) fn call(&self) {
        self.call.call();
    }

    pub(crate) fn thread_call(&self) -> &ThreadCall {
        &self.call
    }

    /// Waits for the next call, until `deadline` at most, or for ever. Returns whether there was a
    /// call.
    pub(crate) fn await_call_until(&self, deadline: Option<Instant>) -> bool {
        let Some(deadline) = deadline else {
            self.call.await_call();
            return true;
        };
        self.call
            .await_call_for(|| deadline.saturating_duration_since(Instant::now()))
    }

    fn await_actor(&self) -> Option<NonNull<Header>> {
        self.call.await_call();
        // Acquire pairs with the Release in `begin`.
        NonNull::new(self.job.load(Ordering::Acquire))
    }
}
