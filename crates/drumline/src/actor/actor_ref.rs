//! References to actors.

use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ptr::NonNull;

use super::ask::Answer;
use super::bounded::{Offered, Refused};
use super::cell::ActorCore;
use super::envelope::Envelope;
use super::message::{Asked, Content, Told};
use super::message_span::SentSpan;
use super::recipient::Recipient;
use super::run::{self, RunFrame};
use super::run_end;
use super::{Accept, Actor, TellError};
use crate::channel::oneshot;

/// A counted reference to an actor of any type.
pub(super) struct CoreRef(NonNull<ActorCore>);

// SAFETY: the state of an actor is used by its run only, which the mailbox hands around, and is
// `Send`, as are the messages. The rest is for any thread.
unsafe impl Send for CoreRef {}
// SAFETY: as for `Send`.
unsafe impl Sync for CoreRef {}

impl CoreRef {
    /// # Safety
    ///
    /// The reference has been counted, and is this one from now on.
    pub(super) unsafe fn from_raw(core: NonNull<ActorCore>) -> Self {
        CoreRef(core)
    }

    #[inline]
    pub(super) fn as_ptr(&self) -> NonNull<ActorCore> {
        self.0
    }

    #[inline]
    pub(super) fn core(&self) -> &ActorCore {
        // SAFETY: the reference keeps the memory.
        unsafe { self.0.as_ref() }
    }

    /// Sends content to an actor of the type `A`. What was not sent comes back.
    ///
    /// # Safety
    ///
    /// The actor is of that type.
    #[inline]
    pub(super) unsafe fn post<A, C>(&self, content: C, may_wait: bool) -> Result<(), TellError<C>>
    where
        A: Actor,
        C: Content<A>,
    {
        let envelope = Envelope::seal(content, C::OPEN);
        if self.core().extra.is_some() {
            // SAFETY: as for this function; the envelope is fresh.
            return unsafe { self.post_special::<A, C>(envelope, may_wait) };
        }
        // SAFETY: this reference stays meanwhile.
        match unsafe { ActorCore::send(self.0, envelope) } {
            None => Ok(()),
            // SAFETY: the envelope is what was sealed above, and the actor was found idle.
            Some(back) => Err(TellError::Dead(unsafe { self.take_back(back) })),
        }
    }

    /// To an actor that may count, or have a bound.
    ///
    /// # Safety
    ///
    /// The actor is of this type. The envelope has content of this type, and is in no mailbox.
    #[cold]
    unsafe fn post_special<A, C>(
        &self,
        envelope: NonNull<Envelope>,
        may_wait: bool,
    ) -> Result<(), TellError<C>>
    where
        A: Actor,
        C: Content<A>,
    {
        if self.core().counter().is_some() {
            // SAFETY: the envelope is for this actor, and in no mailbox.
            unsafe { Envelope::set_open(envelope, C::COUNTED_OPEN) };
        }
        let Some(bounded) = self
            .core()
            .extra
            .as_deref()
            .and_then(|extra| extra.bounded.as_ref())
        else {
            // SAFETY: this reference stays meanwhile.
            return match unsafe { ActorCore::send(self.0, envelope) } {
                None => Ok(()),
                // SAFETY: the actor was found idle.
                Some(back) => Err(TellError::Dead(unsafe { self.take_back(back) })),
            };
        };
        // An actor that waits for room with itself waits for ever.
        let may_wait = may_wait && run::current() != self.0.as_ptr().cast_const();
        // SAFETY: this reference stays meanwhile.
        let push = |ticket| unsafe { ActorCore::push(self.0, ticket) };
        match bounded.offer(envelope, may_wait, push) {
            Ok(Offered::Queued(ticket, pushed)) => {
                // SAFETY: as above.
                unsafe { ActorCore::has_notified(self.0, ticket, pushed) };
                Ok(())
            }
            Ok(Offered::Overflow(lost)) => {
                // SAFETY: the envelope is in no queue any more.
                unsafe { RunFrame::overflow(self.0, lost) };
                Ok(())
            }
            Err(refused) => {
                // SAFETY: the envelope has not been queued.
                let content = unsafe { Envelope::unseal::<C>(envelope) };
                // SAFETY: its content is out.
                unsafe { Envelope::free(envelope) };
                Err(match refused {
                    Refused::Full => TellError::Full(content),
                    Refused::Dead => TellError::Dead(content),
                })
            }
        }
    }

    /// Takes content back that a dead actor will not get.
    ///
    /// # Safety
    ///
    /// The envelope has content of this type; the dead actor was found idle when it was pushed.
    #[cold]
    unsafe fn take_back<C>(&self, envelope: NonNull<Envelope>) -> C {
        // SAFETY: the caller's obligation.
        let content = unsafe { Envelope::unseal::<C>(envelope) };
        // SAFETY: as above.
        unsafe { run_end::give_up(self.0, envelope, true) };
        content
    }
}

impl Clone for CoreRef {
    #[inline]
    fn clone(&self) -> Self {
        self.core().word.add_ref();
        CoreRef(self.0)
    }
}

impl Drop for CoreRef {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this reference, which is gone after this.
        unsafe { ActorCore::drop_ref(self.0) };
    }
}

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
pub struct ActorRef<A: Actor> {
    core: CoreRef,
    _actor: PhantomData<fn(A)>,
}

impl<A: Actor> ActorRef<A> {
    pub(super) fn new(core: CoreRef) -> Self {
        ActorRef {
            core,
            _actor: PhantomData,
        }
    }

    pub(super) fn core(&self) -> &CoreRef {
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
    /// [fail](super::Overflow::Fail) then. The message comes back. A message that was told in time
    /// and that the actor does not come to is a [dead letter](super::DeadLetter).
    ///
    /// # Blocking
    ///
    /// Only if the mailbox is bounded and senders are to [wait](super::Overflow::Wait): until there
    /// is room. An actor that tells itself something does not wait: the message comes back.
    #[inline]
    pub fn tell<M, K>(&self, message: M) -> Result<(), TellError<M>>
    where
        A: Accept<M, K>,
        M: Send + 'static,
        K: 'static,
    {
        // SAFETY: the actor is of this type.
        unsafe { self.core.post::<A, _>(Told::<M, K>::new(message), true) }
            .map_err(|error| error.map(Told::into_message))
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
        unsafe { self.core.post::<A, _>(Told::<M, K>::new(message), false) }
            .map_err(|error| error.map(Told::into_message))
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
    /// As [`tell`](Self::tell). The answer is waited for by its own methods.
    pub fn ask<M, K>(&self, message: M) -> Answer<A::Reply>
    where
        A: Accept<M, K>,
        M: Send + 'static,
        K: 'static,
    {
        let (reply, receiver) = oneshot::channel();
        let asked = Asked::<M, A::Reply, K> {
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
        unsafe { ActorCore::notify(self.core.0, Envelope::notice(run::open_stop)) };
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
        unsafe { ActorCore::notify(self.core.0, Envelope::notice(run::open_nudge)) };
    }

    /// Whether the actor has not ended yet.
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
        self.core.0 == other.core.0
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

const _: () = assert!(
    mem::size_of::<CoreRef>() == mem::size_of::<usize>(),
    "a reference is one word"
);
