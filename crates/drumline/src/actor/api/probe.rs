//! A probe: an actor for tests. The test receives its messages.

use std::fmt;
use std::time::Duration;

use crate::actor::{Actor, ActorRef, ActorSystem, Context, Handler, Recipient};
use crate::channel::RecvTimeoutError;
use crate::channel::mpsc::{self, Receiver, Sender};

/// An actor for tests: what it is told, the test receives.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{Actor, ActorSystem, Context, Handler, Probe, Recipient};
/// use std::time::Duration;
///
/// struct Doubler(Recipient<u32>);
/// impl Actor for Doubler {}
/// impl Handler<u32> for Doubler {
///     type Reply = ();
///     fn handle(&mut self, number: u32, _: &mut Context<Self>) {
///         let _ = self.0.tell(2 * number);
///     }
/// }
///
/// let pool = Pool::builder().jobs(1).build()?;
/// let system = ActorSystem::new(&pool);
/// let mut probe = Probe::new(&system);
/// let doubler = system.spawn(Doubler(probe.recipient()));
/// doubler.tell(21)?;
/// assert_eq!(probe.expect(Duration::from_secs(10)), 42);
/// assert_eq!(probe.try_next(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Probe<M: Send + 'static> {
    actor: ActorRef<ProbeActor<M>>,
    received: Receiver<M>,
}

/// The actor of a [`Probe`].
///
/// ```
/// use drumline::actor::{ActorRef, ActorSystem, Probe, ProbeActor};
///
/// let system = ActorSystem::builder().build_here();
/// let probe = Probe::<u32>::new(&system);
/// let actor: ActorRef<ProbeActor<u32>> = probe.actor_ref();
/// assert!(actor.is_alive());
/// ```
pub struct ProbeActor<M: Send + 'static>(Sender<M>);

impl<M: Send + 'static> Actor for ProbeActor<M> {}

impl<M: Send + 'static> Handler<M> for ProbeActor<M> {
    type Reply = ();

    fn handle(&mut self, message: M, _: &mut Context<Self>) {
        // The probe may be gone.
        let _ = self.0.send(message);
    }
}

impl<M: Send + 'static> Probe<M> {
    /// Starts a probe.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Probe};
    /// use std::time::Duration;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let mut probe = Probe::new(&system);
    /// probe.actor_ref().tell("hello").unwrap();
    /// assert_eq!(probe.expect(Duration::from_secs(10)), "hello");
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    #[must_use]
    pub fn new(system: &ActorSystem) -> Self {
        let (sender, received) = mpsc::unbounded();
        Probe {
            actor: system.spawn(ProbeActor(sender)),
            received,
        }
    }

    /// What tells the probe something.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Probe};
    /// use std::time::Duration;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let mut probe = Probe::new(&system);
    /// let recipient = probe.recipient(); // for the actor under test
    /// recipient.tell("hello").unwrap();
    /// assert_eq!(probe.expect(Duration::from_secs(10)), "hello");
    /// ```
    #[must_use]
    pub fn recipient(&self) -> Recipient<M> {
        self.actor.recipient()
    }

    /// A reference to the actor of the probe.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Probe};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let mut probe = Probe::new(&system);
    /// probe.actor_ref().ask(1).recv().unwrap(); // when that is there, the probe has the message
    /// assert_eq!(probe.try_next(), Some(1));
    /// ```
    #[must_use]
    pub fn actor_ref(&self) -> ActorRef<ProbeActor<M>> {
        self.actor.clone()
    }

    /// The next message.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Probe};
    /// use std::time::Duration;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let mut probe = Probe::new(&system);
    /// let recipient = probe.recipient();
    /// std::thread::spawn(move || recipient.tell("hello"));
    /// assert_eq!(probe.expect(Duration::from_secs(10)), "hello");
    /// ```
    ///
    /// # Panics
    ///
    /// If none comes within `timeout`, or none can come because the probe has been stopped.
    ///
    /// # Blocking
    ///
    /// Until there is a message, for `timeout` at most.
    #[track_caller]
    pub fn expect(&mut self, timeout: Duration) -> M {
        match self.received.recv_timeout(timeout) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => panic!("the probe was told nothing for {timeout:?}"),
            Err(RecvTimeoutError::Closed(_)) => panic!("the probe has ended, and is told nothing"),
        }
    }

    /// The next message, if it has come.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Probe};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let mut probe = Probe::new(&system);
    /// assert_eq!(probe.try_next(), None);
    /// probe.actor_ref().ask(1).recv().unwrap();
    /// assert_eq!(probe.try_next(), Some(1));
    /// ```
    pub fn try_next(&mut self) -> Option<M> {
        self.received.try_recv().ok()
    }
}

impl<M: Send + 'static> fmt::Debug for Probe<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").finish_non_exhaustive()
    }
}

impl<M: Send + 'static> fmt::Debug for ProbeActor<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProbeActor").finish_non_exhaustive()
    }
}
