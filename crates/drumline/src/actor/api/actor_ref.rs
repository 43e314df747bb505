//! References to actors.

use std::fmt;
use std::marker::PhantomData;

use crate::actor::mail::{AskedMessage, Envelope, ToldMessage, envelope};
use crate::actor::memory::{ActorCore, CoreRef, WeakCoreRef};
use crate::actor::system::SentSpan;
use crate::actor::{Accept, Actor, Answer, MessageCounts, Recipient, TellError};
use crate::channel::oneshot;

/// A reference to an actor: what others send messages by.
///
/// It is one word, and can be cloned and sent anywhere. An actor to which no reference is left
/// stops when it has handled the messages that it has.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Handler};
///
/// struct Counter(u64);
/// impl Actor for Counter {}
///
/// struct Add(u64);
/// impl Handler<Add> for Counter {
///     type Reply = u64;
///     fn handle(&mut self, Add(number): Add, _: &mut Context<Self>) -> u64 {
///         self.0 += number;
///         self.0
///     }
/// }
///
/// let pool = Pool::builder().jobs(2).build()?;
/// let system = ActorSystem::new(&pool);
/// let counter: ActorRef<Counter> = system.spawn(Counter(0));
/// counter.tell(Add(40))?;
/// assert_eq!(counter.ask(Add(2)).recv(), Ok(42));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Order
///
/// What one actor or thread sends to another actor is handled in the order in which it was sent,
/// also if it was sent through clones of a reference. Among several senders this holds for messages
/// that are ordered by other means: if one `tell` has returned before another begins, its message
/// comes first.
///
/// # References
///
/// On a 32-bit system an actor has 131,071 references at most; one more ends the process, as too
/// many clones of an `Arc` do.
pub struct ActorRef<A: Actor> {
    core: CoreRef,
    _actor: PhantomData<fn(A)>,
}

impl<A: Actor> ActorRef<A> {
    pub(crate) fn new(core: CoreRef) -> Self {
        ActorRef {
            core,
            _actor: PhantomData,
        }
    }

    pub(crate) fn core(&self) -> &CoreRef {
        &self.core
    }

    /// Sends a message. The reply of its handler is dropped.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, TellError};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let printer = system.spawn_thread(|inbox| {
    ///     while let Some(line) = inbox.receive() {
    ///         println!("{line}");
    ///     }
    /// }).unwrap();
    /// printer.tell("hello").unwrap(); // goes on at once
    /// printer.stop();
    /// printer.ended().recv();
    /// assert_eq!(printer.tell("too late"), Err(TellError::Dead("too late")));
    /// ```
    ///
    /// # Errors
    ///
    /// If the actor is dead, or if there is no room in its mailbox and it is to
    /// [fail](crate::actor::Overflow::Fail) then. The message comes back. A message that was told
    /// before the [end](Self::ended) of the actor and that the actor does not come to is a
    /// [dead letter](crate::actor::DeadLetter).
    ///
    /// # Blocking
    ///
    /// Only if the mailbox is bounded and senders are to [wait](crate::actor::Overflow::Wait):
    /// until there is room. An actor that tells itself something does not wait: the message comes
    /// back.
    ///
    /// # Forked children
    ///
    /// In a forked child an actor of the parent has no threads. The message is taken, and is never
    /// handled; a sender that waits for room waits for ever.
    #[inline]
    pub fn tell<M, K>(&self, message: M) -> Result<(), TellError<M>>
    where
        A: Accept<M, K>,
        M: Send + 'static,
        K: 'static,
    {
        // SAFETY: the actor is of this type.
        unsafe {
            self.core
                .post::<A, _>(ToldMessage::<M, K>::new(message), true)
        }
        .map_err(|error| error.map(ToldMessage::into_message))
    }

    /// Sends a message, and never waits.
    ///
    /// ```
    /// # use drumline::Pool;
    /// # use drumline::actor::{Actor, ActorSystem, Context, Handler};
    /// use drumline::actor::{Overflow, SpawnOptions, TellError};
    ///
    /// struct Sleepy(std::sync::mpsc::Receiver<()>);
    /// impl Actor for Sleepy {}
    /// impl Handler<u32> for Sleepy {
    ///     type Reply = ();
    ///     fn handle(&mut self, _: u32, _: &mut Context<Self>) {
    ///         let _ = drumline::blocking(|| self.0.recv());
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let (wake, woken) = std::sync::mpsc::channel();
    /// let options = SpawnOptions::new().bounded(1, Overflow::Wait);
    /// let sleepy = system.spawn_with(Sleepy(woken), options);
    /// let refused = loop {
    ///     if let Err(refused) = sleepy.try_tell(1) {
    ///         break refused; // the message comes back
    ///     }
    /// };
    /// assert_eq!(refused, TellError::Full(1));
    /// drop(wake);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`tell`](Self::tell), and if there is no room. The message comes back.
    #[inline]
    pub fn try_tell<M, K>(&self, message: M) -> Result<(), TellError<M>>
    where
        A: Accept<M, K>,
        M: Send + 'static,
        K: 'static,
    {
        // SAFETY: the actor is of this type.
        unsafe {
            self.core
                .post::<A, _>(ToldMessage::<M, K>::new(message), false)
        }
        .map_err(|error| error.map(ToldMessage::into_message))
    }

    /// Sends a message, and returns what waits for the reply: a thread by
    /// [`recv`](Answer::recv), a task by `.await`.
    ///
    /// If the actor is dead, or has no room, the answer says so.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
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
    /// let doubler = system.spawn(Doubler);
    /// let (one, other) = (doubler.ask(1), doubler.ask(20)); // both on their way
    /// assert_eq!((one.recv(), other.recv()), (Ok(2), Ok(40)));
    /// ```
    ///
    /// # Blocking
    ///
    /// As [`tell`](Self::tell). The answer is waited for by its own methods: in a forked child, of
    /// an actor of the parent, for ever.
    pub fn ask<M, K>(&self, message: M) -> Answer<A::Reply>
    where
        A: Accept<M, K>,
        M: Send + 'static,
        K: 'static,
    {
        let (reply, receiver) = oneshot::channel();
        let asked = AskedMessage::<M, A::Reply, K> {
            message,
            reply,
            span: SentSpan::current(),
            kind: PhantomData,
        };
        // SAFETY: the actor is of this type.
        let sent = unsafe { self.core.post::<A, _>(asked, true) };
        if let Err(refused) = sent {
            let error = refused.ask_error();
            // The receiver is here.
            let _ = refused.into_inner().reply.send(Err(error));
        }
        Answer::new(receiver, self.core.clone())
    }

    /// Has the actor stop when it has handled what it was told before this call. What comes later
    /// is a dead letter.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, AskError, Context, ExitReason, Handler};
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
    /// let doubler = system.spawn(Doubler);
    /// let answer = doubler.ask(21);
    /// doubler.stop();
    /// assert_eq!(answer.recv(), Ok(42)); // asked before
    /// assert_eq!(doubler.ask(1).recv(), Err(AskError::Dead));
    /// assert_eq!(doubler.ended().recv().reason(), ExitReason::Stopped);
    /// ```
    pub fn stop(&self) {
        // SAFETY: this reference stays meanwhile.
        unsafe { ActorCore::notify(self.core.as_ptr(), Envelope::notice(envelope::open_stop)) };
    }

    /// Has the actor stop after the message that it handles now. What else it was told is
    /// discarded: dead letters.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, AskError, Context, HandScheduler, Handler};
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
    /// let by_hand = HandScheduler::new(1);
    /// let system = ActorSystem::builder().scheduler(by_hand.scheduler()).build_here();
    /// let doubler = system.spawn(Doubler);
    /// let answer = doubler.ask(21);
    /// doubler.stop_now();
    /// by_hand.run_until_idle();
    /// assert_eq!(answer.recv(), Err(AskError::Dead)); // it has not come to that
    /// ```
    pub fn stop_now(&self) {
        self.core.core().word.kill();
        // SAFETY: this reference stays meanwhile.
        unsafe { ActorCore::notify(self.core.as_ptr(), Envelope::notice(envelope::open_nudge)) };
    }

    /// Whether the actor has not ended yet. One that is just ending may be dead, and its mailbox
    /// not empty: a message that is [told](Self::tell) to it then is taken, and becomes a dead
    /// letter. After [`ended`](Self::ended) no message is taken, unless another thread sends it
    /// something at this very moment: then both are dead letters.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let idler = system.spawn(Idler);
    /// assert!(idler.is_alive());
    /// idler.stop();
    /// idler.ended().recv();
    /// assert!(!idler.is_alive());
    /// ```
    #[must_use]
    pub fn is_alive(&self) -> bool {
        !self.core.core().word.is_dead()
    }

    /// The name of the actor, or of its type if it has none.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, SpawnOptions};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// assert!(system.spawn(Idler).name().ends_with("Idler"));
    /// let named = system.spawn_with(Idler, SpawnOptions::new().name("the idler"));
    /// assert_eq!(named.name(), "the idler");
    /// ```
    #[must_use]
    pub fn name(&self) -> String {
        self.core.core().name()
    }

    /// What accepts messages of one type, whatever the type of the actor.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, Probe, Recipient};
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
    /// let (doubler, probe) = (system.spawn(Doubler), Probe::new(&system));
    /// let recipients: [Recipient<u32>; 2] = [doubler.recipient(), probe.recipient()];
    /// assert!(recipients.iter().all(|recipient| recipient.tell(21).is_ok()));
    /// ```
    #[must_use]
    pub fn recipient<M, K>(&self) -> Recipient<M>
    where
        A: Accept<M, K>,
        M: Send + 'static,
        K: 'static,
    {
        Recipient::new::<A, K>(self.core.clone())
    }

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

    /// What the actor has counted so far, also after its end. `None`: it was not started with
    /// [`counted`](crate::actor::SpawnOptions::counted).
    ///
    /// A message is counted before its handler is called. So what the caller knows to be handled,
    /// by a reply for instance, is in the number.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, SpawnOptions};
    ///
    /// struct Doubler;
    /// impl Actor for Doubler {}
    /// impl Handler<u64> for Doubler {
    ///     type Reply = u64;
    ///     fn handle(&mut self, number: u64, _: &mut Context<Self>) -> u64 {
    ///         2 * number
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(2).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let doubler = system.spawn_with(Doubler, SpawnOptions::new().counted());
    /// doubler.tell(4_u64)?;
    /// assert_eq!(doubler.ask(21_u64).recv(), Ok(42));
    /// assert_eq!(doubler.stats().map(|stats| stats.handled), Some(2));
    /// assert!(system.spawn(Doubler).stats().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Option<MessageCounts> {
        self.core().core().counter().map(|counter| counter.read())
    }
}

impl<A: Actor> Clone for ActorRef<A> {
    #[inline]
    fn clone(&self) -> Self {
        ActorRef::new(self.core.clone())
    }
}

/// Whether both refer to the same actor.
impl<A: Actor> PartialEq for ActorRef<A> {
    fn eq(&self, other: &Self) -> bool {
        self.core.as_ptr() == other.core.as_ptr()
    }
}

impl<A: Actor> Eq for ActorRef<A> {}

impl<A: Actor> fmt::Debug for ActorRef<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActorRef")
            .field("name", &self.name())
            .field("is_alive", &self.is_alive())
            .finish()
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
    core: WeakCoreRef,
    _actor: PhantomData<fn(A)>,
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
