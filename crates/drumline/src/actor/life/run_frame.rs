//! What is done with the envelope at hand: it is opened, kept for the next run, or discarded.
//!
//! A thread that finds a dead actor idle acts for it ([`give_up`]): it takes its own message back,
//! and discards those of other senders that have come behind it.
//!
//! **The race feared** is a message that no thread discards, or an actor that no thread frees. Each
//! message that is pushed finds another one, and the thread that acts for the actor comes to it; or
//! it finds null, and then its sender acts for the actor. It makes no difference whether the actor
//! lives.

use std::any::type_name;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use crate::actor::life_word::FinalStep;
use crate::actor::mail::{BoundedMail, Envelope, Loss, SpentEnvelope};
use crate::actor::mailbox::{MailLink, Mailbox};
use crate::actor::memory::{ActorCore, Extra, RunFrame, RunRequest};
use crate::unwind::{self, Payload};

impl RunFrame {
    /// The frame of a run that begins with what is in the mailbox.
    ///
    /// # Safety
    ///
    /// The caller has been called on for the actor by the sender that found it idle, or by the run
    /// before.
    #[inline]
    pub(crate) unsafe fn begin(core: NonNull<ActorCore>) -> Self {
        // SAFETY: the run owns the mailbox, which is not empty.
        let first = unsafe { (*core.as_ptr()).mailbox.first() };
        RunFrame::new(core.as_ptr(), first)
    }

    /// Takes the envelope at hand away, and the next one up.
    ///
    /// # Safety
    ///
    /// The envelope at hand is open, and `next` is the one behind it, by a link or because there is
    /// none.
    #[inline]
    pub(crate) unsafe fn go_on(&mut self, next: Option<*const MailLink>) {
        // SAFETY: its content is out, and no sender has seen it, or that sender has linked the
        // next.
        unsafe { Envelope::free(Envelope::of(self.at_hand)) };
        if let Some(next) = next {
            self.at_hand = next;
            self.is_open = false;
        }
    }

    /// Opens the envelope at hand.
    ///
    /// # Safety
    ///
    /// As for [`OpenFn`](crate::actor::mail::envelope::OpenFn).
    #[inline]
    pub(crate) unsafe fn open(&mut self) {
        // SAFETY: the caller's obligation; links are those of envelopes.
        unsafe { Envelope::open(Envelope::of(self.at_hand), self) };
    }

    /// Leaves the message at hand, which does nothing more, for the next run to begin with. This
    /// run goes on as long as it has not told another thread of that run.
    ///
    /// # Safety
    ///
    /// The frame is that of a run, and the envelope at hand is open.
    pub(crate) unsafe fn put_aside(&mut self) {
        // SAFETY: its content has been taken out before the handler was called.
        unsafe { Envelope::make_nudge(Envelope::of(self.at_hand)) };
        // SAFETY: this is the run, and that is the message which the next one is to come to.
        unsafe { (*self.core).mailbox.requeue(self.at_hand) };
    }

    /// Puts an envelope in front of all that the run is to come to. For handlers and hooks.
    ///
    /// # Safety
    ///
    /// The frame is that of a run, which has the actor. The envelope is for this actor, in no
    /// mailbox, and has not been opened.
    pub(crate) unsafe fn put_front(&mut self, link: *const MailLink) {
        if self.is_open {
            // SAFETY: its content has been taken out before the handler was called.
            unsafe { Envelope::make_nudge(Envelope::of(self.at_hand)) };
            self.is_open = false;
        }
        // SAFETY: the run is to come to the envelope at hand.
        unsafe { Mailbox::put_before(link, self.at_hand) };
        self.at_hand = link;
        if self.request == RunRequest::Nothing {
            self.request = RunRequest::Front;
        }
    }

    /// Drops the nudges behind an envelope, but for the last one in the mailbox. Returns the last
    /// envelope before that, from which a later call may begin.
    ///
    /// # Safety
    ///
    /// The caller is the run, and is to come to the envelope.
    pub(crate) unsafe fn drop_nudges(behind: *const MailLink) -> *const MailLink {
        let mut at = behind;
        // SAFETY: the caller is the run.
        while let Some(next) = unsafe { Mailbox::next(at) } {
            // SAFETY: links are those of envelopes.
            let envelope = unsafe { Envelope::of(next) };
            // SAFETY: the caller has it in its mailbox.
            if !unsafe { Envelope::is_nudge(envelope) } {
                at = next;
                continue;
            }
            // SAFETY: as above.
            let Some(after) = (unsafe { Mailbox::next(next) }) else {
                break;
            };
            // SAFETY: the sender of the nudge is done with the link before it, and the sender of
            // the next one with that of the nudge, which has no content.
            unsafe {
                Mailbox::put_before(at, after);
                Envelope::free(envelope);
            }
        }
        at
    }

    /// Takes and discards all that is in the mailbox, and leaves it idle. Returns whether the
    /// caller has the last reference, by way of `final`.
    ///
    /// # Safety
    ///
    /// The actor is dead. The caller acts for it, and has a reference, which may be that of the
    /// envelope at hand.
    pub(crate) unsafe fn discard_all(&mut self) -> bool {
        let mut is_last = false;
        // SAFETY: the caller acts for the actor.
        let last = unsafe { (*self.core).mailbox.take_all() };
        loop {
            if !self.is_open {
                self.is_open = true;
                self.request = RunRequest::Nothing;
                // SAFETY: the envelope is the caller's.
                self.report_panic(|frame| unsafe { frame.open() });
                if self.request == RunRequest::Final {
                    // SAFETY: the reference keeps the memory.
                    is_last |= unsafe { (*self.core).word.accept_final() } == FinalStep::End;
                }
            }
            if ptr::eq(self.at_hand, last) {
                // SAFETY: the envelope is open, and no sender can see it any more.
                unsafe { self.go_on(None) };
                return is_last;
            }
            // SAFETY: it is not the last one, so its sender's successor links the next.
            let next = unsafe { Mailbox::await_next(self.at_hand) };
            // SAFETY: the envelope is open, and that is the next.
            unsafe { self.go_on(Some(next)) };
        }
    }

    /// Discards an envelope that is in no mailbox.
    ///
    /// # Safety
    ///
    /// The frame says why. The envelope is for this actor, in no queue, and has not been opened.
    pub(crate) unsafe fn discard(&mut self, link: *const MailLink) {
        // SAFETY: links are those of envelopes.
        let memory = SpentEnvelope(unsafe { Envelope::of(link) });
        // SAFETY: the caller's obligation. Envelopes that are discarded do not use the state.
        self.report_panic(|frame| unsafe { Envelope::open(memory.0, frame) });
    }

    /// Discards what waits beside the mailbox, and lets nothing in from now on.
    ///
    /// # Safety
    ///
    /// The frame is that of the run that ends the actor, and says why envelopes are discarded.
    pub(crate) unsafe fn close_extra(&mut self, extra: &Extra) {
        let bounded = extra.bounded.as_ref().map(BoundedMail::close);
        for link in bounded.into_iter().flatten() {
            // SAFETY: the queue had the envelope, which has not been opened.
            unsafe { self.discard(link) };
        }
        // SAFETY: this is the run.
        let stash = extra.stash.as_ref().map(|stash| unsafe { stash.take() });
        for link in stash.into_iter().flatten() {
            // SAFETY: as above.
            unsafe { self.discard(link) };
        }
    }

    /// Counts a dead letter, and drops the message.
    #[cold]
    pub(crate) fn lose<M>(&self, message: M) {
        if let Some(loss) = self.loss {
            // SAFETY: the actor is alive, or its memory is at least.
            let core = unsafe { &*self.core };
            core.system.lose(|| core.name(), type_name::<M>(), loss);
        }
        drop(message);
    }

    /// Runs code of the program that may panic, and reports that.
    pub(crate) fn report_panic(&mut self, call: impl FnOnce(&mut RunFrame)) {
        if let Err(payload) = unwind::catch(|| call(self)) {
            self.report(payload);
        }
    }

    pub(crate) fn report(&self, payload: Payload) {
        // SAFETY: the actor is alive.
        let system = unsafe { &(*self.core).system };
        system.registry().report_panic(payload);
    }
}

/// Acts for a dead actor, which was idle: discards what is in the mailbox, beginning with
/// `envelope`, unless that `is_open`. The actor may be gone afterwards, if that was `final`.
///
/// # Safety
///
/// The caller has found the dead actor idle when it pushed `envelope`. It has a reference, which
/// may be that of `final`.
#[cold]
pub(crate) unsafe fn give_up(core: NonNull<ActorCore>, envelope: NonNull<Envelope>, is_open: bool) {
    let core = core.as_ptr().cast_const();
    let mut frame = RunFrame::new(core, Envelope::link(envelope));
    frame.is_open = is_open;
    // SAFETY: the actor is alive until the last line.
    frame.loss = Some(if unsafe { (*core).word.has_panicked() } {
        Loss::Panicked
    } else {
        Loss::Dead
    });
    // SAFETY: this thread acts for the actor.
    if unsafe { frame.discard_all() } {
        // SAFETY: nothing refers to the actor any more.
        unsafe { ((*core).table.free)(core) };
    }
}

/// The type of the message that a handler panics with. Written while the handler unwinds.
///
/// One word, so that a message costs no more than to keep that.
pub(crate) struct NameOnUnwind<M>(*mut RunFrame, PhantomData<fn(M)>);

impl<M> NameOnUnwind<M> {
    /// # Safety
    ///
    /// The frame stays until this is dropped, and is not borrowed then.
    #[inline]
    pub(crate) unsafe fn new(frame: *mut RunFrame) -> Self {
        NameOnUnwind(frame, PhantomData)
    }
}

impl<M> Drop for NameOnUnwind<M> {
    #[cold]
    fn drop(&mut self) {
        // SAFETY: the promise of `new`.
        unsafe { (*self.0).failed_message = Some(type_name::<M>) };
    }
}
