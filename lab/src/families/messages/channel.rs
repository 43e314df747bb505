//! The two ends of a channel, as the workloads know them.
//!
//! An end is used through `&mut self`, by one thread or task at a time. It says when the other end
//! is gone, and never gives the message back, because no workload goes on without its receiver.

use std::future::Future;

/// The end of a thread that sends.
pub trait Sender<T>: Send + 'static {
    /// Sends a message. Blocks while a channel with a bound is full. Returns whether a receiver is
    /// left.
    fn send(&mut self, message: T) -> bool;
}

/// The end of a thread that receives.
pub trait Receiver<T>: Send + 'static {
    /// Takes the next message. Blocks while there is none. Returns `None` when all senders are
    /// gone.
    fn recv(&mut self) -> Option<T>;
}

/// The end of a thread that receives many messages at once.
pub trait BatchReceiver<T>: Send + 'static {
    /// Adds up to `most` messages to `batch`. Blocks while there is none. Adds nothing when all
    /// senders are gone.
    fn recv_many(&mut self, batch: &mut Vec<T>, most: usize);
}

/// Receivers of several channels, in the hands of a thread that waits for all of them.
pub trait SelectReceiver<T>: Send + 'static {
    /// Waits for the channels as the library's users do, and gives this many messages to `take`.
    fn take(self, messages: u64, take: impl FnMut(T));
}

/// The ends of four channels.
pub fn four<S, R>(channel: impl Fn() -> (S, R)) -> (Vec<S>, [R; 4]) {
    let mut senders = Vec::new();
    let receivers = [(); 4].map(|()| {
        let (sender, receiver) = channel();
        senders.push(sender);
        receiver
    });
    (senders, receivers)
}

/// The end that sends one message.
pub trait OnceSender<T>: Send + Unpin + 'static {
    /// Sends the message. Returns whether the receiver is left.
    fn send_once(self, message: T) -> bool;
}

/// The end that receives one message.
pub trait OnceReceiver<T>: Send + 'static {
    /// Takes the message. Blocks until it is there. Returns `None` when the sender is gone.
    fn recv_once(self) -> Option<T>;
}

/// The end of a task that sends.
pub trait AsyncSender<T>: Send + 'static {
    /// Sends a message. Returns whether the receiver is left.
    fn send_async(&mut self, message: T) -> impl Future<Output = bool> + Send;
}

/// The end of a task that receives.
pub trait AsyncReceiver<T>: Send + 'static {
    /// Waits for the next message. Returns `None` when the sender is gone.
    fn recv_async(&mut self) -> impl Future<Output = Option<T>> + Send;
}

/// One sender for each of several clients, all of the same channel.
pub fn copies<S: Clone>(sender: S, count: usize) -> Vec<S> {
    vec![sender; count]
}

/// Fills up a batch that has its first message with those that are there already.
pub fn fill_up<T>(batch: &mut Vec<T>, most: usize, present: impl Iterator<Item = T>) {
    batch.extend(present.take(most.saturating_sub(1)));
}

/// Both ends of a channel that a library lacks. No workload that needs one is run.
#[derive(Clone, Copy, Debug)]
pub struct Missing;

const MISSING: &str = "this runtime lacks it";

impl<T> Sender<T> for Missing {
    fn send(&mut self, _message: T) -> bool {
        unreachable!("{MISSING}")
    }
}

impl<T> Receiver<T> for Missing {
    fn recv(&mut self) -> Option<T> {
        unreachable!("{MISSING}")
    }
}

impl<T> BatchReceiver<T> for Missing {
    fn recv_many(&mut self, _batch: &mut Vec<T>, _most: usize) {
        unreachable!("{MISSING}")
    }
}

impl<T> SelectReceiver<T> for Missing {
    fn take(self, _messages: u64, _take: impl FnMut(T)) {
        unreachable!("{MISSING}")
    }
}

impl<T> OnceSender<T> for Missing {
    fn send_once(self, _message: T) -> bool {
        unreachable!("{MISSING}")
    }
}

impl<T> OnceReceiver<T> for Missing {
    fn recv_once(self) -> Option<T> {
        unreachable!("{MISSING}")
    }
}

impl<T: Send> AsyncSender<T> for Missing {
    async fn send_async(&mut self, _message: T) -> bool {
        unreachable!("{MISSING}")
    }
}

impl<T: Send> AsyncReceiver<T> for Missing {
    async fn recv_async(&mut self) -> Option<T> {
        unreachable!("{MISSING}")
    }
}
