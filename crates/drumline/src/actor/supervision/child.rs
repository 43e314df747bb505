//! What a supervised actor knows of its supervisor, and what its runs do about restarts.

use std::cell::Cell;
use std::ptr::NonNull;

use super::failure::{Failure, FailureOutcome};
use super::node::{ChildKey, NodeId};
use super::supervision_tree::SupervisionTree;
use crate::actor::attached;
use crate::actor::memory::{ActorCore, ActorTable, ChildTable, CoreRef, RunFrame, RunRequest};
use crate::actor::system::trace;
use crate::sync::Arc;
use crate::unwind::{self, Payload};

/// What the supervisor of an actor knows it by.
pub(crate) struct ChildPart {
    tree: Arc<SupervisionTree>,
    number: u64,
    node: NodeId,
    /// Used by the run.
    pub(super) has_state: Cell<bool>,
}

impl ChildPart {
    pub(super) fn new(tree: Arc<SupervisionTree>, key: ChildKey) -> Self {
        ChildPart {
            tree,
            number: key.number,
            node: key.node,
            has_state: Cell::new(false),
        }
    }

    fn key(&self) -> ChildKey {
        ChildKey {
            node: self.node,
            number: self.number,
        }
    }
}

/// The part of a supervised actor.
///
/// # Safety
///
/// The actor is alive, at least for `'a`.
unsafe fn part_of<'a>(core: *const ActorCore) -> Option<(&'a ChildPart, &'a ChildTable)> {
    // SAFETY: the caller's obligation.
    let table = unsafe { (*core).table };
    let child = table.child.as_ref()?;
    // SAFETY: the table is that of the actor, and gives such a part.
    Some((unsafe { &*(child.part)(core).cast() }, child))
}

/// An actor has ended: its supervisor, if there is one, lets go of it.
///
/// # Safety
///
/// The caller is the run that ends the actor, and has a reference.
pub(crate) unsafe fn has_ended(frame: &mut RunFrame) {
    let core = frame.core;
    // SAFETY: the reference keeps the actor.
    let Some((part, child)) = (unsafe { part_of(core) }) else {
        return;
    };
    // SAFETY: the run has the factory.
    frame.report_panic(|frame| unsafe { (child.drop_factory)(frame.core) });
    part.tree.ended(part.key());
}

impl RunFrame {
    /// A panic has come out of the run. Puts the actor aside if its supervisor may start it again;
    /// it may be gone then. Otherwise the panic comes back, and the actor is to be ended.
    ///
    /// # Safety
    ///
    /// The frame is that of a run.
    #[cold]
    pub(crate) unsafe fn fail(&mut self, payload: Payload) -> Option<Payload> {
        let core = self.core;
        // SAFETY: the actor is alive: this is its run.
        let actor = unsafe { &*core };
        let says = unwind::message(&*payload).unwrap_or("a payload that is no text");
        let failure = Failure::new(
            actor.name(),
            self.failed_message.take().map(|name| name()),
            says.to_owned(),
        );
        let request = std::mem::replace(&mut self.request, RunRequest::Nothing);
        // SAFETY: the frame is that of a run.
        unsafe { attached::state_ended(self, Some(says)) };
        // SAFETY: the actor is alive.
        let child = unsafe { part_of(core) };
        let Some((part, child)) = child else {
            self.tell_failure(&failure, FailureOutcome::Ends);
            return Some(payload);
        };
        if actor.word.is_killed() || request == RunRequest::Stop {
            self.tell_failure(&failure, FailureOutcome::Ends);
            return Some(payload);
        }
        let directive = part
            .tree
            .decide(part.node, &failure, |panic| self.report(panic));
        trace::event(actor, "an actor has failed");
        self.report(payload);
        // SAFETY: the run has the state.
        self.report_panic(|frame| unsafe { (frame.table().drop_state)(frame.core) });
        // SAFETY: the frame is that of a run, and the state is gone.
        unsafe { self.leave_to_supervisor(child) };
        // From the next step on, other threads may run the actor, end it and free it.
        let tree = Arc::clone(&part.tree);
        actor.word.add_ref();
        // The pointer is that to the whole cell, which this reference may free.
        //
        // SAFETY: counted just now.
        let _kept = unsafe { CoreRef::from_raw(NonNull::new_unchecked(core.cast_mut())) };
        actor.word.note_panic();
        let plan = tree.failed(part.key(), directive);
        self.tell_failure(&failure, plan.outcome());
        plan.carry_out(&tree);
        None
    }

    /// The actor is to be put aside because of another one. It may be gone afterwards.
    ///
    /// # Safety
    ///
    /// The frame is that of a run which has found RESTART. The envelope at hand is not open.
    #[cold]
    pub(crate) unsafe fn put_aside_for_restart(&mut self) {
        // SAFETY: the actor is alive: this is its run. Only supervisors set RESTART.
        let (part, child) = unsafe { part_of(self.core) }.expect("it has a supervisor");
        // SAFETY: the actor is alive.
        if unsafe { (*self.core).word.has_started() } {
            // SAFETY: the run has the state.
            self.report_panic(|frame| unsafe { (frame.table().stopped)(frame) });
        }
        self.request = RunRequest::Nothing;
        // SAFETY: the run has the state.
        self.report_panic(|frame| unsafe { (frame.table().drop_state)(frame.core) });
        // SAFETY: the frame is that of a run.
        unsafe { attached::state_ended(self, None) };
        // SAFETY: the frame is that of a run, and the state is gone.
        unsafe { self.leave_to_supervisor(child) };
        let tree = Arc::clone(&part.tree);
        tree.is_aside(part.key()).carry_out(&tree);
    }

    fn table(&self) -> &'static ActorTable {
        // SAFETY: the actor is alive as long as its run.
        unsafe { (*self.core).table }
    }

    /// Leaves the mailbox for a run that begins with a new state.
    ///
    /// # Safety
    ///
    /// The frame is that of a run, and the state is gone.
    unsafe fn leave_to_supervisor(&mut self, child: &ChildTable) {
        // SAFETY: the actor is alive.
        let actor = unsafe { &*self.core };
        actor.word.restart();
        if let Some(stash) = actor.extra.as_ref().and_then(|extra| extra.stash.as_ref()) {
            // The new state knows nothing of them.
            //
            // SAFETY: this is the run.
            for link in unsafe { stash.take() }.into_iter().rev() {
                // SAFETY: the stash had the envelope, which is for this actor and not open.
                unsafe { self.put_front(link) };
            }
        }
        // SAFETY: the notice is fresh, and for an actor of this type.
        unsafe { self.put_front((child.first)()) };
        self.request = RunRequest::Nothing;
        // SAFETY: this is the run, and that is what the next one is to come to.
        unsafe { actor.mailbox.requeue(self.at_hand) };
    }

    fn tell_failure(&self, failure: &Failure, outcome: FailureOutcome) {
        // SAFETY: the actor is alive: this is its run, or has put it aside.
        let system = unsafe { &(*self.core).system };
        if let Err(panic) = unwind::catch(|| system.tell_failure(failure, outcome)) {
            self.report(panic);
        }
    }
}
