//! The actor that a thread runs, or whose future it polls.

use std::cell::Cell;
use std::ptr;
use std::task::{Context, Waker};

use crate::actor::memory::ActorCore;
use crate::sync::per_thread;

per_thread! {
    /// The actor with the message that this thread handles.
    static CURRENT: Cell<*const ActorCore> = const { Cell::new(ptr::null()) };
    /// The future with the state of an actor that the thread polls; null if there is none.
    static POLLED: Cell<*const Polled> = const { Cell::new(ptr::null()) };
}

/// The actor with the message that the calling thread handles; null if there is none.
pub(crate) fn current() -> *const ActorCore {
    CURRENT.with(Cell::get)
}

/// Says which actor's message this thread handles, until it is dropped.
pub(crate) struct Current(*const ActorCore);

impl Current {
    #[inline]
    pub(crate) fn enter(core: *const ActorCore) -> Self {
        Current(CURRENT.with(|current| current.replace(core)))
    }
}

impl Drop for Current {
    #[inline]
    fn drop(&mut self) {
        CURRENT.with(|current| current.set(self.0));
    }
}

/// The name of the actor that the calling thread runs: its handler, hook or future. If the actor
/// has no name, that of its type.
///
/// It is for logs, and for a panic hook that says which actor has panicked:
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{self, Actor, ActorSystem, Context, Handler, SpawnOptions};
///
/// struct Printer;
/// impl Actor for Printer {}
/// impl Handler<()> for Printer {
///     type Reply = Option<String>;
///     fn handle(&mut self, (): (), _: &mut Context<Self>) -> Option<String> {
///         actor::current_name()
///     }
/// }
///
/// let before = std::panic::take_hook();
/// std::panic::set_hook(Box::new(move |info| {
///     if let Some(name) = actor::current_name() {
///         eprint!("in actor {name}: ");
///     }
///     before(info);
/// }));
///
/// let pool = Pool::builder().jobs(1).build()?;
/// let system = ActorSystem::new(&pool);
/// let printer = system.spawn_with(Printer, SpawnOptions::new().name("printer"));
/// assert_eq!(printer.ask(()).recv(), Ok(Some("printer".to_owned())));
/// assert_eq!(actor::current_name(), None);
/// # Ok::<(), drumline::BuildError>(())
/// ```
#[must_use]
pub fn current_name() -> Option<String> {
    let core = current();
    // SAFETY: the thread runs the actor, which is alive.
    (!core.is_null()).then(|| unsafe { &*core }.name())
}

/// A future with the state of an actor, while it is polled.
struct Polled {
    waker: *const Waker,
    core: *const ActorCore,
    /// It has awaited a reply.
    has_asked: Cell<bool>,
}

/// Polls a future of an actor. Returns also whether it has awaited a reply.
pub(crate) fn while_polled<R>(
    core: *const ActorCore,
    cx: &mut Context<'_>,
    poll: impl FnOnce(&mut Context<'_>) -> R,
) -> (R, bool) {
    let current = Current::enter(core);
    let polled = Polled {
        waker: cx.waker(),
        core,
        has_asked: Cell::new(false),
    };
    let before = POLLED.with(|place| place.replace(&raw const polled));
    let outcome = poll(cx);
    POLLED.with(|place| place.set(before));
    drop(current);
    (outcome, polled.has_asked.get())
}

/// The actor with the future that is polled with this waker. `None`: the waker is that of another
/// task, which this thread may run on top of such a future. Or it is that of a part of one which
/// has wakers of its own.
pub(crate) fn awaits(waker: &Waker) -> Option<*const ActorCore> {
    let polled = POLLED.with(Cell::get);
    if polled.is_null() {
        return None;
    }
    // SAFETY: it lies in a frame of this thread, as long as it is in that place.
    let polled = unsafe { &*polled };
    // SAFETY: it is that of the poll that the frame belongs to.
    if !unsafe { &*polled.waker }.will_wake(waker) {
        return None;
    }
    polled.has_asked.set(true);
    Some(polled.core)
}
