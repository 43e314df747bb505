//! The channel of `crossbeam-channel` as a source.

use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError};

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

    fn len_hint(&self) -> Option<usize> {
        Some(self.len())
    }
}
