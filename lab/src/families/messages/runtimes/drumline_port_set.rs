//! A port set of drumline, where others select.

use ::drumline::channel::{PortSet, spsc};

use crate::families::messages::channel::{SelectReceiver, Sender};
use crate::families::messages::select::{AsOne, CHANNELS};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `drumline-port-set`.
#[derive(Debug)]
pub struct DrumlinePortSet;

impl MessageRuntime for DrumlinePortSet {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-port-set",
        about: "this repository: `channel::PortSet` of `spsc`, where others select",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 13,
        scheduler: "lanes that queue themselves; watches, then parks",
        parallel: true,
        colour: (240, 170, 130),
    };

    const KINDS: &'static [ChannelKind] = &[ChannelKind::Select4];

    fn select4<T: Send + Unpin + 'static>() -> (Vec<impl Sender<T>>, impl SelectReceiver<T>) {
        let mut set = PortSet::new();
        let senders = (0..CHANNELS).map(|_| {
            let (sender, receiver) = spsc::unbounded();
            set.add(receiver);
            sender
        });
        (senders.collect::<Vec<_>>(), AsOne(set))
    }
}
