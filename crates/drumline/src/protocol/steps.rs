//! The steps of all protocols. The methods of each state are calls of these.
//!
//! Those that often do not wait are compiled into their callers. Otherwise their results, with the
//! message and the endpoint in them, would be passed in memory, which costs more than the step.

use std::panic::Location;
use std::time::Duration;

use super::endpoint::{Endpoint, Message, Outcome, Receiving, advance};
use super::waiting::{RecvAsync, RecvReady, SendAsync, SendReady, left, refused};
use super::{NotReceived, NotSent, SendError};
use crate::channel::{RecvTimeoutError, SendTimeoutError, TryRecvError, TrySendError};
use crate::sync::Instant;

/// The result of a send that does not wait, or not for ever.
type Attempt<E, M> = Result<<M as Message<E>>::Next, NotSent<E, M>>;

/// Sends, and goes on; waits for room.
#[inline(always)]
#[track_caller]
pub fn send<E: Endpoint, M: Message<E>>(
    mut endpoint: E,
    message: M,
) -> Result<M::Next, SendError<M>> {
    match endpoint.wire().sender().send(message.pack()) {
        Ok(()) => Ok(advance::<E, M::Next>(endpoint.into_wire())),
        Err(error) => Err(refused(endpoint, error.into_inner())),
    }
}

/// Sends if there is room now.
#[inline(always)]
pub fn try_send<E: Endpoint, M: Message<E>>(mut endpoint: E, message: M) -> Attempt<E, M> {
    match endpoint.wire().sender().try_send(message.pack()) {
        Ok(()) => Ok(advance::<E, M::Next>(endpoint.into_wire())),
        Err(TrySendError::Full(message)) => Err(NotSent::Yet(endpoint, M::unpack(message))),
        Err(TrySendError::Closed(message)) => Err(NotSent::Ever(refused(endpoint, message))),
    }
}

/// Sends if there is room in this time.
#[track_caller]
pub fn send_timeout<E: Endpoint, M: Message<E>>(
    mut endpoint: E,
    message: M,
    timeout: Duration,
) -> Attempt<E, M> {
    let sent = endpoint
        .wire()
        .sender()
        .send_timeout(message.pack(), timeout);
    sent_in_time(endpoint, sent)
}

/// Sends if there is room until then.
#[track_caller]
pub fn send_deadline<E: Endpoint, M: Message<E>>(
    mut endpoint: E,
    message: M,
    deadline: Instant,
) -> Attempt<E, M> {
    let sent = endpoint
        .wire()
        .sender()
        .send_deadline(message.pack(), deadline);
    sent_in_time(endpoint, sent)
}

fn sent_in_time<E: Endpoint, M: Message<E>>(
    endpoint: E,
    sent: Result<(), SendTimeoutError<E::Out>>,
) -> Attempt<E, M> {
    match sent {
        Ok(()) => Ok(advance::<E, M::Next>(endpoint.into_wire())),
        Err(SendTimeoutError::Timeout(message)) => Err(NotSent::Yet(endpoint, M::unpack(message))),
        Err(SendTimeoutError::Closed(message)) => Err(NotSent::Ever(refused(endpoint, message))),
    }
}

/// A future that sends.
#[track_caller]
pub fn send_async<E: Endpoint, M: Message<E>>(endpoint: E, message: M) -> SendAsync<E, M> {
    SendAsync::new(endpoint, message, Location::caller())
}

/// A future that waits for room.
#[track_caller]
pub fn send_ready<E: Endpoint>(endpoint: &mut E) -> SendReady<'_, E> {
    SendReady::new(endpoint, Location::caller())
}

/// Receives, and goes on; waits for the message.
#[inline(always)]
#[track_caller]
pub fn recv<E: Receiving>(mut endpoint: E) -> Outcome<E> {
    match endpoint.wire().receiver().recv() {
        Ok(message) => Ok(E::received(endpoint.into_wire(), message)),
        Err(_) => left(endpoint),
    }
}

/// Receives if there is a message now.
#[inline(always)]
pub fn try_recv<E: Receiving>(mut endpoint: E) -> Result<E::Received, NotReceived<E>> {
    match endpoint.wire().receiver().try_recv() {
        Ok(message) => Ok(E::received(endpoint.into_wire(), message)),
        Err(TryRecvError::Empty) => Err(NotReceived::Yet(endpoint)),
        Err(TryRecvError::Closed(_)) => left(endpoint).map_err(NotReceived::Ever),
    }
}

/// Receives if a message comes in this time.
#[track_caller]
pub fn recv_timeout<E: Receiving>(
    mut endpoint: E,
    timeout: Duration,
) -> Result<E::Received, NotReceived<E>> {
    let received = endpoint.wire().receiver().recv_timeout(timeout);
    received_in_time(endpoint, received)
}

/// Receives if a message comes until then.
#[track_caller]
pub fn recv_deadline<E: Receiving>(
    mut endpoint: E,
    deadline: Instant,
) -> Result<E::Received, NotReceived<E>> {
    let received = endpoint.wire().receiver().recv_deadline(deadline);
    received_in_time(endpoint, received)
}

fn received_in_time<E: Receiving>(
    endpoint: E,
    received: Result<E::In, RecvTimeoutError>,
) -> Result<E::Received, NotReceived<E>> {
    match received {
        Ok(message) => Ok(E::received(endpoint.into_wire(), message)),
        Err(RecvTimeoutError::Timeout) => Err(NotReceived::Yet(endpoint)),
        Err(RecvTimeoutError::Closed(_)) => left(endpoint).map_err(NotReceived::Ever),
    }
}

/// A future that receives.
#[track_caller]
pub fn recv_async<E: Receiving>(endpoint: E) -> RecvAsync<E> {
    RecvAsync::new(endpoint, Location::caller())
}

/// A future that waits for a message.
#[track_caller]
pub fn recv_ready<E: Receiving>(endpoint: &mut E) -> RecvReady<'_, E> {
    RecvReady::new(endpoint, Location::caller())
}

/// Whether the peer has written that it leaves.
pub fn has_peer_left<E: Endpoint>(endpoint: &E) -> bool {
    endpoint.as_wire().has_peer_left()
}
