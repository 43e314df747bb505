//! References to actors by what they accept.

use std::fmt;

use crate::actor::mail::ToldMessage;
use crate::actor::memory::{CoreRef, WeakCoreRef};
use crate::actor::{Accept, TellError};

/// How to send a message to an actor of one type; whether the sender may wait for room.
type TellFn<M> = fn(&CoreRef, M, bool) -> Result<(), TellError<M>>;

/// What accepts messages of the type `M`: an actor, whatever its type.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{Actor, ActorSystem, Context, Handler, Recipient};
/// use std::sync::mpsc;
///
/// struct Sum(u32, mpsc::Sender<u32>);
/// impl Actor for Sum {
///     fn stopped(&mut self, _: &mut Context<Self>) {
///         let _ = self.1.send(self.0);
///     }
/// }
/// impl Handler<u32> for Sum {
///     type Reply = ();
///     fn handle(&mut self, number: u32, _: &mut Context<Self>) {
///         self.0 += number;
///     }
/// }
///
/// let pool = Pool::builder().jobs(2).build()?;
/// let system = ActorSystem::new(&pool);
/// let (send, receive) = mpsc::channel();
/// let recipient: Recipient<u32> = system.spawn(Sum(0, send)).recipient();
/// recipient.tell(1)?;
/// recipient.tell(2)?;
/// drop(recipient); // the last reference
/// assert_eq!(receive.recv(), Ok(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recipient<M> {
    core: CoreRef,
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
        WeakRecipient {
            core: WeakCoreRef::new(&self.core),
            tell: self.tell,
        }
    }
}

impl<M: Send + 'static> Recipient<M> {
    pub(crate) fn new<A: Accept<M, K>, K: 'static>(core: CoreRef) -> Self {
        Recipient {
            core,
            tell: |core, message, may_wait| {
                // SAFETY: `new` is called by a reference to an actor of this type.
                unsafe { core.post::<A, _>(ToldMessage::<M, K>::new(message), may_wait) }
                    .map_err(|error| error.map(ToldMessage::into_message))
            },
        }
    }

    /// As [`ActorRef::tell`](crate::actor::ActorRef::tell).
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Probe};
    /// use std::time::Duration;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let mut probe = Probe::new(&system);
    /// let recipient = probe.recipient();
    /// recipient.tell("hello").unwrap();
    /// assert_eq!(probe.expect(Duration::from_secs(10)), "hello");
    /// ```
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Blocking
    ///
    /// As there.
    pub fn tell(&self, message: M) -> Result<(), TellError<M>> {
        (self.tell)(&self.core, message, true)
    }

    /// As [`ActorRef::try_tell`](crate::actor::ActorRef::try_tell).
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Probe, TellError};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let probe = Probe::new(&system);
    /// let recipient = probe.recipient();
    /// assert_eq!(recipient.try_tell(1), Ok(()));
    /// probe.actor_ref().stop();
    /// probe.actor_ref().ended().recv();
    /// assert_eq!(recipient.try_tell(2), Err(TellError::Dead(2)));
    /// ```
    ///
    /// # Errors
    ///
    /// As there.
    pub fn try_tell(&self, message: M) -> Result<(), TellError<M>> {
        (self.tell)(&self.core, message, false)
    }

    /// As [`ActorRef::is_alive`](crate::actor::ActorRef::is_alive).
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Probe};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let probe = Probe::<u32>::new(&system);
    /// let recipient = probe.recipient();
    /// assert!(recipient.is_alive());
    /// probe.actor_ref().stop();
    /// probe.actor_ref().ended().recv();
    /// assert!(!recipient.is_alive());
    /// ```
    #[must_use]
    pub fn is_alive(&self) -> bool {
        !self.core.core().word.is_dead()
    }
}

impl<M> Clone for Recipient<M> {
    fn clone(&self) -> Self {
        Recipient {
            core: self.core.clone(),
            tell: self.tell,
        }
    }
}

impl<M> fmt::Debug for Recipient<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recipient")
            .field("name", &self.core.core().name())
            .finish_non_exhaustive()
    }
}

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

impl<M> WeakRecipient<M> {
    /// A reference that keeps the actor alive. `None`: the actor has ended, or is to end because it
    /// was [killed](crate::actor::ActorRef::stop_now), or because no such reference was left. O(1).
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
        Some(Recipient {
            core: self.core.upgrade()?,
            tell: self.tell,
        })
    }

    pub(crate) fn core(&self) -> &WeakCoreRef {
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
