//! The channel of `kanal` as a source.

use std::time::Duration;

use kanal::{ReceiveErrorTimeout, Receiver};

use super::{Polled, Source};

/// Ends when all senders are gone, or the channel is closed.
impl<T: Send> Source for Receiver<T> {
    type Item = T;

    fn recv(&mut self) -> Option<T> {
        Receiver::recv(self).ok()
    }

    fn recv_timeout(&mut self, time: Duration) -> Polled<T> {
        match Receiver::recv_timeout(self, time) {
            Ok(item) => Polled::Item(item),
            Err(ReceiveErrorTimeout::Timeout) => Polled::Empty,
            Err(_) => Polled::Ended,
        }
    }

    fn try_recv(&mut self) -> Polled<T> {
        match Receiver::try_recv(self) {
            Ok(Some(item)) => Polled::Item(item),
            Ok(None) => Polled::Empty,
            Err(_) => Polled::Ended,
        }
    }

    fn len_hint(&self) -> Option<usize> {
        Some(self.len())
    }
}
