//! References by what an actor accepts, which do not keep it alive.

use std::fmt;

use super::Recipient;
use super::recipient::TellFn;
use super::weak_core_ref::WeakCoreRef;

/// What accepts messages of the type `M`, and is not kept alive by this; made by
/// [`Recipient::downgrade`].
///
/// It takes two words.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{Actor, ActorSystem, Context, Handler, Recipient, WeakRecipient};
///
/// struct Doubler;
/// impl Actor for Doubler {}
/// impl Handler<u32> for Doubler {
///     type Reply = u32;
///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
///         2 * number
///     }
/// }
///
/// let pool = Pool::builder().jobs(1).build()?;
/// let system = ActorSystem::new(&pool);
/// let recipient: Recipient<u32> = system.spawn(Doubler).recipient();
/// let weak: WeakRecipient<u32> = recipient.downgrade();
/// weak.upgrade().expect("there is a reference").tell(21)?;
/// drop(recipient); // the last reference that counts
/// assert!(weak.upgrade().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WeakRecipient<M> {
    core: WeakCoreRef,
    tell: TellFn<M>,
}

impl<M> Recipient<M> {
    /// A reference that does not keep the actor alive. O(log n), with n actors that have weak
    /// references.
    ///
    /// ```
    /// # use drumline::Pool;
    /// # use drumline::actor::{Actor, ActorSystem, Context, Handler, Recipient};
    /// # struct Sink;
    /// # impl Actor for Sink {}
    /// # impl Handler<u32> for Sink {
    /// #     type Reply = ();
    /// #     fn handle(&mut self, _: u32, _: &mut Context<Self>) {}
    /// # }
    /// # let pool = Pool::builder().jobs(1).build()?;
    /// # let system = ActorSystem::new(&pool);
    /// let recipient: Recipient<u32> = system.spawn(Sink).recipient();
    /// assert!(recipient.downgrade().upgrade().is_some());
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    #[must_use]
    pub fn downgrade(&self) -> WeakRecipient<M> {
        let (core, tell) = self.parts();
        WeakRecipient {
            core: WeakCoreRef::new(core),
            tell,
        }
    }
}

impl<M> WeakRecipient<M> {
    /// A reference that keeps the actor alive. `None`: the actor has ended, or is to end because it
    /// was [killed](super::ActorRef::stop_now), or because no such reference was left. O(1).
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, Recipient};
    ///
    /// struct Doubler;
    /// impl Actor for Doubler {}
    /// impl Handler<u32> for Doubler {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
    ///         2 * number
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let recipient: Recipient<u32> = system.spawn(Doubler).recipient();
    /// let weak = recipient.downgrade();
    /// assert!(weak.upgrade().is_some());
    /// drop(recipient); // the last reference that counts
    /// assert!(weak.upgrade().is_none());
    /// ```
    #[must_use]
    pub fn upgrade(&self) -> Option<Recipient<M>> {
        let core = self.core.upgrade()?;
        // SAFETY: both are of the recipient that this was made from, or of a clone.
        Some(unsafe { Recipient::from_parts(core, self.tell) })
    }

    pub(super) fn core(&self) -> &WeakCoreRef {
        &self.core
    }
}

impl<M> Clone for WeakRecipient<M> {
    fn clone(&self) -> Self {
        WeakRecipient {
            core: self.core.clone(),
            tell: self.tell,
        }
    }
}

impl<M> fmt::Debug for WeakRecipient<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakRecipient").finish_non_exhaustive()
    }
}
