//! What is sent to an actor: messages with and without a reply.

use std::any::type_name;
use std::marker::PhantomData;
use std::mem;
use std::ptr::NonNull;

use super::{BoundedMail, BoundedOutcome, Envelope, Loss, OpenFn, Refused, SpentEnvelope};
use crate::actor::api::ReplyTo;
use crate::actor::life::run_frame::give_up;
use crate::actor::life::{NameOnUnwind, current};
use crate::actor::memory::{ActorCell, ActorCore, CoreRef, RunFrame};
use crate::actor::system::{SentSpan, trace};
use crate::actor::{Accept, Actor, AskError, Context, TellError};
use crate::channel::oneshot;

/// Content of an envelope for actors of the type `A`.
pub(crate) trait Content<A: Actor>: Send + Sized + 'static {
    /// How to open it.
    const OPEN: OpenFn;
    /// How to open it for an actor that counts.
    const COUNTED_OPEN: OpenFn = open_counted::<A, Self>;
}

/// A message without a reply.
pub(crate) struct ToldMessage<M, K>(M, SentSpan, PhantomData<fn(K)>);

impl<M, K> ToldMessage<M, K> {
    #[inline]
    pub(crate) fn new(message: M) -> Self {
        ToldMessage(message, SentSpan::current(), PhantomData)
    }

    /// The message that was not sent.
    pub(crate) fn into_message(self) -> M {
        self.0
    }
}

/// A message, and where the reply goes.
pub(crate) struct AskedMessage<M, R: Send, K> {
    pub(crate) message: M,
    pub(crate) reply: oneshot::Sender<Result<R, AskError>>,
    pub(crate) span: SentSpan,
    pub(crate) kind: PhantomData<fn(K)>,
}

impl<A, M, K> Content<A> for ToldMessage<M, K>
where
    A: Accept<M, K>,
    M: Send + 'static,
    K: 'static,
{
    const OPEN: OpenFn = open_told::<A, M, K>;
}

impl<A, M, K> Content<A> for AskedMessage<M, A::Reply, K>
where
    A: Accept<M, K>,
    M: Send + 'static,
    K: 'static,
{
    const OPEN: OpenFn = open_asked::<A, M, K>;
}

/// # Safety
///
/// As for [`OpenFn`], with this content.
unsafe fn open_told<A, M, K>(envelope: NonNull<Envelope>, frame: &mut RunFrame)
where
    A: Accept<M, K>,
    M: Send + 'static,
{
    // SAFETY: the content is of this type.
    let ToldMessage(message, span, _) = unsafe { Envelope::unseal::<ToldMessage<M, K>>(envelope) };
    if frame.loss.is_some() {
        return frame.lose(message);
    }
    // SAFETY: the actor is alive, and of this type.
    let actor = unsafe { ActorCell::<A>::state(frame.core) };
    // SAFETY: the actor is alive.
    let _span = span.enter(unsafe { &*frame.core }, type_name::<M>);
    let frame: *mut RunFrame = frame;
    // SAFETY: the frame is the caller's, and borrowed for the call below only.
    let name = unsafe { NameOnUnwind::<M>::new(frame) };
    // SAFETY: the run has the state, and leaves it alone after this; the frame is borrowed for the
    // call only.
    unsafe { A::accept(actor, message, ReplyTo(None), Context::of(&mut *frame)) };
    mem::forget(name);
}

/// # Safety
///
/// As for [`open_told`].
unsafe fn open_asked<A, M, K>(envelope: NonNull<Envelope>, frame: &mut RunFrame)
where
    A: Accept<M, K>,
    M: Send + 'static,
{
    // SAFETY: the content is of this type.
    let AskedMessage {
        message,
        reply,
        span,
        ..
    } = unsafe { Envelope::unseal::<AskedMessage<M, A::Reply, K>>(envelope) };
    if let Some(loss) = frame.loss {
        // The asker may be gone.
        let _ = reply.send(Err(loss.ask_error()));
        return frame.lose(message);
    }
    // SAFETY: the actor is alive, and of this type.
    let actor = unsafe { ActorCell::<A>::state(frame.core) };
    // SAFETY: the actor is alive.
    let _span = span.enter(unsafe { &*frame.core }, type_name::<M>);
    let frame: *mut RunFrame = frame;
    // SAFETY: the frame is the caller's, and borrowed for the call below only.
    let name = unsafe { NameOnUnwind::<M>::new(frame) };
    // SAFETY: as in `open_told`.
    unsafe {
        A::accept(
            actor,
            message,
            ReplyTo(Some(reply)),
            Context::of(&mut *frame),
        )
    };
    mem::forget(name);
}

/// Opens a message for an actor that counts.
///
/// # Safety
///
/// As for [`OpenFn`](crate::actor::mail::envelope::OpenFn), with this content; the actor is of this
/// type.
unsafe fn open_counted<A, C>(envelope: NonNull<Envelope>, frame: &mut RunFrame)
where
    A: Actor,
    C: Content<A>,
{
    if frame.loss.is_none()
        // SAFETY: the actor is alive.
        && let Some(counter) = unsafe { &*frame.core }.counter()
    {
        counter.count_message();
    }
    // SAFETY: the caller's obligation.
    unsafe { C::OPEN(envelope, frame) };
}

/// Opens `start`.
///
/// # Safety
///
/// As for [`OpenFn`]; the actor is of this type.
pub(crate) unsafe fn open_start<A: Actor>(_: NonNull<Envelope>, frame: &mut RunFrame) {
    if frame.loss.is_some() {
        return;
    }
    // SAFETY: the actor is alive.
    unsafe { (*frame.core).word.start() };
    // SAFETY: as above.
    trace::event(unsafe { &*frame.core }, "an actor starts");
    // SAFETY: the run has the state, which is of this type.
    let actor = unsafe { &mut *ActorCell::<A>::state(frame.core) };
    actor.started(Context::of(frame));
}

/// Opens a ticket: the run handles the oldest message of the queue.
///
/// # Safety
///
/// As for [`OpenFn`].
unsafe fn open_ticket(_: NonNull<Envelope>, frame: &mut RunFrame) {
    // SAFETY: the actor is alive.
    let extra = unsafe { (*frame.core).extra.as_deref() };
    let oldest = extra
        .and_then(|extra| extra.bounded.as_ref())
        .and_then(BoundedMail::take);
    if let Some(link) = oldest {
        // SAFETY: links are those of envelopes.
        let memory = SpentEnvelope(unsafe { Envelope::of(link) });
        // SAFETY: the queue had the envelope, which has not been opened.
        unsafe { Envelope::open(memory.0, frame) };
    }
}

impl CoreRef {
    /// Sends content to an actor of the type `A`. What was not sent comes back.
    ///
    /// # Safety
    ///
    /// The actor is of that type.
    #[inline]
    pub(crate) unsafe fn post<A, C>(&self, content: C, may_wait: bool) -> Result<(), TellError<C>>
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
        match unsafe { ActorCore::send(self.as_ptr(), envelope) } {
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
            return match unsafe { ActorCore::send(self.as_ptr(), envelope) } {
                None => Ok(()),
                // SAFETY: the actor was found idle.
                Some(back) => Err(TellError::Dead(unsafe { self.take_back(back) })),
            };
        };
        // An actor that waits for room with itself waits for ever.
        let may_wait = may_wait && current::current() != self.as_ptr().as_ptr().cast_const();
        let push = || {
            let ticket = Envelope::notice(open_ticket);
            // SAFETY: this reference stays meanwhile.
            (ticket, unsafe { ActorCore::push(self.as_ptr(), ticket) })
        };
        match bounded.offer(Envelope::link(envelope), may_wait, push) {
            Ok(BoundedOutcome::Queued((ticket, pushed))) => {
                // SAFETY: as above.
                unsafe { ActorCore::has_notified(self.as_ptr(), ticket, pushed) };
                Ok(())
            }
            Ok(BoundedOutcome::Overflow(lost)) => {
                let mut frame = RunFrame::new(self.as_ptr().as_ptr(), lost);
                frame.loss = Some(Loss::Full);
                // SAFETY: the envelope is in no queue any more.
                unsafe { frame.discard(lost) };
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
        unsafe { give_up(self.as_ptr(), envelope, true) };
        content
    }
}
