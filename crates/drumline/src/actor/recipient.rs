//! References to actors by what they accept.

use std::fmt;

use super::actor_ref::CoreRef;
use super::message::Told;
use super::{Accept, TellError};

/// How to send a message to an actor of one type; whether the sender may wait for room.
pub(super) type TellFn<M> = fn(&CoreRef, M, bool) -> Result<(), TellError<M>>;

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
    /// # Safety
    ///
    /// `tell` comes from the [`parts`](Self::parts) of a recipient of the same actor.
    pub(super) unsafe fn from_parts(core: CoreRef, tell: TellFn<M>) -> Self {
        Recipient { core, tell }
    }

    pub(super) fn parts(&self) -> (&CoreRef, TellFn<M>) {
        (&self.core, self.tell)
    }
}

impl<M: Send + 'static> Recipient<M> {
    pub(super) fn new<A: Accept<M, K>, K: 'static>(core: CoreRef) -> Self {
        Recipient {
            core,
            tell: |core, message, may_wait| {
                // SAFETY: `new` is called by a reference to an actor of this type.
                unsafe { core.post::<A, _>(Told::<M, K>::new(message), may_wait) }
                    .map_err(|error| error.map(Told::into_message))
            },
        }
    }

    /// As [`ActorRef::tell`](super::ActorRef::tell).
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

    /// As [`ActorRef::try_tell`](super::ActorRef::try_tell).
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

    /// As [`ActorRef::is_alive`](super::ActorRef::is_alive).
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
