//! The receivers of this crate's [channels](crate::channel) and of a [`queue`](queue()) as sources.
//!
//! Whichever consumer has the token takes from the receiver. If there is nothing, the last consumer
//! waits for the receiver's future, and a stream that stops ends that wait
//! ([`Interrupt`](crate::wait::Interrupt)). It does not close the channel: a receiver that was lent
//! to a stream goes on, and one that was given to it is dropped at the end, which closes the
//! channel.

use std::time::Duration;

use super::super::queue;
use super::{Drained, Polled, Source, Stopper};
use crate::channel::{CloseReason, Streamed, TryRecvError, lanes, mpmc, mpsc, port_set, spsc};
use crate::sync::Instant;
use crate::wait::WaitOutcome;

/// Waits for a message, but no longer than until then: `Empty`.
fn recv_until<R: Streamed>(receiver: &mut R, until: Option<Instant>) -> Polled<R::Message> {
    let interrupt = std::sync::Arc::clone(receiver.interrupt());
    match interrupt.wait(until, receiver.receive()) {
        WaitOutcome::Ready(Ok(message)) => Polled::Item(message),
        WaitOutcome::Ready(Err(_)) | WaitOutcome::Stopped => Polled::Ended,
        WaitOutcome::TooLate => Polled::Empty,
    }
}

fn nothing<T>(why: TryRecvError) -> Polled<T> {
    match why {
        TryRecvError::Empty => Polled::Empty,
        TryRecvError::Closed(_) => Polled::Ended,
    }
}

/// Makes sources of receivers that are [`Streamed`].
macro_rules! sources {
    ($($channel:ident::$Receiver:ident),+) => {$(
        /// Ends when the channel is closed, for whatever reason, and all messages were taken. The
        /// [`Report`](crate::stream::Report) has the reason.
        ///
        /// A receiver that is given to a stream is dropped when the stream ends, also by a panic:
        /// later sends fail, and those that wait for room as well. Lend it (`&mut receiver`) to go
        /// on with the messages that are left after a stream that stopped early.
        impl<T: Send> Source for $channel::$Receiver<T> {
            type Item = T;

            fn recv(&mut self) -> Option<T> {
                match recv_until(self, None) {
                    Polled::Item(message) => Some(message),
                    Polled::Empty | Polled::Ended => None,
                }
            }

            fn recv_timeout(&mut self, time: Duration) -> Polled<T> {
                // `None`: longer than a clock goes, and so until there is a message, or none will
                // come.
                recv_until(self, Instant::now().checked_add(time))
            }

            fn try_recv(&mut self) -> Polled<T> {
                Streamed::take(self).map_or_else(nothing, Polled::Item)
            }

            fn recv_batch(&mut self, most: usize, batch: &mut Vec<T>) -> Drained {
                match Streamed::take_many(self, batch, most) {
                    Ok(count) if count == most => Drained::More,
                    Ok(_) if Streamed::end_reason(self).is_some() => Drained::Ended,
                    Ok(_) | Err(TryRecvError::Empty) => Drained::Empty,
                    Err(TryRecvError::Closed(_)) => Drained::Ended,
                }
            }

            fn len_hint(&self) -> Option<usize> {
                Streamed::count(self)
            }

            fn measure_waits(&mut self, measures: bool) {
                Streamed::measure_waits(self, measures);
            }

            fn waits(&mut self, waits: &mut Vec<Duration>) {
                Streamed::waits(self, waits);
            }

            fn stopper(&self) -> Option<Stopper> {
                let interrupt = std::sync::Arc::clone(Streamed::interrupt(self));
                // A stream that was stopped earlier is over.
                interrupt.reset();
                Some(Stopper::of_own(move || interrupt.stop()))
            }

            fn end_reason(&self) -> Option<CloseReason> {
                Streamed::end_reason(self)
            }
        }
    )+};
}

sources!(
    spsc::Receiver,
    lanes::Receiver,
    mpsc::Receiver,
    mpmc::Receiver,
    port_set::PortSet,
    queue::Receiver
);
