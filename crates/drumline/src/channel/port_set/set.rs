//! The set: its ports, and what it takes from them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::OnceLock;
use std::task::Waker;

use super::adder::{AddQueue, PortAdder};
use super::held::HeldPorts;
use super::ready_list::{ReadyList, ReadyNode};
use super::{PortEvent, PortKey};
use crate::channel::lane::Nothing;
use crate::channel::{CloseReason, TryRecvError, spsc};
use crate::sync::Arc;
use crate::wait::{Interrupt, WaiterEntry, WakeFlag};

/// The set takes at most this many messages from a port before it turns to the next one.
const IN_A_ROW: u32 = 64;
/// A port whose sender is lazy is listened to only after this many visits in vain: it costs a
/// barrier.
const VISITS: u32 = 64;

/// Receivers as one; see the [module](super).
pub struct PortSet<T: Send> {
    ready: std::sync::Arc<ReadyList>,
    added: Arc<AddQueue<T>>,
    /// By place. Places of ports that are gone are used again.
    ports: Vec<Option<Port<T>>>,
    vacant: Vec<usize>,
    places: HashMap<PortKey, usize>,
    held: HeldPorts,
    /// Messages in a row from the first port that is held.
    in_a_row: u32,
    /// The gravest reason for which a port was closed.
    ended: CloseReason,
    pub(super) entry: WaiterEntry,
    /// Made when a stream first takes from it.
    interrupt: OnceLock<std::sync::Arc<Interrupt>>,
}

/// A receiver in the set.
struct Port<T: Send> {
    key: PortKey,
    receiver: spsc::Receiver<T>,
    node: std::sync::Arc<ReadyNode>,
    /// The node as a waker, as long as the lane has none.
    waker: Waker,
    /// The lane may have the waker.
    is_listening: bool,
    /// It is among those that may have messages.
    is_held: bool,
    /// Visits in vain.
    visits: u32,
}

impl<T: Send> PortSet<T> {
    /// A set without ports, in which each port has its turn.
    #[must_use]
    pub fn new() -> Self {
        Self::with(HeldPorts::Fair(Default::default()))
    }

    /// A set without ports, in which the port that was added first comes first.
    ///
    /// A port gets nothing while those before it have messages.
    ///
    /// ```
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::biased();
    /// let (mut urgent, first) = spsc::unbounded();
    /// let (mut other, second) = spsc::unbounded();
    /// let _keys = (set.add(first), set.add(second));
    /// other.send(1).unwrap();
    /// other.send(2).unwrap();
    /// assert_eq!(set.recv().unwrap().into_message(), Some(1));
    /// urgent.send(0).unwrap();
    /// assert_eq!(set.recv().unwrap().into_message(), Some(0));
    /// assert_eq!(set.recv().unwrap().into_message(), Some(2));
    /// ```
    #[must_use]
    pub fn biased() -> Self {
        Self::with(HeldPorts::Biased(BTreeMap::new()))
    }

    fn with(held: HeldPorts) -> Self {
        let ready = ReadyList::new();
        PortSet {
            added: Arc::new(AddQueue::new(std::sync::Arc::clone(&ready))),
            ready,
            ports: Vec::new(),
            vacant: Vec::new(),
            places: HashMap::new(),
            held,
            in_a_row: 0,
            ended: CloseReason::Finished,
            entry: WaiterEntry::new(),
            interrupt: OnceLock::new(),
        }
    }

    /// Adds a port. What is in its lane already is received as well.
    pub fn add(&mut self, receiver: spsc::Receiver<T>) -> PortKey {
        let key = self.added.next_key();
        self.install(key, receiver);
        key
    }

    /// What adds ports to this set from other threads.
    pub fn adder(&self) -> PortAdder<T> {
        PortAdder::new(&self.added)
    }

    fn install(&mut self, key: PortKey, receiver: spsc::Receiver<T>) {
        let place = self.vacant.pop().unwrap_or(self.ports.len());
        let node = ReadyNode::new(std::sync::Arc::clone(&self.ready), place);
        let port = Some(Port {
            key,
            receiver,
            waker: Waker::from(std::sync::Arc::clone(&node)),
            node,
            is_listening: false,
            is_held: true,
            visits: 0,
        });
        match self.ports.get_mut(place) {
            Some(vacant) => *vacant = port,
            None => self.ports.push(port),
        }
        self.places.insert(key, place);
        self.held.push(key, place);
    }

    /// Takes a port out of the set. What is in its lane stays there. `None`: it is not in the set,
    /// because it was closed, or taken out before.
    ///
    /// Takes time in proportion to the ports that have messages, unless the set is biased.
    pub fn remove(&mut self, port: PortKey) -> Option<spsc::Receiver<T>> {
        self.catch_up();
        let place = *self.places.get(&port)?;
        if self.ports[place].as_ref()?.is_held {
            if self.held.first() == Some(place) {
                self.in_a_row = 0;
            }
            self.held.remove(port);
        }
        self.take_out(place)
    }

    /// Takes the port at this place out, which is not held.
    fn take_out(&mut self, place: usize) -> Option<spsc::Receiver<T>> {
        let mut port = self.ports[place].take()?;
        self.places.remove(&port.key);
        self.vacant.push(place);
        port.receiver.unlisten(&mut port.is_listening);
        Some(port.receiver)
    }

    /// How many ports there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no port.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether this port is in the set.
    pub fn contains(&self, port: PortKey) -> bool {
        self.places.contains_key(&port)
    }

    /// Wants no more messages: closes all ports. Each send to one of them fails from now on. What
    /// was sent before can still be received, and so can the ends of the ports.
    pub fn close(&mut self) {
        self.catch_up();
        for port in self.ports.iter_mut().flatten() {
            port.receiver.close();
            port.receiver.unlisten(&mut port.is_listening);
            if !std::mem::replace(&mut port.is_held, true) {
                self.held.push(port.key, port.node.place());
            }
        }
    }

    /// Puts what has come where it is looked at.
    #[inline]
    fn catch_up(&mut self) {
        if !self.ready.is_empty() {
            self.take_ready();
        }
        if self.added.has_some() {
            self.take_added();
        }
    }

    #[cold]
    fn take_added(&mut self) {
        for (key, receiver) in self.added.take() {
            self.install(key, receiver);
        }
    }

    fn take_ready(&mut self) {
        let PortSet {
            ready, ports, held, ..
        } = self;
        let mut arrived = Vec::new();
        ready.take(|node| arrived.push(node));
        // The one that came first is the last.
        for node in arrived.into_iter().rev() {
            let place = node.place();
            let port = ports[place].as_mut();
            // Another port may have its place by now.
            if let Some(port) = port
                && std::sync::Arc::ptr_eq(&port.node, &node)
                && !std::mem::replace(&mut port.is_held, true)
            {
                port.visits = 0;
                held.push(port.key, place);
            }
        }
    }

    /// Takes what there is.
    #[inline]
    pub(super) fn take(&mut self) -> Result<PortEvent<T>, Nothing> {
        if self.in_a_row < IN_A_ROW
            && self.held.is_fair()
            && let Some(place) = self.held.first()
            && let Some(port) = &mut self.ports[place]
            && let Ok(message) = port.receiver.pop()
        {
            self.in_a_row += 1;
            port.visits = 0;
            return Ok(PortEvent::Message(port.key, message));
        }
        self.take_from_next()
    }

    /// Turns to the next port that has something.
    #[cold]
    fn take_from_next(&mut self) -> Result<PortEvent<T>, Nothing> {
        // First: what they have added is there.
        let has_adders = self.added.has_adders();
        self.in_a_row = 0;
        let had_its_turn = self.held.len().min(1);
        self.catch_up();
        if had_its_turn > 0 {
            // Behind those that wait for their turn, also those that have come just now.
            self.held.turn();
        }
        let mut left = self.held.len();
        while let Some(place) = self.held.first() {
            let port = self.ports[place].as_mut().expect("it is held");
            match port.receiver.pop() {
                Ok(message) => {
                    self.in_a_row = 1;
                    port.visits = 0;
                    return Ok(PortEvent::Message(port.key, message));
                }
                Err(Nothing::Ever(reason)) => {
                    let key = port.key;
                    self.held.pop();
                    drop(self.take_out(place));
                    if reason.code() > self.ended.code() {
                        self.ended = reason;
                    }
                    return Ok(PortEvent::Closed(key, reason));
                }
                Err(Nothing::Yet) => {
                    port.visits += 1;
                    let is_lazy = self.held.is_fair() && port.receiver.is_sender_lazy();
                    if is_lazy && port.visits <= VISITS {
                        self.held.turn();
                    } else if !port.listen() {
                        self.held.pop();
                    }
                    // It may have got a message meanwhile, and is looked at once more then.
                }
            }
            left = left.saturating_sub(1);
            if left == 0 && self.held.is_fair() {
                break;
            }
        }
        if self.is_empty() && !has_adders && !self.added.has_some() {
            return Err(Nothing::Ever(self.ended));
        }
        Err(Nothing::Yet)
    }

    /// Whether there is something to take, or will never be.
    pub(super) fn is_ready(&mut self) -> bool {
        self.is_called()
            || self.held.places().any(|place| {
                let port = self.ports[place].as_mut();
                port.is_some_and(|port| port.receiver.is_ready())
            })
    }

    fn is_called(&self) -> bool {
        self.calls().is_called()
    }

    fn calls(&self) -> SetCalls<'_, T> {
        SetCalls {
            ready: &self.ready,
            added: &self.added,
            is_empty: self.is_empty(),
        }
    }

    /// What calls a set that waits, and the entry in the table of waiters.
    pub(super) fn entry_and_calls(&mut self) -> (&mut WaiterEntry, SetCalls<'_, T>) {
        let is_empty = self.is_empty();
        let calls = SetCalls {
            ready: &self.ready,
            added: &self.added,
            is_empty,
        };
        (&mut self.entry, calls)
    }

    /// Listens to all ports, before it waits. Whether it may wait: nothing is to be seen.
    pub(super) fn listen_to_all(&mut self) -> bool {
        for place in self.held.places() {
            let port = self.ports[place].as_mut().expect("it is held");
            if port.receiver.is_ready() || port.listen_for_later() {
                return false;
            }
        }
        for place in self.held.places() {
            self.ports[place].as_mut().expect("it is held").is_held = false;
        }
        self.held.clear();
        !self.is_called()
    }

    pub(super) fn ready_list(&self) -> &std::sync::Arc<ReadyList> {
        &self.ready
    }

    /// What ends the wait of a stream.
    pub(in crate::channel) fn interrupt(&self) -> &std::sync::Arc<Interrupt> {
        self.interrupt.get_or_init(Interrupt::new)
    }

    /// Why no more messages come, once all were received.
    pub(in crate::channel) fn end_reason(&self) -> Option<CloseReason> {
        let has_adders = self.added.has_adders();
        (self.is_empty() && !has_adders && !self.added.has_some()).then_some(self.ended)
    }

    /// About how many messages there are in some of the ports.
    pub(in crate::channel) fn count_near(&self) -> usize {
        let ports = self.held.places().take(16);
        let ports = ports.filter_map(|place| self.ports[place].as_ref());
        let count: usize = ports.map(|port| port.receiver.len()).sum();
        count + usize::from(!self.ready.is_empty())
    }

    /// Receives what is there now.
    ///
    /// # Errors
    ///
    /// If there is nothing now, and if there never will be: there is no port, and no
    /// [`PortAdder`]. Its reason is the gravest of those for which a port was closed.
    #[inline]
    pub fn try_recv(&mut self) -> Result<PortEvent<T>, TryRecvError> {
        self.take().map_err(TryRecvError::from)
    }
}

/// What calls a set that listens to all of its ports.
pub(super) struct SetCalls<'a, T: Send> {
    ready: &'a ReadyList,
    added: &'a AddQueue<T>,
    is_empty: bool,
}

impl<T: Send> SetCalls<'_, T> {
    /// Where the set waits.
    pub(super) fn arrivals(&self) -> &WakeFlag {
        self.ready.arrivals()
    }

    /// Whether there is something to do.
    pub(super) fn is_called(&self) -> bool {
        // The adders first: what the last of them has added is there.
        let is_over = self.is_empty && !self.added.has_adders();
        !self.ready.is_empty() || is_over || self.added.has_some()
    }
}

impl<T: Send> Port<T> {
    /// Has the node woken by what comes next. `true`: something has come by now.
    fn listen(&mut self) -> bool {
        let is_ready = self.listen_for_later();
        self.is_held = is_ready;
        is_ready
    }

    /// As [`listen`](Self::listen). The caller sees to it that it is held no more.
    fn listen_for_later(&mut self) -> bool {
        self.receiver.listen(&self.waker, &mut self.is_listening)
    }
}

impl<T: Send> Default for PortSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Send> Drop for PortSet<T> {
    fn drop(&mut self) {
        // The receivers close their lanes. Their wakers have nowhere to go any more.
        self.ready.close();
        drop(self.added.close());
    }
}

impl<T: Send> fmt::Debug for PortSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PortSet")
            .field("ports", &self.len())
            .field("is_biased", &!self.held.is_fair())
            .finish_non_exhaustive()
    }
}
