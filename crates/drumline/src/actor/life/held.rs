//! An actor with a mailbox that is closed while a future has its state.
//!
//! ```text
//!   run ──► handler: makes the future ──► the run is put aside, and its thread goes on elsewhere
//!                                                 │ the future, a task of the pool, owns the actor
//!   next run ◄──── queued by the task ◄───────────┘ ready, panicked, or dropped
//! ```
//!
//! The run that closes the mailbox does what one does that has handled enough for now: it leaves
//! the message at hand, which is open, as the first message of the next run. It does not queue that
//! run, though. It starts the task, which owns the actor from then on, and touches nothing of it
//! any more. The task queues the next run when the future is gone.
//!
//! **The race feared** is that two threads use the state, or that none goes on. There is no word
//! for it: the right to run the actor is handed from the run to the task, and from the task to the
//! next run, by the queues of the pool, and each of them does so once. Senders find the mailbox
//! busy. [`HeldRun`] hands the right on when it is done, and when it is dropped before.
//!
//! The task has a reference, so the actor is alive, and its system is kept.
//!
//! What the future awaits, its actor awaits: see `current` and `wait_graph`.

use std::future::Future;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context as TaskContext, Poll};

use super::{Current, current};
use crate::actor::mail::Envelope;
use crate::actor::mailbox::Mailbox;
use crate::actor::memory::{ActorCell, ActorCore, RunFrame, RunRequest};
use crate::actor::system::CountedRun;
use crate::actor::{Actor, ActorRef, Context, wait_graph};
use crate::pool::{SharedRegistry, WakeOrigin};
use crate::spawn::spawn_future_in;
use crate::unwind::{self, Payload};

/// Closes the mailbox of the actor until the future is gone that `make` makes. To be called by a
/// handler of the library, as the last that it does.
pub(crate) fn close_for<A, F>(
    context: &mut Context<A>,
    message: fn() -> &'static str,
    make: impl FnOnce(&'static mut A) -> F + Send + 'static,
) where
    A: Actor,
    F: Future<Output = ()> + Send + 'static,
{
    let own = context.actor_ref();
    let frame = &mut context.frame;
    let core = frame.core;
    // SAFETY: the run has the state. From now on only the future uses it: see above. The reference
    // keeps it.
    let state = unsafe { &mut *ActorCell::<A>::state(core) };
    let held = HeldRun {
        future: Some(make(state)),
        own,
        message,
        has_asked: false,
    };
    // SAFETY: the run has the actor.
    let registry = unsafe { SharedRegistry::clone((*core).system.registry()) };
    frame.request = RunRequest::Hold;
    // SAFETY: the content of the message at hand is out.
    unsafe { frame.put_aside() };
    // It goes on by itself.
    drop(spawn_future_in(registry, held));
}

/// A future that has the state of an actor, and the right to run it.
struct HeldRun<A: Actor, F> {
    /// There until it is done.
    future: Option<F>,
    own: ActorRef<A>,
    /// The type of the message.
    message: fn() -> &'static str,
    /// It has awaited a reply, and may have left it unfinished.
    has_asked: bool,
}

impl<A: Actor, F> HeldRun<A, F> {
    /// Drops the future, and leaves the actor to a run, which raises a panic if there is one.
    ///
    /// # Safety
    ///
    /// The future has not been moved since it was polled. To be called once.
    unsafe fn give_back(&mut self, mut panic: Option<Payload>) {
        // Of the field alone, as everywhere here: a shared reference to the whole would be one to
        // what the future borrows of itself.
        let core = self.own.core().as_ptr();
        let current = Current::enter(core.as_ptr());
        // In its place.
        if let Err(payload) = unwind::catch(|| self.future = None) {
            unwind::discard(panic.replace(payload));
        }
        drop(current);
        if self.has_asked {
            // An answer may lie in the state, or anywhere.
            wait_graph::graph().leave(core.as_ptr().addr());
        }
        if let Some(payload) = panic {
            let envelope = Envelope::seal((payload, self.message), open_panic);
            let link = Envelope::link(envelope);
            // SAFETY: this thread owns the actor; its next run begins with the first message.
            unsafe {
                (*core.as_ptr()).word.raise();
                let mailbox = &(*core.as_ptr()).mailbox;
                Mailbox::put_before(link, mailbox.first());
                mailbox.requeue(link);
            }
        }
        // SAFETY: this thread owns the actor, and leaves it to the run. The reference keeps the
        // system.
        unsafe { ActorCore::queue(core, WakeOrigin::Woken) };
    }
}

impl<A: Actor, F: Future<Output = ()>> Future for HeldRun<A, F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<()> {
        // SAFETY: the future is not moved.
        let this = unsafe { self.get_unchecked_mut() };
        let core = this.own.core().as_ptr();
        let Some(future) = &mut this.future else {
            return Poll::Ready(());
        };
        let _counted = CountedRun::begin(this.own.core().core().counter());
        // SAFETY: as above.
        let future = unsafe { Pin::new_unchecked(future) };
        // What it asks, its actor asks.
        let poll = |cx: &mut TaskContext<'_>| unwind::catch(|| future.poll(cx));
        let (outcome, has_asked) = current::while_polled(core.as_ptr(), cx, poll);
        this.has_asked |= has_asked;
        let panic = match outcome {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(())) => None,
            Err(payload) => Some(payload),
        };
        // SAFETY: as above; from now on there is no future.
        unsafe { this.give_back(panic) };
        Poll::Ready(())
    }
}

impl<A: Actor, F> Drop for HeldRun<A, F> {
    fn drop(&mut self) {
        #[expect(
            clippy::redundant_pattern_matching,
            reason = "no reference to the future"
        )]
        if let Some(_) = self.future {
            // SAFETY: it is dropped in its place.
            unsafe { self.give_back(None) };
        }
    }
}

/// Opens the panic of a future that had the state.
///
/// # Safety
///
/// As for [`OpenFn`](crate::actor::mail::envelope::OpenFn), with this content.
unsafe fn open_panic(envelope: NonNull<Envelope>, frame: &mut RunFrame) {
    // SAFETY: the content is of this type.
    let (payload, message) =
        unsafe { Envelope::unseal::<(Payload, fn() -> &'static str)>(envelope) };
    if frame.loss.is_some() {
        return frame.report(payload);
    }
    frame.failed_message = Some(message);
    // SAFETY: the actor is alive: this is its run.
    unsafe { (*frame.core).word.has_raised() };
    unwind::resume(payload);
}
