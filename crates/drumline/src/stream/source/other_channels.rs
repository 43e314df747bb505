//! The channels of the standard library, of `crossbeam-channel` and of `flume` as sources.

use std::time::Duration;

use super::{Polled, Source};

/// Declares that the receivers of a channel are sources. The three libraries have the same words.
macro_rules! receiver {
    ($channel:path $(, len $len:ident)?) => {
        const _: () = {
            use $channel::{Receiver, RecvTimeoutError, TryRecvError};

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

                $(fn len_hint(&self) -> Option<usize> {
                    Some(self.$len())
                })?
            }
        };
    };
}

receiver!(std::sync::mpsc);
#[cfg(feature = "crossbeam-channel")]
receiver!(crossbeam_channel, len len);
#[cfg(feature = "flume")]
receiver!(flume, len len);
