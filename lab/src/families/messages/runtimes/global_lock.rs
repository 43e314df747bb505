//! Channels by hand, with one lock for all.

use crate::families::messages::channel::{
    AsyncReceiver, AsyncSender, BatchReceiver, OnceReceiver, OnceSender, Receiver, Sender, copies,
};
use crate::families::messages::lock::ProcessLock;
use crate::families::messages::locked::{bounded, unbounded};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// One lock for all channels.
#[derive(Debug)]
pub struct GlobalLock;

impl MessageRuntime for GlobalLock {
    const CARD: RuntimeCard = RuntimeCard {
        name: "global-lock",
        about: "by hand: `VecDeque` and `Condvar`, one `Mutex` for all channels; tasks on tokio",
        package: None,
        role: Role::Peer,
        rank: 31,
        scheduler: "queue behind a lock; parks",
        parallel: true,
        colour: (80, 86, 96),
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
        unbounded::<_, ProcessLock<_>>()
    }

    fn spsc_bounded<T: Send + Unpin + 'static>(bound: usize) -> (impl Sender<T>, impl Receiver<T>) {
        bounded::<_, ProcessLock<_>>(bound)
    }

    fn spsc_batch<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl BatchReceiver<T>) {
        unbounded::<_, ProcessLock<_>>()
    }

    fn mpsc<T: Send + Unpin + 'static>(senders: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = unbounded::<_, ProcessLock<_>>();
        (copies(sender, senders), receiver)
    }

    fn mpsc_bounded<T: Send + Unpin + 'static>(
        senders: usize,
        bound: usize,
    ) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = bounded::<_, ProcessLock<_>>(bound);
        (copies(sender, senders), receiver)
    }

    fn mpmc_bounded<T: Send + Unpin + 'static>(
        senders: usize,
        receivers: usize,
        bound: usize,
    ) -> (Vec<impl Sender<T>>, Vec<impl Receiver<T>>) {
        let (sender, receiver) = bounded::<_, ProcessLock<_>>(bound);
        (copies(sender, senders), copies(receiver, receivers))
    }

    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        bounded::<_, ProcessLock<_>>(1)
    }

    fn spsc_async<T: Send + Unpin + 'static>() -> (impl AsyncSender<T>, impl AsyncReceiver<T>) {
        unbounded::<_, ProcessLock<_>>()
    }
}
