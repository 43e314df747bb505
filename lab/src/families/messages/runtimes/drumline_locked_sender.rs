//! The only sender of a lane of drumline, which all clients share behind a lock.

use std::sync::{Arc, Mutex, PoisonError};

use ::drumline::channel::{oneshot, spsc};

use crate::families::messages::channel::{OnceReceiver, OnceSender, Receiver, Sender, copies};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `drumline-locked-sender`.
#[derive(Debug)]
pub struct DrumlineLockedSender;

impl MessageRuntime for DrumlineLockedSender {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-locked-sender",
        about: "this repository: all clients share one `Arc<Mutex<channel::spsc::Sender>>`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 14,
        scheduler: "a lock around the sender of a lane",
        parallel: true,
        colour: (206, 190, 184),
    };

    const KINDS: &'static [ChannelKind] = &[ChannelKind::Mpsc, ChannelKind::Oneshot];

    fn mpsc<T: Send + Unpin + 'static>(senders: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = spsc::unbounded();
        (copies(Arc::new(Mutex::new(sender)), senders), receiver)
    }

    // For the reply of a server.
    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        oneshot::channel()
    }
}

impl<T: Send + 'static> Sender<T> for Arc<Mutex<spsc::Sender<T>>> {
    fn send(&mut self, message: T) -> bool {
        let mut sender = self.lock().unwrap_or_else(PoisonError::into_inner);
        sender.send(message).is_ok()
    }
}
