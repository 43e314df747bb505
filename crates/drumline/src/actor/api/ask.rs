//! Questions: messages with a reply that the sender waits for.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use crate::actor::life::current;
use crate::actor::memory::{ActorCore, CoreRef};
use crate::actor::wait_graph::Waiting;
use crate::actor::wait_shard::{Asker, ReplyProbe, Wait};
use crate::actor::{AskError, wait_graph};
use crate::channel::oneshot::Receiver;
use crate::channel::{CloseReason, RecvError, RecvTimeoutError};
use crate::sync::Instant;

/// The reply to a message, when it comes; made by [`ActorRef::ask`](crate::actor::ActorRef::ask).
///
/// A thread waits for it by [`recv`](Self::recv), a task by `.await`.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{Actor, ActorSystem, AskError, Context, Handler};
///
/// struct Divider;
/// impl Actor for Divider {}
/// impl Handler<(u32, u32)> for Divider {
///     type Reply = u32;
///     fn handle(&mut self, (a, b): (u32, u32), _: &mut Context<Self>) -> u32 {
///         a / b
///     }
/// }
///
/// let pool = Pool::builder().jobs(2).panic_handler(|_| {}).build()?;
/// let system = ActorSystem::new(&pool);
/// let divider = system.spawn(Divider);
/// assert_eq!(drumline::block_on(divider.ask((42, 6))), Ok(7));
/// assert_eq!(divider.ask((1, 0)).recv(), Err(AskError::Panicked));
/// # Ok::<(), drumline::BuildError>(())
/// ```
///
/// # Waiting in a handler
///
/// A handler may wait for a reply, and blocks its actor meanwhile; in a pool, another thread takes
/// the place of the one that waits. An [`AsyncHandler`](crate::actor::AsyncHandler) may await it,
/// and then no thread waits.
///
/// If actors would wait for each other in a circle, the last of them gets [`AskError::Cycle`].
/// Where several circles that have actors in common close in the same moment, one more may get it.
/// Only waits of the handler itself are seen: not what is awaited by a task of its own, what waits
/// for room in a [bounded](crate::actor::Overflow::Wait) mailbox, or what another thread asks for
/// the handler, as in a half of a [`join`](crate::join()). A handler that awaits several replies at
/// once counts as one that needs all of them, even if it would go on with the first, and as one
/// that needs an answer that it has given up (after a timeout, say) until that is dropped or the
/// handler is over; what a set of futures with wakers of its own awaits is not seen. Nor is what is
/// awaited by a [`block_on`](crate::block_on()) in a handler: use [`recv`](Self::recv). Nor are
/// actors that a handler runs on top of itself: by [`yield_now`](crate::yield_now()), or where the
/// pool [steals while it waits](crate::WaitPolicy::Steal).
///
/// In a pool without [spares](crate::PoolBuilder::spares) no thread takes the place. There, as many
/// handlers that wait as the pool has jobs wait for ever if the actors that they have asked are in
/// the same pool.
///
/// # Cancellation
///
/// An answer that is dropped is no longer waited for. The message is handled all the same.
#[must_use = "the reply is lost if it is not waited for; `tell` sends a message without one"]
pub struct Answer<R: Send> {
    /// While it is awaited in a handler. Before the receiver, which it refers to.
    awaited: Option<Waiting<'static>>,
    receiver: Receiver<Result<R, AskError>>,
    asked: CoreRef,
}

impl<R: Send> Answer<R> {
    pub(crate) fn new(receiver: Receiver<Result<R, AskError>>, asked: CoreRef) -> Self {
        Answer {
            awaited: None,
            receiver,
            asked,
        }
    }

    /// The reply; waits for it if it is not there.
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
    /// assert_eq!(doubler.ask(21).recv(), Ok(42));
    /// ```
    ///
    /// # Errors
    ///
    /// If there will be none. Also if this call would wait for ever, because the actor that makes
    /// it in a handler is waited for in turn.
    ///
    /// # Blocking
    ///
    /// Until there is the reply, or the actor has ended.
    #[track_caller]
    pub fn recv(mut self) -> Result<R, AskError> {
        // The receiver has to stay until the wait has left the graph.
        self.wait(|receiver| receiver.recv_timeout(Duration::MAX))
    }

    /// As [`recv`](Self::recv), for `timeout` at most. The answer stays.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    /// use std::time::Duration;
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
    /// let mut answer = doubler.ask(21);
    /// assert_eq!(answer.recv_timeout(Duration::from_secs(10)), Ok(42));
    /// ```
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv), and if the reply has not come until then, or was received before.
    ///
    /// # Blocking
    ///
    /// As [`recv`](Self::recv), for `timeout` at most.
    #[track_caller]
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<R, AskError> {
        self.wait(|receiver| receiver.recv_timeout(timeout))
    }

    /// As [`recv`](Self::recv), until `deadline` at most. The answer stays.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    /// use std::time::{Duration, Instant};
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
    /// let deadline = Instant::now() + Duration::from_secs(10); // for both
    /// let (mut one, mut other) = (doubler.ask(1), doubler.ask(2));
    /// assert_eq!(one.recv_deadline(deadline), Ok(2));
    /// assert_eq!(other.recv_deadline(deadline), Ok(4));
    /// ```
    ///
    /// # Errors
    ///
    /// As [`recv_timeout`](Self::recv_timeout).
    ///
    /// # Blocking
    ///
    /// As [`recv`](Self::recv), until `deadline` at most.
    #[track_caller]
    pub fn recv_deadline(&mut self, deadline: Instant) -> Result<R, AskError> {
        self.wait(|receiver| receiver.recv_deadline(deadline))
    }

    /// Whether [`recv`](Self::recv) would not wait.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, HandScheduler, Handler};
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
    /// let answer = system.spawn(Doubler).ask(21);
    /// assert!(!answer.is_ready());
    /// by_hand.run_until_idle();
    /// assert!(answer.is_ready());
    /// ```
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.receiver.is_ready()
    }

    #[track_caller]
    fn wait(
        &mut self,
        receive: impl FnOnce(
            &mut Receiver<Result<R, AskError>>,
        ) -> Result<Result<R, AskError>, RecvTimeoutError>,
    ) -> Result<R, AskError> {
        self.awaited = None;
        let asker = current::current();
        let waiting = if asker.is_null() || self.receiver.is_ready() {
            None
        } else {
            // SAFETY: this thread runs the actor. The wait is dropped below, before the receiver.
            Some(unsafe { self.enter_wait(asker)? })
        };
        let received = receive(&mut self.receiver);
        drop(waiting);
        match received {
            Ok(reply) => reply,
            Err(RecvTimeoutError::Timeout) => Err(AskError::Timeout),
            Err(RecvTimeoutError::Closed(reason)) => Err(no_reply(reason)),
        }
    }
}

impl<R: Send> Answer<R> {
    /// Says that this actor waits for the reply.
    ///
    /// # Safety
    ///
    /// The actor is alive. What comes back is dropped before the receiver is.
    unsafe fn enter_wait(&self, asker: *const ActorCore) -> Result<Waiting<'static>, AskError> {
        let (data, has_come) = self.receiver.probe();
        let wait = Wait {
            // SAFETY: the actor lives as long as its handler, which leaves the graph with it.
            asker: unsafe { Asker::new(asker.cast(), name_of) },
            asked: self.asked.as_ptr().as_ptr().addr(),
            // SAFETY: the receiver stays until the wait has left the graph.
            reply: unsafe { ReplyProbe::new(data, has_come) },
        };
        let entered = wait_graph::graph().enter(wait);
        entered.map_err(|names| AskError::Cycle(names.into()))
    }
}

/// The name of an actor.
///
/// # Safety
///
/// It is one, and alive.
unsafe fn name_of(actor: *const ()) -> String {
    // SAFETY: the caller's obligation.
    unsafe { &*actor.cast::<ActorCore>() }.name()
}

/// Why a reply was dropped.
fn no_reply(reason: CloseReason) -> AskError {
    match reason {
        CloseReason::Panicked => AskError::Panicked,
        _ => AskError::Dead,
    }
}

impl<R: Send> Future for Answer<R> {
    type Output = Result<R, AskError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let polled = Pin::new(&mut self.receiver).poll(cx).map(|received| {
            received.unwrap_or_else(|error: RecvError| Err(no_reply(error.reason())))
        });
        let asker = match current::awaits(cx.waker()) {
            Some(asker) if polled.is_pending() => asker,
            _ => {
                self.awaited = None;
                return polled;
            }
        };
        let is_known = self
            .awaited
            .as_ref()
            .is_some_and(|waiting| waiting.asker() == asker.addr() && waiting.counts());
        if !is_known {
            self.awaited = None;
            // SAFETY: this thread has the actor. The receiver lives as long as this, and is dropped
            // after it.
            match unsafe { self.enter_wait(asker) } {
                Ok(waiting) => self.awaited = Some(waiting),
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        polled
    }
}

impl<R: Send> fmt::Debug for Answer<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("is_ready", &self.is_ready())
            .finish_non_exhaustive()
    }
}
