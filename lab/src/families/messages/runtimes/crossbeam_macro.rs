//! The macro `select!` of crossbeam.

use ::crossbeam_channel::{Receiver, select, unbounded};

use crate::families::messages::channel::{SelectReceiver, Sender, four};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `crossbeam-macro`.
#[derive(Debug)]
pub struct CrossbeamMacro;

impl MessageRuntime for CrossbeamMacro {
    const CARD: RuntimeCard = RuntimeCard {
        name: "crossbeam-macro",
        about: "`crossbeam_channel::select!`",
        package: Some("crossbeam-channel"),
        role: Role::Peer,
        rank: 31,
        scheduler: "list of blocks; spins, then parks",
        parallel: true,
        colour: (150, 130, 190),
    };

    const KINDS: &'static [ChannelKind] = &[ChannelKind::Select4];

    fn select4<T: Send + Unpin + 'static>() -> (Vec<impl Sender<T>>, impl SelectReceiver<T>) {
        let (senders, receivers) = four(unbounded);
        (senders, ByMacro(receivers))
    }
}

struct ByMacro<T: Send>([Receiver<T>; 4]);

impl<T: Send + 'static> SelectReceiver<T> for ByMacro<T> {
    fn take(self, messages: u64, mut take: impl FnMut(T)) {
        let [a, b, c, d] = self.0;
        for _ in 0..messages {
            let received = select! {
                recv(a) -> message => message,
                recv(b) -> message => message,
                recv(c) -> message => message,
                recv(d) -> message => message,
            };
            let Ok(message) = received else {
                return;
            };
            take(message);
        }
    }
}
