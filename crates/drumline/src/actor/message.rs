//! What is sent to an actor: messages with and without a reply.

use std::any::type_name;
use std::marker::PhantomData;
use std::mem;
use std::ptr::NonNull;

use super::cell::ActorCell;
use super::context::Context;
use super::envelope::{Envelope, OpenFn};
use super::handler::{Accept, ReplyTo};
use super::message_span::SentSpan;
use super::run::{NameOnUnwind, RunFrame};
use super::{Actor, actor_stats, message_counts};
use crate::actor::ask::AskError;
use crate::channel::oneshot;

/// Content of an envelope for actors of the type `A`.
pub(super) trait Content<A: Actor>: Send + Sized + 'static {
    /// How to open it.
    const OPEN: OpenFn;
    /// How to open it for an actor that counts.
    const COUNTED_OPEN: OpenFn = message_counts::open_counted::<A, Self>;
}

/// A message without a reply.
pub(super) struct Told<M, K>(M, SentSpan, PhantomData<fn(K)>);

impl<M, K> Told<M, K> {
    #[inline]
    pub(super) fn new(message: M) -> Self {
        Told(message, SentSpan::current(), PhantomData)
    }

    /// The message that was not sent.
    pub(super) fn into_message(self) -> M {
        self.0
    }
}

/// A message, and where the reply goes.
pub(super) struct Asked<M, R: Send, K> {
    pub(super) message: M,
    pub(super) reply: oneshot::Sender<Result<R, AskError>>,
    pub(super) span: SentSpan,
    pub(super) kind: PhantomData<fn(K)>,
}

impl<A, M, K> Content<A> for Told<M, K>
where
    A: Accept<M, K>,
    M: Send + 'static,
    K: 'static,
{
    const OPEN: OpenFn = open_told::<A, M, K>;
}

impl<A, M, K> Content<A> for Asked<M, A::Reply, K>
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
    let Told(message, span, _) = unsafe { Envelope::unseal::<Told<M, K>>(envelope) };
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
    let Asked {
        message,
        reply,
        span,
        ..
    } = unsafe { Envelope::unseal::<Asked<M, A::Reply, K>>(envelope) };
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

/// Opens `start`.
///
/// # Safety
///
/// As for [`OpenFn`]; the actor is of this type.
pub(super) unsafe fn open_start<A: Actor>(_: NonNull<Envelope>, frame: &mut RunFrame) {
    if frame.loss.is_some() {
        return;
    }
    // SAFETY: the actor is alive.
    unsafe { (*frame.core).word.start() };
    // SAFETY: as above.
    actor_stats::trace(unsafe { &*frame.core }, "an actor starts");
    // SAFETY: the run has the state, which is of this type.
    let actor = unsafe { &mut *ActorCell::<A>::state(frame.core) };
    actor.started(Context::of(frame));
}

impl RunFrame {
    /// Counts a dead letter, and drops the message.
    #[cold]
    pub(super) fn lose<M>(&self, message: M) {
        if let Some(loss) = self.loss {
            // SAFETY: the actor is alive, or its memory is at least.
            let core = unsafe { &*self.core };
            core.system.lose(|| core.name(), type_name::<M>(), loss);
        }
        drop(message);
    }
}
