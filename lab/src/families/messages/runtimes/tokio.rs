//! The channels of tokio.

use ::futures_util::stream::{self, SelectAll, Stream, StreamExt as _, select_all};
use ::tokio::sync::{mpsc, oneshot};
use futures_lite::future::block_on;

use crate::families::messages::channel::{
    AsyncReceiver, AsyncSender, BatchReceiver, OnceReceiver, OnceSender, Receiver, SelectReceiver,
    Sender, copies, four,
};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `tokio::sync`.
#[derive(Debug)]
pub struct Tokio;

impl MessageRuntime for Tokio {
    const CARD: RuntimeCard = RuntimeCard {
        name: "tokio",
        about: "`tokio::sync`: `mpsc`, `oneshot`; `blocking_send`, `blocking_recv` of threads; `SelectAll` of futures-util",
        package: Some("tokio"),
        role: Role::Peer,
        rank: 25,
        scheduler: "list of blocks and a semaphore; wakers",
        parallel: true,
        colour: (132, 98, 176),
    };

    const KINDS: &'static [ChannelKind] = &[
        ChannelKind::Spsc,
        ChannelKind::SpscBounded,
        ChannelKind::SpscBatch,
        ChannelKind::Mpsc,
        ChannelKind::MpscBounded,
        ChannelKind::Oneshot,
        ChannelKind::SpscAsync,
        ChannelKind::Ports,
        ChannelKind::Select4,
    ];

    fn spsc<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl Receiver<T>) {
        mpsc::unbounded_channel()
    }

    fn spsc_bounded<T: Send + Unpin + 'static>(bound: usize) -> (impl Sender<T>, impl Receiver<T>) {
        mpsc::channel(bound)
    }

    fn spsc_batch<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl BatchReceiver<T>) {
        mpsc::unbounded_channel()
    }

    fn mpsc<T: Send + Unpin + 'static>(senders: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (copies(sender, senders), receiver)
    }

    fn mpsc_bounded<T: Send + Unpin + 'static>(
        senders: usize,
        bound: usize,
    ) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = mpsc::channel(bound);
        (copies(sender, senders), receiver)
    }

    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        oneshot::channel()
    }

    fn ports<T: Send + Unpin + 'static>(ports: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (senders, receivers): (Vec<_>, Vec<_>) =
            (0..ports).map(|_| mpsc::unbounded_channel::<T>()).unzip();
        let streams = receivers
            .into_iter()
            .map(|mut receiver| stream::poll_fn(move |cx| receiver.poll_recv(cx)));
        (senders, select_all(streams))
    }

    fn select4<T: Send + Unpin + 'static>() -> (Vec<impl Sender<T>>, impl SelectReceiver<T>) {
        let (senders, receivers) = four(mpsc::unbounded_channel);
        (senders, Selected(receivers))
    }

    fn spsc_async<T: Send + Unpin + 'static>() -> (impl AsyncSender<T>, impl AsyncReceiver<T>) {
        mpsc::unbounded_channel()
    }
}

impl<T: Send + 'static> Sender<T> for mpsc::UnboundedSender<T> {
    fn send(&mut self, message: T) -> bool {
        mpsc::UnboundedSender::send(self, message).is_ok()
    }
}

impl<T: Send + 'static> Sender<T> for mpsc::Sender<T> {
    fn send(&mut self, message: T) -> bool {
        self.blocking_send(message).is_ok()
    }
}

impl<T: Send + 'static> Receiver<T> for mpsc::UnboundedReceiver<T> {
    fn recv(&mut self) -> Option<T> {
        self.blocking_recv()
    }
}

/// Receivers that are selected over.
struct Selected<T>([mpsc::UnboundedReceiver<T>; 4]);

impl<T: Send + 'static> SelectReceiver<T> for Selected<T> {
    fn take(self, messages: u64, mut take: impl FnMut(T)) {
        let [mut a, mut b, mut c, mut d] = self.0;
        block_on(async {
            for _ in 0..messages {
                let received = ::tokio::select! {
                    message = a.recv() => message,
                    message = b.recv() => message,
                    message = c.recv() => message,
                    message = d.recv() => message,
                };
                let Some(message) = received else {
                    return;
                };
                take(message);
            }
        });
    }
}

impl<T, S> Receiver<T> for SelectAll<S>
where
    T: Send + 'static,
    S: Stream<Item = T> + Send + Unpin + 'static,
{
    fn recv(&mut self) -> Option<T> {
        block_on(self.next())
    }
}

impl<T: Send + 'static> Receiver<T> for mpsc::Receiver<T> {
    fn recv(&mut self) -> Option<T> {
        self.blocking_recv()
    }
}

impl<T: Send + 'static> BatchReceiver<T> for mpsc::UnboundedReceiver<T> {
    fn recv_many(&mut self, batch: &mut Vec<T>, most: usize) {
        self.blocking_recv_many(batch, most);
    }
}

impl<T: Send + 'static> OnceSender<T> for oneshot::Sender<T> {
    fn send_once(self, message: T) -> bool {
        self.send(message).is_ok()
    }
}

impl<T: Send + 'static> OnceReceiver<T> for oneshot::Receiver<T> {
    fn recv_once(self) -> Option<T> {
        self.blocking_recv().ok()
    }
}

impl<T: Send + 'static> AsyncSender<T> for mpsc::UnboundedSender<T> {
    async fn send_async(&mut self, message: T) -> bool {
        mpsc::UnboundedSender::send(self, message).is_ok()
    }
}

impl<T: Send + 'static> AsyncReceiver<T> for mpsc::UnboundedReceiver<T> {
    async fn recv_async(&mut self) -> Option<T> {
        self.recv().await
    }
}
