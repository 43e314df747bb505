//! The futures of the steps, and what every step says once the peer has left.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::SendError;
use super::endpoint::{Endpoint, Message, Outcome, Receiving, advance};
use crate::channel::TrySendError;

/// The peer has left, so this message comes back.
#[cold]
pub(super) fn refused<E: Endpoint, M: Message<E>>(endpoint: E, message: E::Out) -> SendError<M> {
    SendError::new(M::unpack(message), endpoint.into_wire().peer_left())
}

/// The peer has left, and nothing comes any more.
#[cold]
pub(super) fn left<E: Receiving>(endpoint: E) -> Outcome<E> {
    Err(endpoint.into_wire().peer_left())
}

const READY_BEFORE: &str = "a future is not polled again once it is ready";

/// A future that receives; made by the methods `recv_async` and `offer_async` of a state.
///
/// It owns the endpoint. If it is dropped before it is ready, this side leaves the session.
///
/// ```
/// drumline::protocol! {
///     mod news of paper with reader {
///         Morning = send String => end;
///     }
/// }
///
/// let (paper, reader) = news::unbounded();
/// let printing = drumline::spawn(move || paper.send("all is well".to_owned()).is_ok());
/// let (text, _end) = drumline::block_on(reader.recv_async()).unwrap();
/// assert_eq!(text, "all is well");
/// assert!(printing.join().unwrap());
/// ```
#[must_use = "a future does nothing unless it is awaited; dropping it leaves the session"]
pub struct RecvAsync<E: Receiving> {
    /// `None` once it is ready.
    endpoint: Option<E>,
    is_listed: bool,
    location: &'static Location<'static>,
}

impl<E: Receiving> RecvAsync<E> {
    pub(super) fn new(endpoint: E, location: &'static Location<'static>) -> Self {
        RecvAsync {
            endpoint: Some(endpoint),
            is_listed: false,
            location,
        }
    }
}

// The endpoint is moved, and never pinned.
impl<E: Receiving> Unpin for RecvAsync<E> {}

impl<E: Receiving> Future for RecvAsync<E> {
    type Output = Outcome<E>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let RecvAsync {
            endpoint: place,
            is_listed,
            location,
        } = &mut *self;
        let receiver = place.as_mut().expect(READY_BEFORE).wire().receiver();
        let received = ready!(receiver.poll_recv(cx, is_listed, location));
        receiver.forget_poll(is_listed);
        let endpoint = place.take().expect(READY_BEFORE);
        Poll::Ready(match received {
            Ok(message) => Ok(E::received(endpoint.into_wire(), message)),
            Err(_) => left(endpoint),
        })
    }
}

impl<E: Receiving> Drop for RecvAsync<E> {
    fn drop(&mut self) {
        if let Some(endpoint) = &mut self.endpoint {
            endpoint.wire().receiver().forget_poll(&mut self.is_listed);
        }
    }
}

impl<E: Receiving> fmt::Debug for RecvAsync<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvAsync").finish_non_exhaustive()
    }
}

/// A future that sends; made by the methods `send_async` and `choose_async` of a state.
///
/// It owns the endpoint. If it is dropped before it is ready, this side leaves the session, and the
/// message is dropped and was not sent.
///
/// ```
/// drumline::protocol! {
///     mod news of paper with reader {
///         Morning = send String => end;
///     }
/// }
///
/// let (paper, reader) = news::unbounded();
/// let reading = drumline::spawn(move || reader.recv().unwrap().0);
/// assert!(drumline::block_on(paper.send_async("all is well".to_owned())).is_ok());
/// assert_eq!(reading.join().unwrap(), "all is well");
/// ```
#[must_use = "a future does nothing unless it is awaited; dropping it leaves the session"]
pub struct SendAsync<E: Endpoint, M: Message<E>> {
    /// `None` once it is ready.
    step: Option<(E, M)>,
    is_listed: bool,
    location: &'static Location<'static>,
}

impl<E: Endpoint, M: Message<E>> SendAsync<E, M> {
    pub(super) fn new(endpoint: E, message: M, location: &'static Location<'static>) -> Self {
        SendAsync {
            step: Some((endpoint, message)),
            is_listed: false,
            location,
        }
    }
}

// The endpoint and the message are moved, and never pinned.
impl<E: Endpoint, M: Message<E>> Unpin for SendAsync<E, M> {}

impl<E: Endpoint, M: Message<E>> Future for SendAsync<E, M> {
    type Output = Result<M::Next, SendError<M>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let SendAsync {
            step,
            is_listed,
            location,
        } = &mut *self;
        let sender = step.as_mut().expect(READY_BEFORE).0.wire().sender();
        ready!(sender.poll_room(cx, is_listed, location));
        sender.forget_poll(is_listed);
        let (mut endpoint, message) = step.take().expect(READY_BEFORE);
        Poll::Ready(match endpoint.wire().sender().try_send(message.pack()) {
            Ok(()) => Ok(advance::<E, M::Next>(endpoint.into_wire())),
            Err(TrySendError::Closed(message)) => Err(refused(endpoint, message)),
            Err(TrySendError::Full(_)) => {
                unreachable!("there was room, and this is the one sender")
            }
        })
    }
}

impl<E: Endpoint, M: Message<E>> Drop for SendAsync<E, M> {
    fn drop(&mut self) {
        if let Some((endpoint, _)) = &mut self.step {
            endpoint.wire().sender().forget_poll(&mut self.is_listed);
        }
    }
}

impl<E: Endpoint, M: Message<E>> fmt::Debug for SendAsync<E, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendAsync").finish_non_exhaustive()
    }
}

/// A future that is ready when a receive would not wait; made by the method `ready` of a state.
///
/// It borrows the endpoint, which goes on if this is dropped.
///
/// ```
/// drumline::protocol! {
///     mod news of paper with reader {
///         Morning = send String => end;
///     }
/// }
///
/// let (paper, mut reader) = news::unbounded();
/// let printing = drumline::spawn(move || paper.send("all is well".to_owned()).is_ok());
/// drumline::block_on(reader.ready());
/// assert_eq!(reader.try_recv().unwrap().0, "all is well"); // it is there
/// assert!(printing.join().unwrap());
/// ```
#[must_use = "a future does nothing unless it is awaited"]
pub struct RecvReady<'a, E: Receiving> {
    endpoint: &'a mut E,
    is_listed: bool,
    location: &'static Location<'static>,
}

impl<'a, E: Receiving> RecvReady<'a, E> {
    pub(super) fn new(endpoint: &'a mut E, location: &'static Location<'static>) -> Self {
        RecvReady {
            endpoint,
            is_listed: false,
            location,
        }
    }
}

impl<E: Receiving> Future for RecvReady<'_, E> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let receiver = this.endpoint.wire().receiver();
        receiver.poll_ready(cx, &mut this.is_listed, this.location)
    }
}

impl<E: Receiving> Drop for RecvReady<'_, E> {
    fn drop(&mut self) {
        let receiver = self.endpoint.wire().receiver();
        receiver.forget_poll(&mut self.is_listed);
    }
}

impl<E: Receiving> fmt::Debug for RecvReady<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvReady").finish_non_exhaustive()
    }
}

/// A future that is ready when a send would not wait; made by the method `ready` of a state.
///
/// It borrows the endpoint, which goes on if this is dropped.
///
/// ```
/// drumline::protocol! {
///     mod tally of voter with counter {
///         Voting = send u32 => Voting;
///     }
/// }
///
/// let (voter, counter) = tally::bounded(1);
/// let mut voter = voter.send(1).unwrap(); // takes the room
/// let counting = drumline::spawn(move || counter.recv().unwrap());
/// drumline::block_on(voter.ready());
/// assert!(voter.try_send(2).is_ok());
/// assert_eq!(counting.join().unwrap().0, 1);
/// ```
#[must_use = "a future does nothing unless it is awaited"]
pub struct SendReady<'a, E: Endpoint> {
    endpoint: &'a mut E,
    is_listed: bool,
    location: &'static Location<'static>,
}

impl<'a, E: Endpoint> SendReady<'a, E> {
    pub(super) fn new(endpoint: &'a mut E, location: &'static Location<'static>) -> Self {
        SendReady {
            endpoint,
            is_listed: false,
            location,
        }
    }
}

impl<E: Endpoint> Future for SendReady<'_, E> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let sender = this.endpoint.wire().sender();
        sender.poll_room(cx, &mut this.is_listed, this.location)
    }
}

impl<E: Endpoint> Drop for SendReady<'_, E> {
    fn drop(&mut self) {
        let sender = self.endpoint.wire().sender();
        sender.forget_poll(&mut self.is_listed);
    }
}

impl<E: Endpoint> fmt::Debug for SendReady<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendReady").finish_non_exhaustive()
    }
}
