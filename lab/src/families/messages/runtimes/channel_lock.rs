//! Channels by hand, with a lock each.

use crate::families::messages::channel::{
    AsyncReceiver, AsyncSender, BatchReceiver, OnceReceiver, OnceSender, Receiver, Sender, copies,
};
use crate::families::messages::lock::OwnLock;
use crate::families::messages::locked::{bounded, unbounded};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A lock per channel.
#[derive(Debug)]
pub struct ChannelLock;

impl MessageRuntime for ChannelLock {
    const CARD: RuntimeCard = RuntimeCard {
        name: "channel-lock",
        about: "by hand: `VecDeque`, `Mutex` and `Condvar`, a lock per channel; tasks on tokio",
        package: None,
        role: Role::Peer,
        rank: 30,
        scheduler: "queue behind a lock; parks",
        parallel: true,
        colour: (122, 128, 138),
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
        unbounded::<_, OwnLock<_>>()
    }

    fn spsc_bounded<T: Send + Unpin + 'static>(bound: usize) -> (impl Sender<T>, impl Receiver<T>) {
        bounded::<_, OwnLock<_>>(bound)
    }

    fn spsc_batch<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl BatchReceiver<T>) {
        unbounded::<_, OwnLock<_>>()
    }

    fn mpsc<T: Send + Unpin + 'static>(senders: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = unbounded::<_, OwnLock<_>>();
        (copies(sender, senders), receiver)
    }

    fn mpsc_bounded<T: Send + Unpin + 'static>(
        senders: usize,
        bound: usize,
    ) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = bounded::<_, OwnLock<_>>(bound);
        (copies(sender, senders), receiver)
    }

    fn mpmc_bounded<T: Send + Unpin + 'static>(
        senders: usize,
        receivers: usize,
        bound: usize,
    ) -> (Vec<impl Sender<T>>, Vec<impl Receiver<T>>) {
        let (sender, receiver) = bounded::<_, OwnLock<_>>(bound);
        (copies(sender, senders), copies(receiver, receivers))
    }

    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        bounded::<_, OwnLock<_>>(1)
    }

    fn spsc_async<T: Send + Unpin + 'static>() -> (impl AsyncSender<T>, impl AsyncReceiver<T>) {
        unbounded::<_, OwnLock<_>>()
    }
}
