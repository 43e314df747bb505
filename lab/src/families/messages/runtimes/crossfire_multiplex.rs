//! A `Multiplex` of crossfire, where others select.

use ::crossfire::Tx;
use ::crossfire::select::{Multiplex, Mux};
use ::crossfire::spsc::List;

use crate::families::messages::channel::{Receiver, SelectReceiver, Sender};
use crate::families::messages::select::{AsOne, CHANNELS};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `crossfire-multiplex`.
#[derive(Debug)]
pub struct CrossfireMultiplex;

impl MessageRuntime for CrossfireMultiplex {
    const CARD: RuntimeCard = RuntimeCard {
        name: "crossfire-multiplex",
        about: "`crossfire::select::Multiplex`, which owns the receivers",
        package: Some("crossfire"),
        role: Role::Peer,
        rank: 33,
        scheduler: "list of blocks; spins, then parks",
        parallel: true,
        colour: (220, 130, 170),
    };

    const KINDS: &'static [ChannelKind] = &[ChannelKind::Select4];

    fn select4<T: Send + Unpin + 'static>() -> (Vec<impl Sender<T>>, impl SelectReceiver<T>) {
        let mut all = Multiplex::<List<T>>::new();
        let senders: Vec<Tx<Mux<List<T>>>> = (0..CHANNELS).map(|_| all.new_tx()).collect();
        (senders, AsOne(Multiplexed(all)))
    }
}

struct Multiplexed<T: Send + Unpin + 'static>(Multiplex<List<T>>);

impl<T: Send + Unpin + 'static> Receiver<T> for Multiplexed<T> {
    fn recv(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}
