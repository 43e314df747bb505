//! The channels of flume.

use ::flume::{Selector, bounded, unbounded};

use crate::families::messages::channel::{
    AsyncReceiver, AsyncSender, BatchReceiver, OnceReceiver, OnceSender, Receiver, SelectReceiver,
    Sender, copies,
};
use crate::families::messages::select::CHANNELS;
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `flume`.
#[derive(Debug)]
pub struct Flume;

impl MessageRuntime for Flume {
    const CARD: RuntimeCard = RuntimeCard {
        name: "flume",
        about: "`flume`: `unbounded`, `bounded`; `Selector`; `recv_async` of tasks on tokio",
        package: Some("flume"),
        role: Role::Peer,
        rank: 22,
        scheduler: "queue behind a lock; parks",
        parallel: true,
        colour: (63, 143, 84),
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
        ChannelKind::Select4,
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

    fn select4<T: Send + Unpin + 'static>() -> (Vec<impl Sender<T>>, impl SelectReceiver<T>) {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..CHANNELS).map(|_| unbounded()).unzip();
        (senders, Selected(receivers))
    }
}

/// Receivers that are selected over. A `Selector` waits once.
struct Selected<T>(Vec<flume::Receiver<T>>);

impl<T: Send + 'static> SelectReceiver<T> for Selected<T> {
    fn take(self, messages: u64, mut take: impl FnMut(T)) {
        for _ in 0..messages {
            let receivers = self.0.iter();
            let select = receivers.fold(Selector::new(), |select, receiver| {
                select.recv(receiver, Result::ok)
            });
            let Some(message) = select.wait() else {
                return;
            };
            take(message);
        }
    }
}

impl<T: Send + 'static> Sender<T> for flume::Sender<T> {
    fn send(&mut self, message: T) -> bool {
        flume::Sender::send(self, message).is_ok()
    }
}

impl<T: Send + 'static> Receiver<T> for flume::Receiver<T> {
    fn recv(&mut self) -> Option<T> {
        flume::Receiver::recv(self).ok()
    }
}

impl<T: Send + 'static> BatchReceiver<T> for flume::Receiver<T> {
    fn recv_many(&mut self, batch: &mut Vec<T>, _most: usize) {
        let Some(first) = self.recv() else {
            return;
        };
        batch.push(first);
        // What is drained and not taken would be lost.
        batch.extend(self.drain());
    }
}

impl<T: Send + 'static> OnceSender<T> for flume::Sender<T> {
    fn send_once(self, message: T) -> bool {
        flume::Sender::send(&self, message).is_ok()
    }
}

impl<T: Send + 'static> OnceReceiver<T> for flume::Receiver<T> {
    fn recv_once(self) -> Option<T> {
        flume::Receiver::recv(&self).ok()
    }
}

impl<T: Send + 'static> AsyncSender<T> for flume::Sender<T> {
    async fn send_async(&mut self, message: T) -> bool {
        flume::Sender::send_async(self, message).await.is_ok()
    }
}

impl<T: Send + 'static> AsyncReceiver<T> for flume::Receiver<T> {
    async fn recv_async(&mut self) -> Option<T> {
        flume::Receiver::recv_async(self).await.ok()
    }
}
