//! The channel of drumline with a lane per sender.

use ::drumline::channel::{lanes, oneshot};

use crate::families::messages::channel::{OnceReceiver, OnceSender, Receiver, Sender, copies};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `drumline-lanes`.
#[derive(Debug)]
pub struct DrumlineLanes;

impl MessageRuntime for DrumlineLanes {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-lanes",
        about: "this repository: `channel::lanes`, which keeps the order of each sender only",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 11,
        scheduler: "lane per sender; watches, then parks",
        parallel: true,
        colour: (232, 140, 90),
    };

    const KINDS: &'static [ChannelKind] =
        &[ChannelKind::Mpsc, ChannelKind::Oneshot, ChannelKind::Ports];

    fn mpsc<T: Send + Unpin + 'static>(senders: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = lanes::unbounded();
        (copies(sender, senders), receiver)
    }

    fn ports<T: Send + Unpin + 'static>(ports: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = lanes::unbounded();
        (copies(sender, ports), receiver)
    }

    // For the reply of a server.
    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        oneshot::channel()
    }
}

impl<T: Send + 'static> Sender<T> for lanes::Sender<T> {
    fn send(&mut self, message: T) -> bool {
        lanes::Sender::send(self, message).is_ok()
    }
}

impl<T: Send + 'static> Receiver<T> for lanes::Receiver<T> {
    fn recv(&mut self) -> Option<T> {
        lanes::Receiver::recv(self).ok()
    }
}
