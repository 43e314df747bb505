//! What a stream asks of a receiver.
//!
//! A further kind of channel becomes a source of streams by an implementation of [`Streamed`] here,
//! by a cell with an [`Interrupt`], and by its name in the list of `stream/source/channel.rs`.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use super::{CloseReason, PortSet, RecvError, TryRecvError, lanes, mpmc, mpsc, spsc};
use crate::wait::Interrupt;

/// A receiver that streams take messages from, one thread at a time.
pub(crate) trait Streamed: Send {
    /// What comes from it.
    type Message: Send;

    /// What ends its wait from outside, made when it is first asked for. Clones of a receiver have
    /// one each: a stream that stops does not stop others.
    fn interrupt(&self) -> &Arc<Interrupt>;

    /// A message, if there is one now.
    fn take(&mut self) -> Result<Self::Message, TryRecvError>;

    /// Takes what is there, up to `most` messages, and adds it to `messages`. If it takes fewer,
    /// there were no more.
    ///
    /// # Errors
    ///
    /// If there is no message now, and if no more will come.
    fn take_many(
        &mut self,
        messages: &mut Vec<Self::Message>,
        most: usize,
    ) -> Result<usize, TryRecvError> {
        for count in 0..most {
            match self.take() {
                Ok(message) => messages.push(message),
                Err(nothing) if count == 0 => return Err(nothing),
                Err(_) => return Ok(count),
            }
        }
        Ok(most)
    }

    /// A future that receives a message. If it is dropped before it is ready, it has received
    /// nothing.
    fn receive(&mut self) -> impl Future<Output = Result<Self::Message, RecvError>>;

    /// About how many messages there are, if that is known. Costs little, however many senders
    /// there are.
    fn count(&self) -> Option<usize>;

    /// Why no more messages come, once all were taken.
    fn end_reason(&self) -> Option<CloseReason>;

    /// Whether it measures from now on how long messages wait, if it can.
    fn measure_waits(&mut self, _measures: bool) {}

    /// How long those messages waited that were taken since the last call.
    fn waits(&mut self, _waits: &mut Vec<Duration>) {}
}

/// Those with a queue, or queues, of their own.
macro_rules! sole {
    ($channel:ident, count |$this:ident| $count:expr, ended |$that:ident| $reason:expr) => {
        impl<T: Send> Streamed for $channel::Receiver<T> {
            type Message = T;

            fn interrupt(&self) -> &Arc<Interrupt> {
                self.interrupt()
            }

            fn take(&mut self) -> Result<T, TryRecvError> {
                self.try_recv()
            }

            fn take_many(
                &mut self,
                messages: &mut Vec<T>,
                most: usize,
            ) -> Result<usize, TryRecvError> {
                self.try_recv_many(messages, most)
            }

            fn receive(&mut self) -> impl Future<Output = Result<T, RecvError>> {
                self.recv_async()
            }

            fn count(&self) -> Option<usize> {
                let $this = self;
                Some($count)
            }

            fn end_reason(&self) -> Option<CloseReason> {
                let $that = self;
                $reason
            }
        }
    };
}

// The reason first: nothing is sent after it.
sole!(
    spsc,
    count | this | this.len(),
    ended | this | {
        let reason = this.close_reason()?;
        this.is_empty().then_some(reason)
    }
);
sole!(
    lanes,
    count | this | this.count_near(),
    ended | this | this.end_reason()
);

/// The messages of all ports. The end of a port is passed over.
impl<T: Send> Streamed for PortSet<T> {
    type Message = T;

    fn interrupt(&self) -> &Arc<Interrupt> {
        self.interrupt()
    }

    fn take(&mut self) -> Result<T, TryRecvError> {
        loop {
            if let Some(message) = self.try_recv()?.into_message() {
                return Ok(message);
            }
        }
    }

    async fn receive(&mut self) -> Result<T, RecvError> {
        loop {
            if let Some(message) = self.recv_async().await?.into_message() {
                return Ok(message);
            }
        }
    }

    fn count(&self) -> Option<usize> {
        Some(self.count_near())
    }

    fn end_reason(&self) -> Option<CloseReason> {
        self.end_reason()
    }
}

/// Those that share a queue.
macro_rules! shared {
    ($($channel:ident),+) => {$(
        impl<T: Send> Streamed for $channel::Receiver<T> {
            type Message = T;

            fn interrupt(&self) -> &Arc<Interrupt> {
                self.end.interrupt()
            }

            fn take(&mut self) -> Result<T, TryRecvError> {
                self.try_recv()
            }

            fn take_many(
                &mut self,
                messages: &mut Vec<T>,
                most: usize,
            ) -> Result<usize, TryRecvError> {
                let mut count = 0;
                // In a rendezvous they come one by one.
                while count < most {
                    match self.end.try_recv_many(messages, most - count) {
                        Ok(more) => count += more,
                        Err(nothing) if count == 0 => return Err(nothing),
                        Err(_) => break,
                    }
                }
                Ok(count)
            }

            fn receive(&mut self) -> impl Future<Output = Result<T, RecvError>> {
                self.recv_async()
            }

            fn count(&self) -> Option<usize> {
                // In a rendezvous the senders have them.
                (self.capacity() != Some(0)).then(|| self.len())
            }

            fn end_reason(&self) -> Option<CloseReason> {
                // First: nothing is sent after it.
                let reason = self.close_reason()?;
                self.is_empty().then_some(reason)
            }
        }
    )+};
}

shared!(mpsc, mpmc);
