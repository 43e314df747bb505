//! The end of an actor.
//!
//! 1. The hook `stopped` is called, unless a panic has ended the actor.
//! 2. The state is dropped. Panics of both are reported.
//! 3. The word says DEAD.
//! 4. All messages are taken, so that the mailbox is idle, and discarded: dead letters.
//! 5. The list of the system lets go of the actor, and then its supervisor. Those that wait for the
//!    end of that are told.
//! 6. The word says ENDED. What is [attached](attached) to the actor is taken out: those that wait
//!    for its end are told. What is attached later is refused, as the end is over.
//! 7. Those that wait for the end of the system are told.
//! 8. The run, which has had a reference since 1, drops it.

use std::ptr::NonNull;

use crate::actor::attached::{Exit, ExitReason};
use crate::actor::life_word::FinalStep;
use crate::actor::mail::{Envelope, Loss, envelope};
use crate::actor::memory::{ActorCore, RunFrame};
use crate::actor::system::trace;
use crate::actor::{attached, supervision};
use crate::unwind::{self, Payload};

impl RunFrame {
    /// Ends the actor, because of a panic if there is one. The actor may be gone afterwards.
    ///
    /// # Safety
    ///
    /// The frame is that of a run, which has `final`'s reference if it `has_reference`.
    #[cold]
    pub(crate) unsafe fn end(&mut self, panic: Option<Payload>, has_reference: bool) {
        let core = self.core;
        // SAFETY: the actor is alive until the last line.
        let (word, table) = unsafe { (&(*core).word, (*core).table) };
        if !has_reference {
            word.add_ref();
        }
        // Its supervisor may end it now because of a panic before.
        let has_panicked = panic.is_some() || word.has_panicked();
        if has_panicked {
            // SAFETY: the actor is alive.
            unsafe { &*core }.system.count_panic();
        }
        let what = if has_panicked {
            "an actor ends, as it has panicked"
        } else {
            "an actor ends"
        };
        // SAFETY: as above.
        trace::event(unsafe { &*core }, what);
        let reason = if has_panicked {
            ExitReason::Panicked
        } else if word.is_killed() && !has_reference {
            ExitReason::Killed
        } else {
            ExitReason::Stopped
        };
        // What is attached by another thread from now on is told less.
        let says = match &panic {
            Some(payload) if word.has_attached() => unwind::message(&**payload).map(str::to_owned),
            _ => None,
        };
        match panic {
            Some(payload) => self.report(payload),
            // SAFETY: the run has the state.
            None if word.has_started() => self.report_panic(|frame| unsafe {
                (table.stopped)(frame);
            }),
            None => {}
        }
        // SAFETY: the run has the state, and drops it here only.
        self.report_panic(|frame| unsafe { (table.drop_state)(frame.core) });
        self.loss = Some(if has_panicked {
            Loss::Panicked
        } else {
            Loss::Dead
        });
        // SAFETY: the actor is alive.
        if let Some(extra) = unsafe { &(*core).extra } {
            // SAFETY: this is the run.
            unsafe { self.close_extra(extra) };
            if extra.place.is_elsewhere() {
                // SAFETY: as above.
                unsafe { &*core }.system.registry().ran_elsewhere();
            }
        }
        word.die(has_panicked);
        // SAFETY: this is the run, with a reference besides that of `final`.
        let is_last = unsafe { self.discard_all() };
        debug_assert!(!is_last, "the run has a reference");
        // SAFETY: the actor is alive, and in the list unless it was not let in.
        let is_closed = unsafe { (*core).system.let_go(core) };
        // SAFETY: this is the run, with a reference.
        unsafe { supervision::has_ended(self) };
        if word.end() {
            // SAFETY: the actor is alive.
            let exit = Exit::new(&unsafe { &*core }.name(), reason, says.as_deref());
            // SAFETY: this is the run, and the actor has ended.
            unsafe { attached::actor_ended(self, &exit) };
        }
        if is_closed {
            // SAFETY: the actor is alive.
            unsafe { &*core }.system.has_let_go();
        }
        // SAFETY: the reference of the run.
        unsafe { ActorCore::drop_ref(NonNull::new_unchecked(core.cast_mut())) };
    }

    /// Ends an actor that its system does not let in.
    ///
    /// # Safety
    ///
    /// The actor is fresh: it has not been run, and no run is queued. The caller has a reference.
    pub(crate) unsafe fn end_unstarted(core: NonNull<ActorCore>) {
        // SAFETY: the caller stands for the run, and the mailbox of a fresh actor is not empty.
        let mut frame = unsafe { RunFrame::begin(core) };
        // SAFETY: the frame is that of a run.
        unsafe { frame.end(None, false) };
    }

    /// The run has come to `final`. Returns whether the actor ends, and the run has the reference.
    ///
    /// # Safety
    ///
    /// The frame is that of a run.
    #[cold]
    pub(crate) unsafe fn accept_final(&mut self) -> bool {
        // SAFETY: the actor is alive.
        match unsafe { (*self.core).word.accept_final() } {
            FinalStep::Continue => false,
            FinalStep::End => true,
            FinalStep::SendAgain => {
                // SAFETY: the reference is that of `final`, and the run has the mailbox.
                unsafe {
                    let core = NonNull::new_unchecked(self.core.cast_mut());
                    ActorCore::notify(core, Envelope::notice(envelope::open_final));
                }
                false
            }
        }
    }
}
