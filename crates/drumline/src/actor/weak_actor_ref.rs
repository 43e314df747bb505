//! References that do not keep an actor alive.

use std::fmt;
use std::marker::PhantomData;

use super::weak_core_ref::WeakCoreRef;
use super::{Actor, ActorRef};

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
    core: WeakCoreRef,
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
        WeakActorRef {
            core: WeakCoreRef::new(self.core()),
            _actor: PhantomData,
        }
    }
}

impl<A: Actor> WeakActorRef<A> {
    /// A reference that keeps the actor alive. `None`: the actor has ended, or is to end because it
    /// was [killed](ActorRef::stop_now), or because no such reference was left.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let idler = system.spawn(Idler);
    /// let weak = idler.downgrade();
    /// assert_eq!(weak.upgrade(), Some(idler.clone()));
    /// drop(idler); // the last reference that counts
    /// assert_eq!(weak.upgrade(), None);
    /// ```
    #[must_use]
    pub fn upgrade(&self) -> Option<ActorRef<A>> {
        self.core.upgrade().map(ActorRef::new)
    }
}

impl<A: Actor> Clone for WeakActorRef<A> {
    fn clone(&self) -> Self {
        WeakActorRef {
            core: self.core.clone(),
            _actor: PhantomData,
        }
    }
}

impl<A: Actor> fmt::Debug for WeakActorRef<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakActorRef").finish_non_exhaustive()
    }
}
