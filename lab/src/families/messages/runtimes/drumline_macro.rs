//! The macro `select!` of drumline.

use ::drumline::channel::select;
use ::drumline::channel::spsc::{Receiver, unbounded};

use crate::families::messages::channel::{SelectReceiver, Sender, four};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `drumline-macro`.
#[derive(Debug)]
pub struct DrumlineMacro;

impl MessageRuntime for DrumlineMacro {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-macro",
        about: "this repository: `channel::select!` over `spsc`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 12,
        scheduler: "lanes; watches, then parks",
        parallel: true,
        colour: (226, 110, 70),
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
        let [mut a, mut b, mut c, mut d] = self.0;
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
