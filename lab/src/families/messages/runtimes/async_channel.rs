//! The channels of async-channel.

use std::iter;

use ::async_channel::{bounded, unbounded};

use crate::families::messages::channel::{
    AsyncReceiver, AsyncSender, BatchReceiver, OnceReceiver, OnceSender, Receiver, Sender, copies,
    fill_up,
};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `async_channel`.
#[derive(Debug)]
pub struct AsyncChannel;

impl MessageRuntime for AsyncChannel {
    const CARD: RuntimeCard = RuntimeCard {
        name: "async-channel",
        about: "`async_channel`; `send_blocking`, `recv_blocking` of threads; tasks on tokio",
        package: Some("async-channel"),
        role: Role::Peer,
        rank: 26,
        scheduler: "list of blocks, or ring buffer; list of listeners",
        parallel: true,
        colour: (47, 150, 160),
    };

    const KINDS: &'static [ChannelKind] = &[
        ChannelKind::Spsc,
        ChannelKind::SpscBounded,
        ChannelKind::SpscBatch,
        ChannelKind::Mpsc,
        ChannelKind::MpscBounded,
        ChannelKind::MpmcBounded,
        ChannelKind::Oneshot,
        ChannelKind::SpscAsync,
    ];

    fn spsc<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl Receiver<T>) {
        unbounded()
    }

    fn spsc_bounded<T: Send + Unpin + 'static>(bound: usize) -> (impl Sender<T>, impl Receiver<T>) {
        bounded(bound)
    }

    fn spsc_batch<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl BatchReceiver<T>) {
        unbounded()
    }

    fn mpsc<T: Send + Unpin + 'static>(senders: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = unbounded();
        (copies(sender, senders), receiver)
    }

    fn mpsc_bounded<T: Send + Unpin + 'static>(
        senders: usize,
        bound: usize,
    ) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = bounded(bound);
        (copies(sender, senders), receiver)
    }

    fn mpmc_bounded<T: Send + Unpin + 'static>(
        senders: usize,
        receivers: usize,
        bound: usize,
    ) -> (Vec<impl Sender<T>>, Vec<impl Receiver<T>>) {
        let (sender, receiver) = bounded(bound);
        (copies(sender, senders), copies(receiver, receivers))
    }

    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        bounded(1)
    }

    fn spsc_async<T: Send + Unpin + 'static>() -> (impl AsyncSender<T>, impl AsyncReceiver<T>) {
        unbounded()
    }
}

impl<T: Send + 'static> Sender<T> for async_channel::Sender<T> {
    fn send(&mut self, message: T) -> bool {
        self.send_blocking(message).is_ok()
    }
}

impl<T: Send + 'static> Receiver<T> for async_channel::Receiver<T> {
    fn recv(&mut self) -> Option<T> {
        self.recv_blocking().ok()
    }
}

impl<T: Send + 'static> BatchReceiver<T> for async_channel::Receiver<T> {
    fn recv_many(&mut self, batch: &mut Vec<T>, most: usize) {
        let Some(first) = self.recv_blocking().ok() else {
            return;
        };
        batch.push(first);
        let present = iter::from_fn(|| self.try_recv().ok());
        fill_up(batch, most, present);
    }
}

impl<T: Send + 'static> OnceSender<T> for async_channel::Sender<T> {
    fn send_once(self, message: T) -> bool {
        self.send_blocking(message).is_ok()
    }
}

impl<T: Send + 'static> OnceReceiver<T> for async_channel::Receiver<T> {
    fn recv_once(self) -> Option<T> {
        self.recv_blocking().ok()
    }
}

impl<T: Send + 'static> AsyncSender<T> for async_channel::Sender<T> {
    async fn send_async(&mut self, message: T) -> bool {
        async_channel::Sender::send(self, message).await.is_ok()
    }
}

impl<T: Send + 'static> AsyncReceiver<T> for async_channel::Receiver<T> {
    async fn recv_async(&mut self) -> Option<T> {
        async_channel::Receiver::recv(self).await.ok()
    }
}
