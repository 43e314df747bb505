//! One sender that all clients share, behind a lock.

use std::sync::{Arc, Mutex, PoisonError, mpsc};

use crate::families::messages::channel::{OnceReceiver, OnceSender, Receiver, Sender, copies};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A sender of the standard library behind a lock.
#[derive(Debug)]
pub struct LockedSender;

impl MessageRuntime for LockedSender {
    const CARD: RuntimeCard = RuntimeCard {
        name: "locked-sender",
        about: "all clients share one `Arc<Mutex<std::sync::mpsc::Sender>>`",
        package: None,
        role: Role::Peer,
        rank: 32,
        scheduler: "a lock around a sender",
        parallel: true,
        colour: (176, 181, 189),
    };

    const KINDS: &'static [ChannelKind] = &[ChannelKind::Mpsc, ChannelKind::Oneshot];

    fn mpsc<T: Send + Unpin + 'static>(senders: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        let (sender, receiver) = mpsc::channel();
        let sender = Arc::new(Mutex::new(sender));
        (copies(sender, senders), receiver)
    }

    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        mpsc::sync_channel(1)
    }
}

/// Every client has the same sender.
type SharedSender<T> = Arc<Mutex<mpsc::Sender<T>>>;

impl<T: Send + 'static> Sender<T> for SharedSender<T> {
    fn send(&mut self, message: T) -> bool {
        let sender = self.lock().unwrap_or_else(PoisonError::into_inner);
        mpsc::Sender::send(&sender, message).is_ok()
    }
}
