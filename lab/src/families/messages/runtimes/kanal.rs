//! The channels of kanal.

use ::kanal::{bounded, unbounded, unbounded_async};

use crate::families::messages::channel::{
    AsyncReceiver, AsyncSender, BatchReceiver, OnceReceiver, OnceSender, Receiver, Sender, copies,
};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `kanal`.
#[derive(Debug)]
pub struct Kanal;

impl MessageRuntime for Kanal {
    const CARD: RuntimeCard = RuntimeCard {
        name: "kanal",
        about: "`kanal`: `unbounded`, `bounded`; `unbounded_async` of tasks on tokio",
        package: Some("kanal"),
        role: Role::Peer,
        rank: 23,
        scheduler: "queue behind a spinning lock; spins, then parks",
        parallel: true,
        colour: (201, 120, 60),
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
        unbounded_async()
    }
}

impl<T: Send + 'static> Sender<T> for kanal::Sender<T> {
    fn send(&mut self, message: T) -> bool {
        kanal::Sender::send(self, message).is_ok()
    }
}

impl<T: Send + 'static> Receiver<T> for kanal::Receiver<T> {
    fn recv(&mut self) -> Option<T> {
        kanal::Receiver::recv(self).ok()
    }
}

impl<T: Send + 'static> BatchReceiver<T> for kanal::Receiver<T> {
    fn recv_many(&mut self, batch: &mut Vec<T>, _most: usize) {
        let Some(first) = self.recv() else {
            return;
        };
        batch.push(first);
        // An error means that the sender is gone, which the next call will see.
        let _ = self.drain_into(batch);
    }
}

impl<T: Send + 'static> OnceSender<T> for kanal::Sender<T> {
    fn send_once(self, message: T) -> bool {
        kanal::Sender::send(&self, message).is_ok()
    }
}

impl<T: Send + 'static> OnceReceiver<T> for kanal::Receiver<T> {
    fn recv_once(self) -> Option<T> {
        kanal::Receiver::recv(&self).ok()
    }
}

impl<T: Send + 'static> AsyncSender<T> for kanal::AsyncSender<T> {
    async fn send_async(&mut self, message: T) -> bool {
        kanal::AsyncSender::send(self, message).await.is_ok()
    }
}

impl<T: Send + 'static> AsyncReceiver<T> for kanal::AsyncReceiver<T> {
    async fn recv_async(&mut self) -> Option<T> {
        kanal::AsyncReceiver::recv(self).await.ok()
    }
}
