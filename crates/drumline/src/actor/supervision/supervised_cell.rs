//! A supervised actor in memory, and what its runs do about restarts.
//!
//! ```text
//!  ActorCell: core │ state, unless the actor is aside
//!  ChildPart: tree │ supervisor │ number │ whether there is a state
//!  factory, until the actor ends
//! ```

use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use super::failure::Failure;
use super::node::{ChildKey, NodeId};
use super::supervision_tree::SupervisionTree;
use crate::actor::actor_ref::CoreRef;
use crate::actor::cell::{ActorCell, ActorCore, ActorTable, CellPlan};
use crate::actor::context::Context;
use crate::actor::envelope::Envelope;
use crate::actor::run::{Request, RunFrame};
use crate::actor::{Actor, actor_stats, attached, weak_core_ref};
use crate::sync::Arc;
use crate::unwind::{self, Payload};

/// What the supervisor of an actor knows it by.
pub(in crate::actor) struct ChildPart {
    pub(super) tree: Arc<SupervisionTree>,
    number: u64,
    node: NodeId,
    /// Used by the run.
    has_state: Cell<bool>,
}

impl ChildPart {
    fn key(&self) -> ChildKey {
        ChildKey {
            node: self.node,
            number: self.number,
        }
    }
}

/// What depends on the type of a supervised actor.
pub(in crate::actor) struct ChildTable {
    part: unsafe fn(*const ActorCore) -> *const ChildPart,
    drop_factory: unsafe fn(*const ActorCore),
    revive: unsafe fn(NonNull<Envelope>, &mut RunFrame),
}

/// A supervised actor.
#[repr(C)]
pub(super) struct SupervisedCell<A, F> {
    cell: ActorCell<A>,
    part: ChildPart,
    /// There until the actor ends.
    factory: UnsafeCell<Option<F>>,
}

impl<A, F> SupervisedCell<A, F>
where
    A: Actor,
    F: FnMut() -> A + Send + 'static,
{
    const TABLE: ActorTable = ActorTable {
        stopped: ActorCell::<A>::stopped,
        drop_state: Self::drop_state,
        free: Self::free,
        type_name: std::any::type_name::<A>,
        child: Some(ChildTable {
            part: Self::part,
            drop_factory: Self::drop_factory,
            revive: Self::open_revive,
        }),
    };

    /// The notice that has the run make the state.
    pub(super) fn first() -> NonNull<Envelope> {
        Envelope::notice(Self::open_revive)
    }

    /// Makes a cell with one reference.
    pub(super) fn allocate(
        factory: F,
        tree: &Arc<SupervisionTree>,
        key: ChildKey,
        plan: CellPlan,
    ) -> CoreRef {
        let cell = Box::new(SupervisedCell {
            cell: ActorCell::<A>::new(MaybeUninit::uninit(), plan, &Self::TABLE),
            part: ChildPart {
                tree: Arc::clone(tree),
                number: key.number,
                node: key.node,
                has_state: Cell::new(false),
            },
            factory: UnsafeCell::new(Some(factory)),
        });
        // SAFETY: the reference that the word has counted.
        unsafe { CoreRef::from_raw(NonNull::from(Box::leak(cell)).cast()) }
    }

    unsafe fn part(core: *const ActorCore) -> *const ChildPart {
        // SAFETY: the core is the beginning of such a cell.
        unsafe { &raw const (*core.cast::<Self>()).part }
    }

    unsafe fn drop_state(core: *const ActorCore) {
        // SAFETY: as above; the run has the part.
        if unsafe { (*Self::part(core)).has_state.replace(false) } {
            // SAFETY: there is a state, and it is dropped once.
            unsafe { ActorCell::<A>::drop_state(core) };
        }
    }

    unsafe fn drop_factory(core: *const ActorCore) {
        // SAFETY: as above; the run has the factory.
        let factory = unsafe { (*(*core.cast::<Self>()).factory.get()).take() };
        drop(factory);
    }

    unsafe fn free(core: *const ActorCore) {
        // SAFETY: the memory is freed below.
        if unsafe { (*core).word.has_weak() } {
            weak_core_ref::close_link(core);
        }
        // SAFETY: leaked in `allocate`, and nothing refers to it.
        drop(unsafe { Box::from_raw(core.cast_mut().cast::<Self>()) });
    }

    /// Opens the notice: makes the state, and calls its hook.
    ///
    /// # Safety
    ///
    /// As for `OpenFn`; the actor is of this type.
    unsafe fn open_revive(_: NonNull<Envelope>, frame: &mut RunFrame) {
        let core = frame.core;
        // There is a state if the actor was put aside twice: each time has left a notice.
        //
        // SAFETY: the actor is alive, or its memory is at least.
        if frame.loss.is_some() || unsafe { (*Self::part(core)).has_state.get() } {
            return;
        }
        // SAFETY: the run has the factory, which is there until the end.
        let factory = unsafe { &mut *(*core.cast::<Self>()).factory.get() };
        let actor = factory.as_mut().expect("it is dropped with the actor")();
        // SAFETY: the run has the state, and there is none.
        unsafe { ActorCell::<A>::state(core).write(actor) };
        // SAFETY: the actor is alive.
        unsafe { (*Self::part(core)).has_state.set(true) };
        // SAFETY: as above.
        unsafe { (*core).word.forget_panic() };
        // SAFETY: as above.
        unsafe { (*core).word.start() };
        // SAFETY: as above.
        actor_stats::trace(unsafe { &*core }, "an actor starts");
        // SAFETY: the run has the state, which was made just now.
        let actor = unsafe { &mut *ActorCell::<A>::state(core) };
        actor.started(Context::of(frame));
    }
}

/// The part of a supervised actor.
///
/// # Safety
///
/// The actor is alive, at least for `'a`.
pub(super) unsafe fn part_of<'a>(
    core: *const ActorCore,
) -> Option<(&'a ChildPart, &'a ChildTable)> {
    // SAFETY: the caller's obligation.
    let table = unsafe { (*core).table };
    let child = table.child.as_ref()?;
    // SAFETY: the table is that of the actor.
    Some((unsafe { &*(child.part)(core) }, child))
}

/// An actor has ended: its supervisor, if there is one, lets go of it.
///
/// # Safety
///
/// The caller is the run that ends the actor, and has a reference.
pub(in crate::actor) unsafe fn has_ended(frame: &mut RunFrame) {
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
    pub(in crate::actor) unsafe fn fail(&mut self, payload: Payload) -> Option<Payload> {
        let core = self.core;
        // SAFETY: the actor is alive: this is its run.
        let actor = unsafe { &*core };
        let says = unwind::message(&*payload).unwrap_or("a payload that is no text");
        let failure = Failure::new(
            actor.name(),
            self.failed_message.take().map(|name| name()),
            says.to_owned(),
        );
        let request = std::mem::replace(&mut self.request, Request::Nothing);
        // SAFETY: the frame is that of a run.
        unsafe { attached::state_ended(self, Some(says)) };
        // SAFETY: the actor is alive.
        let child = unsafe { part_of(core) };
        let Some((part, child)) = child else {
            self.tell_failure(&failure, super::FailureOutcome::Ends);
            return Some(payload);
        };
        if actor.word.is_killed() || request == Request::Stop {
            self.tell_failure(&failure, super::FailureOutcome::Ends);
            return Some(payload);
        }
        let directive = part
            .tree
            .decide(part.node, &failure, |panic| self.report(panic));
        actor_stats::trace(actor, "an actor has failed");
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
    pub(in crate::actor) unsafe fn put_aside_for_restart(&mut self) {
        // SAFETY: the actor is alive: this is its run. Only supervisors set RESTART.
        let (part, child) = unsafe { part_of(self.core) }.expect("it has a supervisor");
        // SAFETY: the actor is alive.
        if unsafe { (*self.core).word.has_started() } {
            // SAFETY: the run has the state.
            self.report_panic(|frame| unsafe { (frame.table().stopped)(frame) });
        }
        self.request = Request::Nothing;
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
            while let Some(envelope) = unsafe { stash.take_newest() } {
                // SAFETY: the stash had the envelope, which is for this actor and not open.
                unsafe { self.put_front(envelope) };
            }
        }
        // SAFETY: the notice is fresh, and for an actor of this type.
        unsafe { self.put_front(Envelope::notice(child.revive)) };
        self.request = Request::Nothing;
        // SAFETY: this is the run, and that is what the next one is to come to.
        unsafe { actor.mailbox.requeue(Envelope::link(self.at_hand)) };
    }

    fn tell_failure(&self, failure: &Failure, outcome: super::FailureOutcome) {
        // SAFETY: the actor is alive: this is its run, or has put it aside.
        let system = unsafe { &(*self.core).system };
        if let Err(panic) = unwind::catch(|| system.tell_failure(failure, outcome)) {
            self.report(panic);
        }
    }
}
