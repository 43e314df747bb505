//! The channel of the package `oneshot`.

use ::oneshot::channel;

use crate::families::messages::channel::{OnceReceiver, OnceSender};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `oneshot`.
#[derive(Debug)]
pub struct Oneshot;

impl MessageRuntime for Oneshot {
    const CARD: RuntimeCard = RuntimeCard {
        name: "oneshot",
        about: "the package `oneshot`: `channel`, for one message",
        package: Some("oneshot"),
        role: Role::Peer,
        rank: 28,
        scheduler: "one word; parks",
        parallel: true,
        colour: (190, 90, 110),
    };

    const KINDS: &'static [ChannelKind] = &[ChannelKind::Oneshot];

    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        channel()
    }
}

impl<T: Send + 'static> OnceSender<T> for oneshot::Sender<T> {
    fn send_once(self, message: T) -> bool {
        self.send(message).is_ok()
    }
}

impl<T: Send + 'static> OnceReceiver<T> for oneshot::Receiver<T> {
    fn recv_once(self) -> Option<T> {
        self.recv().ok()
    }
}
