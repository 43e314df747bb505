//! The channels of the standard library.

use std::sync::mpsc;

use crate::families::messages::channel::{
    BatchReceiver, OnceReceiver, OnceSender, Receiver, Sender, copies, fill_up,
};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `std::sync::mpsc`.
#[derive(Debug)]
pub struct StdMpsc;

impl MessageRuntime for StdMpsc {
    const CARD: RuntimeCard = RuntimeCard {
        name: "std-mpsc",
        about: "`std::sync::mpsc`: `channel`, `sync_channel`",
        package: None,
        role: Role::Peer,
        rank: 20,
        scheduler: "list of blocks, or ring buffer; spins, then parks",
        parallel: true,
        colour: (47, 111, 176),
    };

    const KINDS: &'static [ChannelKind] = &[
        ChannelKind::Spsc,
        ChannelKind::SpscBounded,
        ChannelKind::SpscBatch,
        ChannelKind::Mpsc,
        ChannelKind::MpscBounded,
        ChannelKind::Oneshot,
        ChannelKind::Dialogue,
    ];

    fn spsc<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl Receiver<T>) {
        mpsc::channel()
    }

    fn spsc_bounded<T: Send + Unpin + 'static>(bound: usize) -> (impl Sender<T>, impl Receiver<T>) {
        mpsc::sync_channel(bound)
    }

    fn spsc_batch<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl BatchReceiver<T>) {
        mpsc::channel()
    }

    fn mpsc<T: Send + Unpin + 'static>(senders: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = mpsc::channel();
        (copies(sender, senders), receiver)
    }

    fn mpsc_bounded<T: Send + Unpin + 'static>(
        senders: usize,
        bound: usize,
    ) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = mpsc::sync_channel(bound);
        (copies(sender, senders), receiver)
    }

    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        mpsc::sync_channel(1)
    }
}

impl<T: Send + 'static> Sender<T> for mpsc::Sender<T> {
    fn send(&mut self, message: T) -> bool {
        mpsc::Sender::send(self, message).is_ok()
    }
}

impl<T: Send + 'static> Sender<T> for mpsc::SyncSender<T> {
    fn send(&mut self, message: T) -> bool {
        mpsc::SyncSender::send(self, message).is_ok()
    }
}

impl<T: Send + 'static> Receiver<T> for mpsc::Receiver<T> {
    fn recv(&mut self) -> Option<T> {
        mpsc::Receiver::recv(self).ok()
    }
}

impl<T: Send + 'static> BatchReceiver<T> for mpsc::Receiver<T> {
    fn recv_many(&mut self, batch: &mut Vec<T>, most: usize) {
        let Some(first) = self.recv() else {
            return;
        };
        batch.push(first);
        fill_up(batch, most, self.try_iter());
    }
}

impl<T: Send + 'static> OnceSender<T> for mpsc::SyncSender<T> {
    fn send_once(self, message: T) -> bool {
        self.send(message).is_ok()
    }
}

impl<T: Send + 'static> OnceReceiver<T> for mpsc::Receiver<T> {
    fn recv_once(self) -> Option<T> {
        self.recv().ok()
    }
}
