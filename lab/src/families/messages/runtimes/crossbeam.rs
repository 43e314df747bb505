//! The channels of crossbeam.

use ::crossbeam_channel::{bounded, unbounded};

use crate::families::messages::channel::{
    BatchReceiver, OnceReceiver, OnceSender, Receiver, Sender, copies, fill_up,
};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `crossbeam_channel`.
#[derive(Debug)]
pub struct Crossbeam;

impl MessageRuntime for Crossbeam {
    const CARD: RuntimeCard = RuntimeCard {
        name: "crossbeam",
        about: "`crossbeam_channel`: `unbounded`, `bounded`",
        package: Some("crossbeam-channel"),
        role: Role::Peer,
        rank: 21,
        scheduler: "list of blocks, or ring buffer; spins, then parks",
        parallel: true,
        colour: (120, 94, 170),
    };

    const KINDS: &'static [ChannelKind] = &[
        ChannelKind::Spsc,
        ChannelKind::SpscBounded,
        ChannelKind::SpscBatch,
        ChannelKind::Mpsc,
        ChannelKind::MpscBounded,
        ChannelKind::MpmcBounded,
        ChannelKind::Oneshot,
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
}

impl<T: Send + 'static> Sender<T> for crossbeam_channel::Sender<T> {
    fn send(&mut self, message: T) -> bool {
        crossbeam_channel::Sender::send(self, message).is_ok()
    }
}

impl<T: Send + 'static> Receiver<T> for crossbeam_channel::Receiver<T> {
    fn recv(&mut self) -> Option<T> {
        crossbeam_channel::Receiver::recv(self).ok()
    }
}

impl<T: Send + 'static> BatchReceiver<T> for crossbeam_channel::Receiver<T> {
    fn recv_many(&mut self, batch: &mut Vec<T>, most: usize) {
        let Some(first) = self.recv() else {
            return;
        };
        batch.push(first);
        fill_up(batch, most, self.try_iter());
    }
}

impl<T: Send + 'static> OnceSender<T> for crossbeam_channel::Sender<T> {
    fn send_once(self, message: T) -> bool {
        crossbeam_channel::Sender::send(&self, message).is_ok()
    }
}

impl<T: Send + 'static> OnceReceiver<T> for crossbeam_channel::Receiver<T> {
    fn recv_once(self) -> Option<T> {
        crossbeam_channel::Receiver::recv(&self).ok()
    }
}
