//! A port set of drumline, where others select, or have one channel for many senders.

use ::drumline::channel::{PortSet, oneshot, spsc};

use crate::families::messages::channel::{
    OnceReceiver, OnceSender, Receiver, SelectReceiver, Sender,
};
use crate::families::messages::select::{AsOne, CHANNELS};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `drumline-port-set`.
#[derive(Debug)]
pub struct DrumlinePortSet;

impl MessageRuntime for DrumlinePortSet {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-port-set",
        about: "this repository: `channel::PortSet` of `spsc`, where others select or clone \
                a sender",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 13,
        scheduler: "lanes that queue themselves; watches, then parks",
        parallel: true,
        colour: (240, 170, 130),
    };

    const KINDS: &'static [ChannelKind] = &[
        ChannelKind::Mpsc,
        ChannelKind::Oneshot,
        ChannelKind::Select4,
    ];

    fn mpsc<T: Send + Unpin + 'static>(senders: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        ports(senders)
    }

    // For the reply of a server.
    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        oneshot::channel()
    }

    fn select4<T: Send + Unpin + 'static>() -> (Vec<impl Sender<T>>, impl SelectReceiver<T>) {
        let (senders, set) = ports(CHANNELS);
        (senders, AsOne(set))
    }
}

/// A channel for each sender, and all of their receivers.
pub fn ports<T: Send + 'static>(senders: usize) -> (Vec<spsc::Sender<T>>, PortSet<T>) {
    let mut set = PortSet::new();
    let senders = (0..senders).map(|_| {
        let (sender, receiver) = spsc::unbounded();
        set.add(receiver);
        sender
    });
    (senders.collect(), set)
}
