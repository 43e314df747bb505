//! An actor with its state: one allocation.

use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use super::{ActorCore, ActorTable, CoreRef, Extra, ListLinks, RunFrame, weak_core_ref};
use crate::actor::life_word::{LifeWord, RunOrder};
use crate::actor::mail::Envelope;
use crate::actor::mailbox::Mailbox;
use crate::actor::system::SystemShared;
use crate::actor::{Actor, Context};
use crate::job::Header;
use crate::sync::Arc;

#[repr(C)]
pub(crate) struct ActorCell<A> {
    core: ActorCore,
    /// There as long as the actor is not DEAD; that of a supervised one, while it is not put aside.
    state: UnsafeCell<MaybeUninit<A>>,
}

/// What a cell is made with, besides its state.
pub(crate) struct CellPlan {
    /// In its mailbox.
    pub(crate) first: NonNull<Envelope>,
    pub(crate) system: Arc<SystemShared>,
    /// The run, as a job.
    pub(crate) run: unsafe fn(*const ()),
    pub(crate) order: RunOrder,
    pub(crate) extra: Option<Box<Extra>>,
}

impl<A: Actor> ActorCell<A> {
    const TABLE: ActorTable = ActorTable {
        stopped: Self::stopped,
        drop_state: Self::drop_state,
        free: Self::free,
        type_name: std::any::type_name::<A>,
        child: None,
    };

    /// Makes a cell with one reference, and `first` in its mailbox: the caller is to queue the
    /// first run.
    pub(crate) fn allocate(actor: A, plan: CellPlan) -> CoreRef {
        let cell = Box::new(Self::new(MaybeUninit::new(actor), plan, &Self::TABLE));
        // SAFETY: the reference that the word has counted.
        unsafe { CoreRef::from_raw(NonNull::from(Box::leak(cell)).cast()) }
    }

    /// A cell with one reference.
    pub(crate) fn new(state: MaybeUninit<A>, plan: CellPlan, table: &'static ActorTable) -> Self {
        let CellPlan {
            first,
            system,
            run,
            order,
            extra,
        } = plan;
        ActorCell {
            core: ActorCore {
                header: Header::new(run),
                mailbox: Mailbox::new(Envelope::link(first)),
                word: LifeWord::new(order),
                system,
                table,
                links: ListLinks {
                    previous: Cell::new(ptr::null()),
                    next: Cell::new(ptr::null()),
                },
                extra,
            },
            state: UnsafeCell::new(state),
        }
    }

    /// The state.
    ///
    /// # Safety
    ///
    /// The core is that of a live cell of this type, and its state has not been dropped.
    #[inline]
    pub(crate) unsafe fn state(core: *const ActorCore) -> *mut A {
        // SAFETY: a cell begins with its core.
        unsafe { UnsafeCell::raw_get(&raw const (*core.cast::<Self>()).state) }.cast()
    }

    pub(crate) unsafe fn stopped(frame: &mut RunFrame) {
        // SAFETY: the run has the state.
        let actor = unsafe { &mut *Self::state(frame.core) };
        actor.stopped(Context::of(frame));
    }

    pub(crate) unsafe fn drop_state(core: *const ActorCore) {
        // SAFETY: the run has the state, and drops it once.
        unsafe { Self::state(core).drop_in_place() };
    }

    unsafe fn free(core: *const ActorCore) {
        // SAFETY: the memory is freed below.
        if unsafe { (*core).word.has_weak() } {
            weak_core_ref::close_link(core);
        }
        // SAFETY: leaked in `allocate`, and nothing refers to it.
        drop(unsafe { Box::from_raw(core.cast_mut().cast::<Self>()) });
    }
}
