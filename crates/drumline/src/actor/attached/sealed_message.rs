//! A message that is ready to be sent, later or never.

use std::ptr::NonNull;

use crate::actor::Actor;
use crate::actor::life::run_frame::give_up;
use crate::actor::mail::{Content, Envelope, SpentEnvelope};
use crate::actor::mailbox::Pushed;
use crate::actor::memory::{ActorCore, CoreRef};
use crate::pool::{HeldOpen, SharedRegistry};
use crate::spawn::spawn_future_in;

/// An envelope with content that may never be sent.
pub(super) struct SealedMessage {
    envelope: NonNull<Envelope>,
    discard: unsafe fn(NonNull<Envelope>),
}

// SAFETY: it is made of content that is `Send`.
unsafe impl Send for SealedMessage {}

impl SealedMessage {
    /// For this actor, which is of the type `A`.
    pub(super) fn new<A, C>(core: &ActorCore, content: C) -> Self
    where
        A: Actor,
        C: Content<A>,
    {
        let open = if core.counter().is_some() {
            C::COUNTED_OPEN
        } else {
            C::OPEN
        };
        SealedMessage {
            envelope: Envelope::seal(content, open),
            discard: discard::<C>,
        }
    }

    /// Sends it. It needs no room.
    ///
    /// # Safety
    ///
    /// It is for that actor.
    pub(super) unsafe fn send(self, core: &CoreRef) {
        let envelope = self.envelope;
        std::mem::forget(self);
        // SAFETY: the reference stays meanwhile.
        unsafe { ActorCore::notify(core.as_ptr(), envelope) };
    }

    /// Sends it, and runs no code of the program: for the timer thread. If the actor has ended
    /// meanwhile, the message is discarded by a task of the pool; or here, if that has ended, too.
    ///
    /// # Safety
    ///
    /// It is for that actor.
    pub(super) unsafe fn send_only(self, core: CoreRef) {
        let envelope = self.envelope;
        std::mem::forget(self);
        // SAFETY: the reference stays meanwhile.
        if unsafe { ActorCore::push(core.as_ptr(), envelope) } == Pushed::Behind {
            return;
        }
        // SAFETY: as above; the mailbox was idle.
        if let Some(envelope) = unsafe { ActorCore::schedule(core.as_ptr(), envelope) } {
            let registry = SharedRegistry::clone(core.core().system.registry());
            let late = LateMessage { core, envelope };
            // A pool that has ended would keep the task for ever: nothing runs it.
            if let Some(held_open) = HeldOpen::new(&registry) {
                let discard = async move {
                    drop(late);
                    drop(held_open);
                };
                // It goes on by itself.
                drop(spawn_future_in(registry, discard));
            }
        }
    }
}

/// A message for an actor that is dead, and was idle. It is discarded when this is dropped.
struct LateMessage {
    core: CoreRef,
    envelope: NonNull<Envelope>,
}

// SAFETY: the content is `Send`, and any thread may act for the actor.
unsafe impl Send for LateMessage {}

impl Drop for LateMessage {
    fn drop(&mut self) {
        // SAFETY: the actor was found idle when the envelope was pushed, and there is a reference.
        unsafe { give_up(self.core.as_ptr(), self.envelope, false) };
    }
}

impl Drop for SealedMessage {
    fn drop(&mut self) {
        // SAFETY: the envelope was not sent, and has content of that type.
        unsafe { (self.discard)(self.envelope) };
    }
}

/// # Safety
///
/// The envelope was sealed with content of this type, and is in no mailbox.
unsafe fn discard<C>(envelope: NonNull<Envelope>) {
    let _spent = SpentEnvelope(envelope);
    // SAFETY: the caller's obligation.
    drop(unsafe { Envelope::unseal::<C>(envelope) });
}
