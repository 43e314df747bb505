//! A supervised actor in memory.
//!
//! ```text
//!  ActorCell: core │ state, unless the actor is aside
//!  ChildPart: tree │ supervisor │ number │ whether there is a state
//!  factory, until the actor ends
//! ```

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use super::child::ChildPart;
use super::node::ChildKey;
use super::supervision_tree::SupervisionTree;
use crate::actor::mail::Envelope;
use crate::actor::memory::{
    ActorCell, ActorCore, ActorTable, CellPlan, ChildTable, CoreRef, RunFrame, weak_core_ref,
};
use crate::actor::system::trace;
use crate::actor::{Actor, Context};
use crate::sync::Arc;

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
            // SAFETY: the caller's obligation.
            part: |core| unsafe { Self::part(core) }.cast(),
            drop_factory: Self::drop_factory,
            first: || Envelope::link(Self::first()),
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
            part: ChildPart::new(Arc::clone(tree), key, plan.first),
            cell: ActorCell::<A>::new(MaybeUninit::uninit(), plan, &Self::TABLE),
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
        if frame.loss.is_some() {
            return;
        }
        // SAFETY: the actor is alive.
        let has_state = unsafe { (*Self::part(core)).has_state.get() };
        debug_assert!(!has_state, "there is one notice while there is no state");
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
        trace::event(unsafe { &*core }, "an actor starts");
        // SAFETY: the run has the state, which was made just now.
        let actor = unsafe { &mut *ActorCell::<A>::state(core) };
        actor.started(Context::of(frame));
        // SAFETY: as above.
        unsafe { (*Self::part(core)).has_revived() };
    }
}
