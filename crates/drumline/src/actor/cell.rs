//! An actor in memory: one allocation.
//!
//! ```text
//!  ActorCore: header of the job │ mailbox │ word │ system │ table │ links │ extra    80 bytes
//!  state of the actor
//! ```
//!
//! The core is the same for all actors, and the run knows nothing else. References are addresses of
//! cores. What few actors have (a name, a bound, a thread of its own) is in a box of its own.

use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use super::actor_ref::CoreRef;
use super::context::Context;
use super::envelope::Envelope;
use super::extra::Extra;
use super::life_word::{LifeWord, RefDrop, RunOrder};
use super::mailbox::{Mailbox, Pushed};
use super::run::{self, RunFrame};
use super::run_end;
use super::supervision::ChildTable;
use super::system_shared::SystemShared;
use super::{Actor, Style, weak_core_ref};
use crate::job::Header;
use crate::pool::{SharedRegistry, WakeOrigin, local, submit_plain, submit_woken};
use crate::sync::Arc;

/// The part of an actor that does not depend on its type.
#[repr(C)]
pub(super) struct ActorCore {
    /// First, so that the address of the core is that of the job.
    pub(super) header: Header,
    pub(super) mailbox: Mailbox,
    pub(super) word: LifeWord,
    pub(super) system: Arc<SystemShared>,
    pub(super) table: &'static ActorTable,
    pub(super) links: ListLinks,
    pub(super) extra: Option<Box<Extra>>,
}

/// The neighbours in the list of the system; used under the lock of a shard.
#[derive(Debug)]
pub(super) struct ListLinks {
    pub(super) previous: Cell<*const ActorCore>,
    pub(super) next: Cell<*const ActorCore>,
}

/// What depends on the type. All of it takes the address of a live core of that type.
pub(super) struct ActorTable {
    /// Calls the hook `stopped`.
    pub(super) stopped: unsafe fn(&mut RunFrame),
    /// Drops the state, in place.
    pub(super) drop_state: unsafe fn(*const ActorCore),
    /// Frees the memory; the state has been dropped.
    pub(super) free: unsafe fn(*const ActorCore),
    pub(super) type_name: fn() -> &'static str,
    /// The part of an actor that its supervisor knows. `None`: it has no supervisor.
    pub(super) child: Option<ChildTable>,
}

#[repr(C)]
pub(super) struct ActorCell<A> {
    core: ActorCore,
    /// There as long as the actor is not DEAD; that of a supervised one, while it is not put aside.
    state: UnsafeCell<MaybeUninit<A>>,
}

/// What a cell is made with, besides its state.
pub(super) struct CellPlan {
    /// In its mailbox.
    pub(super) first: NonNull<Envelope>,
    pub(super) system: Arc<SystemShared>,
    pub(super) style: Style,
    pub(super) order: RunOrder,
    pub(super) extra: Option<Box<Extra>>,
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
    pub(super) fn allocate(actor: A, plan: CellPlan) -> CoreRef {
        let cell = Box::new(Self::new(MaybeUninit::new(actor), plan, &Self::TABLE));
        // SAFETY: the reference that the word has counted.
        unsafe { CoreRef::from_raw(NonNull::from(Box::leak(cell)).cast()) }
    }

    /// A cell with one reference.
    pub(super) fn new(state: MaybeUninit<A>, plan: CellPlan, table: &'static ActorTable) -> Self {
        let CellPlan {
            first,
            system,
            style,
            order,
            extra,
        } = plan;
        let is_counted = extra.as_ref().is_some_and(|extra| extra.counter.is_some());
        let run = match (style, is_counted) {
            (Style::Recursive, false) => run::run_recursive,
            (Style::Loop, false) => run::run_loop,
            (Style::Recursive, true) => run::run_recursive_counted,
            (Style::Loop, true) => run::run_loop_counted,
        };
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
    pub(super) unsafe fn state(core: *const ActorCore) -> *mut A {
        // SAFETY: a cell begins with its core.
        unsafe { UnsafeCell::raw_get(&raw const (*core.cast::<Self>()).state) }.cast()
    }

    pub(super) unsafe fn stopped(frame: &mut RunFrame) {
        // SAFETY: the run has the state.
        let actor = unsafe { &mut *Self::state(frame.core) };
        actor.stopped(Context::of(frame));
    }

    pub(super) unsafe fn drop_state(core: *const ActorCore) {
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

impl ActorCore {
    /// Pushes an envelope and sees to it that it is dealt with.
    ///
    /// Returns the envelope if the actor is dead: it has not been opened, and the caller has to
    /// [give up](run_end::give_up) the mailbox.
    ///
    /// # Safety
    ///
    /// The caller has a reference until this returns.
    #[inline]
    pub(super) unsafe fn send(
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
    pub(super) unsafe fn push(this: NonNull<ActorCore>, envelope: NonNull<Envelope>) -> Pushed {
        // SAFETY: the actor is alive.
        unsafe { (*this.as_ptr()).mailbox.push(Envelope::link(envelope)) }
    }

    /// Has the envelope dealt with that was pushed when the actor was idle.
    ///
    /// # Safety
    ///
    /// As for [`send`](Self::send).
    #[inline]
    pub(super) unsafe fn schedule(
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
    pub(super) unsafe fn queue(this: NonNull<ActorCore>, origin: WakeOrigin) {
        let core = this.as_ptr().cast_const();
        // SAFETY: the actor is alive now.
        if let Some(extra) = unsafe { &(*core).extra }
            && extra.place.is_elsewhere()
            // SAFETY: as above.
            && !unsafe { (*core).system.registry().is_forked() }
            // SAFETY: as above, and the caller's obligations.
            && unsafe { extra.place.queue(this) }
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
    pub(super) unsafe fn notify(this: NonNull<ActorCore>, notice: NonNull<Envelope>) {
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
    pub(super) unsafe fn has_notified(
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
            unsafe { run_end::give_up(this, back, false) };
        }
    }

    /// Drops a reference. The core may be gone afterwards.
    ///
    /// # Safety
    ///
    /// The caller has one, and uses it no more.
    #[inline]
    pub(super) unsafe fn drop_ref(this: NonNull<ActorCore>) {
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
        unsafe { Self::notify(this, Envelope::notice(run::open_final)) };
        drop(registry);
    }

    /// What the actor is called.
    pub(super) fn name(&self) -> String {
        match self
            .extra
            .as_deref()
            .and_then(|extra| extra.name.as_deref())
        {
            Some(name) => name.to_owned(),
            None => short_name((self.table.type_name)()),
        }
    }
}

/// The name of a type without the paths of modules.
fn short_name(full: &str) -> String {
    let mut short = String::with_capacity(full.len());
    for part in full.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
        let from = part.rfind("::").map_or(0, |at| at + 2);
        short.push_str(&part[from..]);
    }
    short
}

#[cfg(not(drumline_shuttle))]
const _: () = assert!(
    size_of::<ActorCore>() <= 9 * size_of::<usize>(),
    "a program may have millions of actors"
);

#[cfg(test)]
mod tests {
    use super::short_name;

    #[test]
    fn names_of_types_are_short() {
        assert_eq!(short_name("a::b::Counter"), "Counter");
        assert_eq!(short_name("a::Map<b::Key, c::d::Value>"), "Map<Key, Value>");
        assert_eq!(short_name("u64"), "u64");
    }
}
