//! The channel of the standard library as a source.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use super::{Polled, Source};

/// Ends when all senders are gone.
impl<T: Send> Source for Receiver<T> {
    type Item = T;

    fn recv(&mut self) -> Option<T> {
        Receiver::recv(self).ok()
    }

    fn recv_timeout(&mut self, time: Duration) -> Polled<T> {
        match Receiver::recv_timeout(self, time) {
            Ok(item) => Polled::Item(item),
            Err(RecvTimeoutError::Timeout) => Polled::Empty,
            Err(RecvTimeoutError::Disconnected) => Polled::Ended,
        }
    }

    fn try_recv(&mut self) -> Polled<T> {
        match Receiver::try_recv(self) {
            Ok(item) => Polled::Item(item),
            Err(TryRecvError::Empty) => Polled::Empty,
            Err(TryRecvError::Disconnected) => Polled::Ended,
        }
    }
}
