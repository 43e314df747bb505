//! The channels of crossbeam.

use std::mem::ManuallyDrop;

use ::crossbeam_channel::{Select, bounded, unbounded};

use crate::families::messages::channel::{
    BatchReceiver, OnceReceiver, OnceSender, Receiver, SelectReceiver, Sender, copies, fill_up,
};
use crate::families::messages::select::{AsOne, CHANNELS};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `crossbeam_channel`.
#[derive(Debug)]
pub struct Crossbeam;

impl MessageRuntime for Crossbeam {
    const CARD: RuntimeCard = RuntimeCard {
        name: "crossbeam",
        about: "`crossbeam_channel`: `unbounded`, `bounded`, `Select`",
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
        ChannelKind::Ports,
        ChannelKind::Dialogue,
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

    fn ports<T: Send + Unpin + 'static>(ports: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..ports).map(|_| unbounded()).unzip();
        (senders, Selected::new(receivers))
    }

    fn select4<T: Send + Unpin + 'static>() -> (Vec<impl Sender<T>>, impl SelectReceiver<T>) {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..CHANNELS).map(|_| unbounded()).unzip();
        (senders, AsOne(Selected::new(receivers)))
    }
}

/// Receivers, and the selection among them, which is made once.
struct Selected<T: 'static> {
    /// Refers to the receivers.
    select: ManuallyDrop<Select<'static>>,
    receivers: *mut [crossbeam_channel::Receiver<T>],
}

// SAFETY: it owns the receivers, which may go to another thread, and nothing but this refers to
// them.
unsafe impl<T: Send> Send for Selected<T> {}

impl<T> Selected<T> {
    fn new(receivers: Vec<crossbeam_channel::Receiver<T>>) -> Self {
        let receivers = Box::into_raw(receivers.into_boxed_slice());
        let mut select = Select::new();
        // SAFETY: they stay until the selection is gone.
        for receiver in unsafe { &*receivers } {
            select.recv(receiver);
        }
        Self {
            select: ManuallyDrop::new(select),
            receivers,
        }
    }
}

impl<T> Drop for Selected<T> {
    fn drop(&mut self) {
        // SAFETY: once, and before what it refers to.
        unsafe { ManuallyDrop::drop(&mut self.select) };
        // SAFETY: made of a box, and nothing refers to it any more.
        drop(unsafe { Box::from_raw(self.receivers) });
    }
}

impl<T: Send + 'static> Receiver<T> for Selected<T> {
    fn recv(&mut self) -> Option<T> {
        let chosen = self.select.select();
        // SAFETY: they are alive.
        let receivers = unsafe { &*self.receivers };
        let receiver = &receivers[chosen.index()];
        chosen.recv(receiver).ok()
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
