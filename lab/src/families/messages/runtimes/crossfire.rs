//! The channels of crossfire.

use std::iter;

use ::crossfire::flavor::{Flavor, FlavorMC, FlavorMP};
use ::crossfire::oneshot::{RxOneshot, TxOneshot, oneshot};
use ::crossfire::select::Select;
use ::crossfire::{AsyncRx, MRx, MTx, Rx, Tx, detect_backoff_cfg, mpmc, mpsc, spsc};

use crate::families::messages::channel::{
    AsyncReceiver, AsyncSender, BatchReceiver, OnceReceiver, OnceSender, Receiver, SelectReceiver,
    Sender, copies, fill_up,
};
use crate::families::messages::select::CHANNELS;
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `crossfire`.
#[derive(Debug)]
pub struct Crossfire;

impl MessageRuntime for Crossfire {
    const CARD: RuntimeCard = RuntimeCard {
        name: "crossfire",
        about: "`crossfire`: `spsc`, `mpsc`, `mpmc`, `oneshot`; `unbounded_async` on tokio",
        package: Some("crossfire"),
        role: Role::Peer,
        rank: 24,
        scheduler: "list of blocks, or ring buffer; spins, then parks",
        parallel: true,
        colour: (205, 92, 140),
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

    fn prepare() {
        detect_backoff_cfg();
    }

    fn spsc<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl Receiver<T>) {
        spsc::unbounded_blocking()
    }

    fn spsc_bounded<T: Send + Unpin + 'static>(bound: usize) -> (impl Sender<T>, impl Receiver<T>) {
        spsc::bounded_blocking(bound)
    }

    fn spsc_batch<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl BatchReceiver<T>) {
        spsc::unbounded_blocking()
    }

    fn mpsc<T: Send + Unpin + 'static>(senders: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = mpsc::unbounded_blocking();
        (copies(sender, senders), receiver)
    }

    fn mpsc_bounded<T: Send + Unpin + 'static>(
        senders: usize,
        bound: usize,
    ) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = mpsc::bounded_blocking(bound);
        (copies(sender, senders), receiver)
    }

    fn mpmc_bounded<T: Send + Unpin + 'static>(
        senders: usize,
        receivers: usize,
        bound: usize,
    ) -> (Vec<impl Sender<T>>, Vec<impl Receiver<T>>) {
        let (sender, receiver) = mpmc::bounded_blocking(bound);
        (copies(sender, senders), copies(receiver, receivers))
    }

    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        oneshot()
    }

    fn spsc_async<T: Send + Unpin + 'static>() -> (impl AsyncSender<T>, impl AsyncReceiver<T>) {
        spsc::unbounded_async()
    }

    fn select4<T: Send + Unpin + 'static>() -> (Vec<impl Sender<T>>, impl SelectReceiver<T>) {
        let (senders, receivers): (Vec<_>, Vec<_>) =
            (0..CHANNELS).map(|_| spsc::unbounded_blocking()).unzip();
        (senders, Selected(receivers))
    }
}

/// Receivers that are selected over, by a selection that is made once.
struct Selected<T: Send + 'static>(Vec<Rx<spsc::List<T>>>);

impl<T: Send + Unpin + 'static> SelectReceiver<T> for Selected<T> {
    fn take(self, messages: u64, mut take: impl FnMut(T)) {
        let mut select = Select::new();
        self.0.iter().for_each(|receiver| select.add(receiver));
        for _ in 0..messages {
            let Ok(chosen) = select.select() else {
                return;
            };
            let receiver = self.0.iter().find(|&receiver| chosen == *receiver);
            let receiver = receiver.expect("it is one of them");
            let Ok(message) = receiver.read_select(chosen) else {
                return;
            };
            take(message);
        }
    }
}

impl<F: Flavor> Sender<F::Item> for Tx<F> {
    fn send(&mut self, message: F::Item) -> bool {
        Tx::send(self, message).is_ok()
    }
}

impl<F: Flavor + FlavorMP> Sender<F::Item> for MTx<F> {
    fn send(&mut self, message: F::Item) -> bool {
        Tx::send(self, message).is_ok()
    }
}

impl<F: Flavor> Receiver<F::Item> for Rx<F> {
    fn recv(&mut self) -> Option<F::Item> {
        Rx::recv(self).ok()
    }
}

impl<F: Flavor + FlavorMC> Receiver<F::Item> for MRx<F> {
    fn recv(&mut self) -> Option<F::Item> {
        Rx::recv(self).ok()
    }
}

impl<F: Flavor> BatchReceiver<F::Item> for Rx<F> {
    fn recv_many(&mut self, batch: &mut Vec<F::Item>, most: usize) {
        let Some(first) = self.recv() else {
            return;
        };
        batch.push(first);
        let present = iter::from_fn(|| self.try_recv().ok());
        fill_up(batch, most, present);
    }
}

impl<T: Send + 'static> OnceSender<T> for TxOneshot<T> {
    fn send_once(self, message: T) -> bool {
        let is_heard = !self.is_disconnected();
        self.send(message);
        is_heard
    }
}

impl<T: Send + 'static> OnceReceiver<T> for RxOneshot<T> {
    fn recv_once(self) -> Option<T> {
        self.recv().ok()
    }
}

/// Without a bound, a send has nothing to wait for.
impl<F: Flavor<Item: Send>> AsyncSender<F::Item> for Tx<F> {
    async fn send_async(&mut self, message: F::Item) -> bool {
        Tx::send(self, message).is_ok()
    }
}

impl<F: Flavor> AsyncReceiver<F::Item> for AsyncRx<F> {
    async fn recv_async(&mut self) -> Option<F::Item> {
        AsyncRx::recv(self).await.ok()
    }
}
