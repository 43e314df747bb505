//! References that do not keep an actor alive.
//!
//! The cell of an actor has no room for what weak references need, and few actors have any. So the
//! [links](super::weak_link) are in a table of the process, by the address of the actor, and a bit
//! of the word says that there is one.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::actor_ref::CoreRef;
use super::cell::ActorCore;
use super::weak_link::WeakLink;
use super::{Actor, ActorRef};
use crate::sync::{Arc, Mutex, lock};

/// The place of an actor of any type. It is used for its word only.
#[repr(transparent)]
struct WeakCore(ActorCore);

// SAFETY: any thread may use the word of an actor.
unsafe impl Sync for WeakCore {}

/// The links of actors that have weak references.
struct WeakLinks {
    by_address: Mutex<BTreeMap<usize, Arc<WeakLink<WeakCore>>>>,
}

crate::sync::process_wide! {
    static LINKS: WeakLinks = WeakLinks { by_address: Mutex::new(BTreeMap::new()) };
}

/// The memory of an actor that has a link is about to be freed.
#[cold]
pub(super) fn close_link(core: *const ActorCore) {
    let link = lock(&LINKS.by_address).remove(&core.addr());
    if let Some(link) = link {
        link.close();
    }
}

/// A reference to an actor that does not keep it alive; made by
/// [`ActorRef::downgrade`].
///
/// An actor that two others refer to in a circle, or that refers to itself, does not end by itself.
/// With a weak reference in the circle it does.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Handler, WeakActorRef};
/// use std::sync::mpsc;
///
/// struct Parent {
///     child: ActorRef<Child>,
/// }
/// impl Actor for Parent {}
///
/// /// Knows its parent, and does not keep it alive.
/// #[derive(Default)]
/// struct Child {
///     parent: Option<WeakActorRef<Parent>>,
/// }
/// impl Actor for Child {}
///
/// struct Meet(WeakActorRef<Parent>);
/// impl Handler<Meet> for Child {
///     type Reply = bool;
///     fn handle(&mut self, Meet(parent): Meet, _: &mut Context<Self>) -> bool {
///         self.parent.insert(parent).upgrade().is_some()
///     }
/// }
///
/// let pool = Pool::builder().jobs(2).build()?;
/// let system = ActorSystem::new(&pool);
/// let child = system.spawn(Child::default());
/// let parent = system.spawn(Parent { child: child.clone() });
/// let weak = parent.downgrade();
/// assert_eq!(child.ask(Meet(weak.clone())).recv(), Ok(true));
/// drop(parent); // the last reference that counts
/// assert!(weak.upgrade().is_none());
/// # Ok::<(), drumline::BuildError>(())
/// ```
pub struct WeakActorRef<A: Actor> {
    link: Arc<WeakLink<WeakCore>>,
    _actor: PhantomData<fn(A)>,
}

impl<A: Actor> ActorRef<A> {
    /// A reference that does not keep the actor alive.
    ///
    /// ```
    /// # use drumline::Pool;
    /// # use drumline::actor::{Actor, ActorSystem};
    /// # struct Idler;
    /// # impl Actor for Idler {}
    /// # let pool = Pool::builder().jobs(1).build()?;
    /// # let system = ActorSystem::new(&pool);
    /// let idler = system.spawn(Idler);
    /// let weak = idler.downgrade();
    /// assert!(weak.upgrade().is_some_and(|same| same == idler));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    #[must_use]
    pub fn downgrade(&self) -> WeakActorRef<A> {
        let core = self.core().as_ptr();
        self.core().core().word.note_weak();
        let mut links = lock(&LINKS.by_address);
        let link = links
            .entry(core.as_ptr().addr())
            .or_insert_with(|| Arc::new(WeakLink::new(core.cast())));
        WeakActorRef {
            link: Arc::clone(link),
            _actor: PhantomData,
        }
    }
}

impl<A: Actor> WeakActorRef<A> {
    /// A reference that keeps the actor alive. `None`: the actor has ended, or is to end because it
    /// was [killed](ActorRef::stop_now), or because no such reference was left.
    #[must_use]
    pub fn upgrade(&self) -> Option<ActorRef<A>> {
        let upgrade = |core: NonNull<WeakCore>| {
            // SAFETY: the memory stays until this returns.
            let has_ref = unsafe { core.as_ref() }.0.word.upgrade();
            // SAFETY: counted just now.
            has_ref.then(|| ActorRef::new(unsafe { CoreRef::from_raw(core.cast()) }))
        };
        self.link.with(upgrade).flatten()
    }
}

impl<A: Actor> Clone for WeakActorRef<A> {
    fn clone(&self) -> Self {
        WeakActorRef {
            link: Arc::clone(&self.link),
            _actor: PhantomData,
        }
    }
}

impl<A: Actor> fmt::Debug for WeakActorRef<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakActorRef").finish_non_exhaustive()
    }
}
