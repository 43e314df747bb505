//! The ports of a set, by place and by key.
//!
//! A port that has nothing takes 24 bytes here, 16 for its node, and some 10 for its key.

use std::sync::Arc;

use super::PortKey;
use super::key_index::KeyIndex;
use super::node_block::{NODES, NodeBlock};
use super::ready_list::ReadyList;
use crate::channel::spsc::{Receiver, StoredReceiver};
use crate::wait::WakeFlag;

/// All ports of a set.
pub(super) struct PortTable<T: Send> {
    ready: Arc<ReadyList>,
    /// By place. Places of ports that are gone are used again.
    ports: Vec<Option<Port<T>>>,
    vacant: Vec<usize>,
    keys: KeyIndex,
    /// The nodes of the places.
    nodes: Vec<Arc<NodeBlock>>,
}

/// A receiver in the set.
pub(super) struct Port<T: Send> {
    pub(super) key: PortKey,
    pub(super) receiver: StoredReceiver<T>,
    /// Visits in vain.
    pub(super) visits: u32,
    /// It is among those that may have messages.
    pub(super) is_held: bool,
    /// The lane may have the waker.
    is_listening: bool,
}

impl<T: Send> PortTable<T> {
    /// A table with ports that come to this list.
    pub(super) fn new(ready: Arc<ReadyList>) -> Self {
        PortTable {
            ready,
            ports: Vec::new(),
            vacant: Vec::new(),
            keys: KeyIndex::new(),
            nodes: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a port, which is held. Returns its place.
    pub(super) fn add(&mut self, key: PortKey, receiver: Receiver<T>) -> usize {
        let place = self.vacant.pop().unwrap_or(self.ports.len());
        if place == self.ports.len() {
            self.add_place();
        }
        self.ports[place] = Some(Port {
            key,
            receiver: StoredReceiver::from(receiver),
            visits: 0,
            is_held: true,
            is_listening: false,
        });
        self.keys.insert(key, place, key_at(&self.ports));
        place
    }

    fn add_place(&mut self) {
        let place = self.ports.len();
        if place == self.ports.capacity() {
            // Not twice as many, as by default: most of the table would be free memory then.
            self.ports.reserve_exact(16 + place / 8);
        }
        self.ports.push(None);
        if place.is_multiple_of(NODES) {
            let ready = Arc::clone(&self.ready);
            self.nodes.push(NodeBlock::new(ready, place));
        }
    }

    /// The place of a port.
    pub(super) fn place(&self, key: PortKey) -> Option<usize> {
        self.keys.find(key, key_at(&self.ports))
    }

    pub(super) fn contains(&self, key: PortKey) -> bool {
        self.place(key).is_some()
    }

    /// The port at a place.
    pub(super) fn get(&self, place: usize) -> Option<&Port<T>> {
        self.ports[place].as_ref()
    }

    /// The port at a place.
    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut Port<T>> {
        self.ports[place].as_mut()
    }

    /// The port of an entry among those that are held, unless that is stale.
    #[inline]
    pub(super) fn live(&mut self, (key, place): (PortKey, usize)) -> Option<&mut Port<T>> {
        self.get_mut(place).filter(|port| port.key == key)
    }

    /// All ports, with their places.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (usize, &mut Port<T>)> {
        let places = self.ports.iter_mut().enumerate();
        places.filter_map(|(place, port)| Some((place, port.as_mut()?)))
    }

    /// All ports are about to be closed: runs one barrier for all ports with lazy senders. Each
    /// would run its own otherwise.
    pub(super) fn rouse(&mut self) {
        WakeFlag::rouse_all(self.iter_mut().map(|(_, port)| port.receiver.messages()));
    }

    /// Has the node of a port woken by what comes next. To be followed by
    /// [`settle`](crate::wait::settle) if this says so, and then by a look: once for `ports` of
    /// them, about.
    pub(super) fn listen(&mut self, entry: (PortKey, usize), ports: usize) -> bool {
        let (key, place) = entry;
        let Some(port) = self.ports[place].as_mut().filter(|port| port.key == key) else {
            return false;
        };
        self.nodes[place / NODES].with_waker(place % NODES, |waker| {
            port.receiver.listen(waker, &mut port.is_listening, ports)
        })
    }

    /// Takes the port at a place out.
    pub(super) fn remove(&mut self, place: usize) -> Option<Receiver<T>> {
        let key = self.get(place)?.key;
        self.keys.remove(key, key_at(&self.ports));
        let mut port = self.ports[place].take()?;
        self.vacant.push(place);
        port.unlisten();
        Some(port.receiver.into_receiver())
    }
}

impl<T: Send> Port<T> {
    /// Listens no more.
    pub(super) fn unlisten(&mut self) {
        self.receiver.unlisten(&mut self.is_listening);
    }
}

/// Says which port is at a place that is in the index.
fn key_at<T: Send>(ports: &[Option<Port<T>>]) -> impl Fn(usize) -> PortKey {
    |place| ports[place].as_ref().expect("the index has it").key
}
