//! References to actors of any type, and what is sent by them.

use std::ptr::NonNull;

use super::ActorCore;
use crate::actor::life::run_frame::give_up;
use crate::actor::life_word::{RefDrop, RunOrder};
use crate::actor::mail::{Envelope, envelope};
use crate::actor::mailbox::Pushed;
use crate::actor::schedulers::QueuedRun;
use crate::pool::{SharedRegistry, WakeOrigin, local, submit_plain, submit_woken};

/// A counted reference to an actor of any type.
pub(crate) struct CoreRef(NonNull<ActorCore>);

// SAFETY: the state of an actor is used by its run only, which the mailbox hands around, and is
// `Send`, as are the messages. The rest is for any thread.
unsafe impl Send for CoreRef {}
// SAFETY: as for `Send`.
unsafe impl Sync for CoreRef {}

impl CoreRef {
    /// # Safety
    ///
    /// The reference has been counted, and is this one from now on.
    pub(crate) unsafe fn from_raw(core: NonNull<ActorCore>) -> Self {
        CoreRef(core)
    }

    #[inline]
    pub(crate) fn as_ptr(&self) -> NonNull<ActorCore> {
        self.0
    }

    #[inline]
    pub(crate) fn core(&self) -> &ActorCore {
        // SAFETY: the reference keeps the memory.
        unsafe { self.0.as_ref() }
    }
}

impl Clone for CoreRef {
    #[inline]
    fn clone(&self) -> Self {
        self.core().word.add_ref();
        CoreRef(self.0)
    }
}

impl Drop for CoreRef {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this reference, which is gone after this.
        unsafe { ActorCore::drop_ref(self.0) };
    }
}

impl ActorCore {
    /// Pushes an envelope and sees to it that it is dealt with.
    ///
    /// Returns the envelope if the actor is dead: it has not been opened, and the caller has to
    /// [give up](give_up) the mailbox.
    ///
    /// # Safety
    ///
    /// The caller has a reference until this returns.
    #[inline]
    pub(crate) unsafe fn send(
        this: NonNull<ActorCore>,
        envelope: NonNull<Envelope>,
    ) -> Option<NonNull<Envelope>> {
        // SAFETY: the caller's obligation.
        match unsafe { Self::push(this, envelope) } {
            Pushed::Behind => None,
            // SAFETY: the mailbox was idle.
            Pushed::FoundIdle => unsafe { Self::schedule(this, envelope) },
        }
    }

    /// Pushes an envelope. What the answer asks for is the caller's.
    ///
    /// # Safety
    ///
    /// As for [`send`](Self::send).
    #[inline]
    pub(crate) unsafe fn push(this: NonNull<ActorCore>, envelope: NonNull<Envelope>) -> Pushed {
        // SAFETY: the actor is alive.
        unsafe { (*this.as_ptr()).mailbox.push(Envelope::link(envelope)) }
    }

    /// Has the envelope dealt with that was pushed when the actor was idle.
    ///
    /// # Safety
    ///
    /// As for [`send`](Self::send).
    #[inline]
    pub(crate) unsafe fn schedule(
        this: NonNull<ActorCore>,
        envelope: NonNull<Envelope>,
    ) -> Option<NonNull<Envelope>> {
        // SAFETY: the actor is alive.
        if unsafe { (*this.as_ptr()).word.is_dead() } {
            return Some(envelope);
        }
        // SAFETY: the run is to be queued, and the caller has a reference.
        unsafe { Self::queue(this, WakeOrigin::Woken) };
        None
    }

    /// Queues a run. The core may be gone afterwards.
    ///
    /// # Safety
    ///
    /// The caller owns the mailbox, and leaves it to the run. If the calling thread is not in the
    /// pool, the caller keeps the system besides.
    #[inline]
    pub(crate) unsafe fn queue(this: NonNull<ActorCore>, origin: WakeOrigin) {
        let core = this.as_ptr().cast_const();
        // SAFETY: the actor is alive now.
        if let Some(extra) = unsafe { &(*core).extra }
            && extra.place.is_elsewhere()
            // SAFETY: as above.
            && !unsafe { (*core).system.registry().is_forked() }
            && extra.place.queue(QueuedRun {
                job: this.cast(),
                // SAFETY: as above.
                pool: unsafe { (*core).system.registry() }.id(),
            })
        {
            return;
        }
        // SAFETY: as above.
        let order = unsafe { (*core).word.order() };
        // SAFETY: the actor is alive now.
        let registry = unsafe { SharedRegistry::as_ptr((*core).system.registry()) };
        // SAFETY: the registry is kept by the pool that this thread is in, or by the caller.
        let seat = local::find(unsafe { &*registry });
        if order == RunOrder::Managed {
            // SAFETY: as above.
            unsafe { submit_woken(&*registry, seat, core.cast(), origin) };
        } else {
            // The oldest first if it goes on: it has had its turn.
            let on_top = order == RunOrder::NewestFirst && origin == WakeOrigin::Woken;
            // SAFETY: as above.
            unsafe { submit_plain(&*registry, seat, core.cast(), on_top) };
        }
    }

    /// Pushes a notice of the library. It never comes back.
    ///
    /// # Safety
    ///
    /// The caller has a reference, which may be that of the notice.
    pub(crate) unsafe fn notify(this: NonNull<ActorCore>, notice: NonNull<Envelope>) {
        // SAFETY: the caller's obligation.
        let pushed = unsafe { Self::push(this, notice) };
        // SAFETY: as above.
        unsafe { Self::has_notified(this, notice, pushed) };
    }

    /// What follows the push of such a notice.
    ///
    /// # Safety
    ///
    /// As for [`notify`](Self::notify).
    pub(crate) unsafe fn has_notified(
        this: NonNull<ActorCore>,
        notice: NonNull<Envelope>,
        pushed: Pushed,
    ) {
        if pushed == Pushed::Behind {
            return;
        }
        // SAFETY: the mailbox was idle.
        if let Some(back) = unsafe { Self::schedule(this, notice) } {
            // SAFETY: the actor is dead and was idle, so this thread stands for its run.
            unsafe { give_up(this, back, false) };
        }
    }

    /// Drops a reference. The core may be gone afterwards.
    ///
    /// # Safety
    ///
    /// The caller has one, and uses it no more.
    #[inline]
    pub(crate) unsafe fn drop_ref(this: NonNull<ActorCore>) {
        // SAFETY: the caller has a reference.
        match unsafe { (*this.as_ptr()).word.drop_ref() } {
            RefDrop::Kept => {}
            // SAFETY: the reference is that of `final`.
            RefDrop::SendFinal => unsafe { Self::send_final(this) },
        }
    }

    #[cold]
    unsafe fn send_final(this: NonNull<ActorCore>) {
        // Keeps the pool while the run is queued: it may free the actor.
        //
        // SAFETY: the actor is alive until `final` is pushed.
        let registry = SharedRegistry::clone(unsafe { (*this.as_ptr()).system.registry() });
        // SAFETY: as above; the mailbox is not used after the push unless it was idle.
        unsafe { Self::notify(this, Envelope::notice(envelope::open_final)) };
        drop(registry);
    }
}

const _: () = assert!(
    size_of::<CoreRef>() == size_of::<usize>(),
    "a reference is one word"
);
