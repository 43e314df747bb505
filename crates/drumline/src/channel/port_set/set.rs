//! The set: its ports, and what it takes from them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use super::adder::{AddQueue, PortAdder, next_key};
use super::held::{HeldPorts, KEPT};
use super::port_table::PortTable;
use super::ready_list::ReadyList;
use super::{PortEvent, PortKey};
use crate::channel::lane::Nothing;
use crate::channel::{CloseReason, TryRecvError, spsc};
use crate::sync::Arc;
use crate::wait::{Interrupt, WaiterEntry, WakeFlag, settle};

/// The set takes at most this many messages from a port before it turns to the next one.
const IN_A_ROW: u32 = 64;
/// The set listens to a port with a lazy sender only after this many visits in vain, because that
/// costs a barrier.
const VISITS: u32 = 64;
/// With fewer ports that may have messages, what they need stays in the caches: five lines each. A
/// receiver that prefetches then takes lines from the sender that it is close behind: 1,000 ports
/// take 17 ns a message, and 19 to 47 with that.
const MANY: usize = 4096;

/// Receivers as one; see the [module](super).
///
/// As the source of a [stream](crate::stream) it gives the messages of all ports, and passes over
/// the ends of ports.
///
/// ```
/// use drumline::channel::{PortEvent, PortSet, spsc};
///
/// let mut set = PortSet::new();
/// let (mut sender, receiver) = spsc::unbounded();
/// let port = set.add(receiver);
/// std::thread::spawn(move || sender.send("hello"));
/// assert_eq!(set.recv(), Ok(PortEvent::Message(port, "hello")));
/// ```
pub struct PortSet<T: Send> {
    ready: std::sync::Arc<ReadyList>,
    added: Arc<AddQueue<T>>,
    ports: PortTable<T>,
    held: HeldPorts,
    /// Those that are listened to in one visit; empty between two.
    listened: Vec<(PortKey, usize)>,
    /// The places of those that come from the list in one visit; empty between two.
    arrived: Vec<usize>,
    /// Messages in a row from the first port that is held.
    in_a_row: u32,
    /// The gravest reason for which a port was closed.
    ended: CloseReason,
    pub(super) entry: WaiterEntry,
    /// Made when a stream first takes from it.
    interrupt: OnceLock<std::sync::Arc<Interrupt>>,
}

impl<T: Send> PortSet<T> {
    /// A set without ports, in which each port has its turn.
    ///
    /// ```
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let (mut one, first) = spsc::unbounded();
    /// let (mut two, second) = spsc::unbounded();
    /// set.add(first);
    /// set.add(second);
    /// one.send(1).unwrap();
    /// two.send(2).unwrap();
    /// drop((one, two));
    /// let sum: u32 = set.iter().filter_map(|event| event.into_message()).sum();
    /// assert_eq!(sum, 3);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with(HeldPorts::fair())
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
            ports: PortTable::new(std::sync::Arc::clone(&ready)),
            ready,
            held,
            listened: Vec::new(),
            arrived: Vec::new(),
            in_a_row: 0,
            ended: CloseReason::Finished,
            entry: WaiterEntry::new(),
            interrupt: OnceLock::new(),
        }
    }

    /// Adds a port. What is in its lane already is received as well.
    ///
    /// ```
    /// use drumline::channel::{PortEvent, PortSet, spsc};
    ///
    /// let (mut sender, receiver) = spsc::unbounded();
    /// sender.send("before it was added").unwrap();
    /// let mut set = PortSet::new();
    /// let port = set.add(receiver);
    /// assert_eq!(set.recv(), Ok(PortEvent::Message(port, "before it was added")));
    /// ```
    pub fn add(&mut self, receiver: spsc::Receiver<T>) -> PortKey {
        let key = next_key();
        self.install(key, receiver);
        key
    }

    /// What adds ports to this set from other threads.
    ///
    /// ```
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let adder = set.adder();
    /// std::thread::spawn(move || {
    ///     let (mut sender, receiver) = spsc::unbounded();
    ///     adder.add(receiver).unwrap();
    ///     sender.send("hello").unwrap();
    /// });
    /// assert_eq!(set.recv().unwrap().into_message(), Some("hello"));
    /// ```
    #[must_use]
    pub fn adder(&self) -> PortAdder<T> {
        PortAdder::new(&self.added)
    }

    fn install(&mut self, key: PortKey, receiver: spsc::Receiver<T>) {
        let place = self.ports.add(key, receiver);
        self.held.push(key, place);
    }

    /// Takes a port out of the set. What is in its lane stays there. `None`: it is not in the set,
    /// because it was closed, or taken out before.
    ///
    /// ```
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let (mut sender, receiver) = spsc::unbounded();
    /// let port = set.add(receiver);
    /// sender.send("hello").unwrap();
    /// let mut receiver = set.remove(port).unwrap();
    /// assert_eq!(receiver.recv(), Ok("hello"));
    /// assert!(set.remove(port).is_none());
    /// ```
    pub fn remove(&mut self, port: PortKey) -> Option<spsc::Receiver<T>> {
        self.catch_up();
        let place = self.ports.place(port)?;
        let is_held = self.ports.get(place)?.is_held;
        let receiver = self.ports.remove(place);
        if is_held {
            self.in_a_row = 0;
            let ports = &self.ports;
            self.held.remove(port, |key| ports.contains(key));
        }
        receiver
    }

    /// How many ports there are, with those that others have added.
    ///
    /// ```
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::<u8>::new();
    /// let (_sender, receiver) = spsc::unbounded();
    /// set.add(receiver);
    /// assert_eq!(set.len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        let (added, _) = self.added.count_and_find(None);
        self.ports.len() + added
    }

    /// Whether there is no port.
    ///
    /// ```
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::<u8>::new();
    /// assert!(set.is_empty());
    /// let (_sender, receiver) = spsc::unbounded();
    /// set.add(receiver);
    /// assert!(!set.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether this port is in the set.
    ///
    /// ```
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::<u8>::new();
    /// let (_sender, receiver) = spsc::unbounded();
    /// let port = set.add(receiver);
    /// assert!(set.contains(port));
    /// set.remove(port);
    /// assert!(!set.contains(port));
    /// ```
    #[must_use]
    pub fn contains(&self, port: PortKey) -> bool {
        let is_added = || self.added.count_and_find(Some(port)).1;
        self.ports.contains(port) || is_added()
    }

    /// Wants no more messages: closes all ports. Each send to one of them fails from now on. What
    /// was sent before can still be received, and so can the ends of the ports.
    ///
    /// ```
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let (mut sender, receiver) = spsc::unbounded();
    /// set.add(receiver);
    /// sender.send("sent before").unwrap();
    /// set.close();
    /// assert!(sender.send("too late").is_err());
    /// assert_eq!(set.recv().unwrap().into_message(), Some("sent before"));
    /// ```
    pub fn close(&mut self) {
        self.catch_up();
        self.ports.rouse();
        for (place, port) in self.ports.iter_mut() {
            // Before the lane is closed, which would forget that it has a waker.
            port.unlisten();
            port.receiver.close();
            if !std::mem::replace(&mut port.is_held, true) {
                self.held.push(port.key, place);
            }
        }
    }

    /// Puts what has come where it is looked at.
    fn catch_up(&mut self) {
        self.take_ready();
        self.take_added();
    }

    fn take_added(&mut self) {
        if !self.added.has_some() {
            return;
        }
        for (key, receiver) in self.added.take() {
            self.install(key, receiver);
        }
    }

    fn take_ready(&mut self) {
        let PortSet {
            ready,
            ports,
            held,
            arrived,
            ..
        } = self;
        if ready.is_empty() {
            return;
        }
        ready.take(|place| arrived.push(place));
        // The one that came first is the last.
        for place in arrived.drain(..).rev() {
            // Another port may have its place by now. That is visited in vain then.
            if let Some(port) = ports.get_mut(place)
                && !std::mem::replace(&mut port.is_held, true)
            {
                port.visits = 0;
                held.push(port.key, place);
            }
        }
        if arrived.capacity() > KEPT {
            arrived.shrink_to(KEPT);
        }
    }

    /// Takes what there is.
    #[inline]
    pub(super) fn take(&mut self) -> Result<PortEvent<T>, Nothing> {
        if self.in_a_row < IN_A_ROW
            && self.held.is_fair()
            && let Some(event) = self.take_from_first()
        {
            return Ok(event);
        }
        self.take_from_next(true)
    }

    /// Takes a message from the port that has the turn.
    #[inline(always)]
    fn take_from_first(&mut self) -> Option<PortEvent<T>> {
        let port = self.ports.live(self.held.first()?)?;
        let message = port.receiver.pop_further()?;
        self.in_a_row += 1;
        port.visits = 0;
        Some(PortEvent::Message(port.key, message))
    }

    /// Takes what there is, of ports that are in the set.
    pub(super) fn take_without_added(&mut self) -> Result<PortEvent<T>, Nothing> {
        self.take_from_next(false)
    }

    /// Turns to the next port that has something.
    #[cold]
    fn take_from_next(&mut self, adds: bool) -> Result<PortEvent<T>, Nothing> {
        // First: what they have added is there.
        let has_adders = self.added.has_adders();
        let had_its_turn = self.in_a_row > 0;
        self.in_a_row = 0;
        self.take_ready();
        if adds {
            self.take_added();
        }
        if had_its_turn {
            // Behind those that wait for their turn, also those that have come just now.
            self.held.turn();
            self.prefetch_next();
        }
        if let Some(event) = self.take_from_first() {
            return Ok(event);
        }
        if let Some(event) = self.visit_each() {
            return Ok(event);
        }
        if self.is_over(has_adders) {
            return Err(Nothing::Ever(self.ended));
        }
        Err(Nothing::Yet)
    }

    /// Prefetches what the next turns need: of many ports, it is not in the caches. The address of
    /// a message is known when the rest has come.
    #[inline]
    fn prefetch_next(&self) {
        if self.held.len() < MANY {
            return;
        }
        let port = |turns| {
            let place = self.held.place_after(turns)?;
            self.ports.get(place)
        };
        if let Some(port) = port(4) {
            port.receiver.prefetch();
        }
        if let Some(port) = port(2) {
            port.receiver.prefetch_message();
        }
    }

    /// Visits each port that is held, until one has something. Listens to those that have nothing.
    fn visit_each(&mut self) -> Option<PortEvent<T>> {
        let mut found = None;
        let mut listened = std::mem::take(&mut self.listened);
        for _ in 0..self.held.len() {
            let Some(first) = self.held.first() else {
                break;
            };
            let Some(port) = self.ports.live(first) else {
                self.held.pop_stale();
                continue;
            };
            match port.receiver.pop() {
                Ok(message) => {
                    self.in_a_row = 1;
                    port.visits = 0;
                    found = Some(PortEvent::Message(port.key, message));
                    break;
                }
                Err(Nothing::Ever(reason)) => {
                    let (key, place) = first;
                    self.held.pop();
                    drop(self.ports.remove(place));
                    if reason.code() > self.ended.code() {
                        self.ended = reason;
                    }
                    found = Some(PortEvent::Closed(key, reason));
                    break;
                }
                Err(Nothing::Yet) => {
                    port.visits += 1;
                    let is_lazy = self.held.is_fair() && port.receiver.is_sender_lazy();
                    if is_lazy && port.visits <= VISITS {
                        self.held.turn();
                    } else {
                        port.is_held = false;
                        listened.push(first);
                        self.held.pop();
                    }
                }
            }
        }
        let mut has_to_settle = false;
        // Not earlier: of the ports that are held, most may have messages, and then the barrier is
        // for a few.
        let count = listened.len();
        for &entry in &listened {
            has_to_settle |= self.ports.listen(entry, count);
        }
        if has_to_settle {
            // One barrier for all of them.
            settle();
        }
        for (key, place) in listened.drain(..) {
            if let Some(port) = self.ports.live((key, place))
                && port.receiver.is_ready()
            {
                // It has got something meanwhile.
                port.is_held = true;
                self.held.push(key, place);
            }
        }
        if listened.capacity() > KEPT {
            listened.shrink_to(KEPT);
        }
        self.listened = listened;
        self.held.tidy();
        found
    }

    /// Whether nothing will come any more. `has_adders`: as it was before.
    fn is_over(&self, has_adders: bool) -> bool {
        self.ports.is_empty() && !has_adders && !self.added.has_some()
    }

    /// Whether there is something to take, or will never be.
    pub(super) fn is_ready(&mut self) -> bool {
        self.is_called()
            || self.held.iter().any(|held| {
                let port = self.ports.live(held);
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
            is_empty: self.ports.is_empty(),
        }
    }

    /// What calls a set that waits, and the entry in the table of waiters.
    pub(super) fn entry_and_calls(&mut self) -> (&mut WaiterEntry, SetCalls<'_, T>) {
        let is_empty = self.ports.is_empty();
        let calls = SetCalls {
            ready: &self.ready,
            added: &self.added,
            is_empty,
        };
        (&mut self.entry, calls)
    }

    /// Listens to all ports, before it waits. Whether it may wait: nothing is to be seen.
    pub(super) fn listen_to_all(&mut self) -> bool {
        let PortSet { held, ports, .. } = self;
        let mut has_to_settle = false;
        let count = held.len();
        for held in held.iter() {
            has_to_settle |= ports.listen(held, count);
        }
        if has_to_settle {
            // As above.
            settle();
        }
        if held.iter().any(|held| {
            ports
                .live(held)
                .is_some_and(|port| port.receiver.is_ready())
        }) {
            return false;
        }
        for held in held.iter() {
            if let Some(port) = ports.live(held) {
                port.is_held = false;
            }
        }
        held.clear();
        held.tidy();
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
        self.is_over(has_adders).then_some(self.ended)
    }

    /// How many messages there are in the ports that it holds, up to `most`: it may hold many.
    pub(super) fn count_held(&self, most: usize) -> usize {
        let mut count = 0_usize;
        for (_, place) in self.held.iter() {
            if count >= most {
                break;
            }
            let messages = self.ports.get(place).map_or(0, |port| port.receiver.len());
            count = count.saturating_add(messages);
        }
        count.min(most)
    }

    /// About how many messages there are in some of the ports.
    pub(in crate::channel) fn count_near(&self) -> usize {
        let ports = self.held.iter().take(16);
        let ports = ports.filter_map(|(_, place)| self.ports.get(place));
        let count: usize = ports.map(|port| port.receiver.len()).sum();
        count + usize::from(!self.ready.is_empty())
    }

    /// Receives what is there now.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, PortSet, TryRecvError, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let (mut sender, receiver) = spsc::unbounded();
    /// let port = set.add(receiver);
    /// assert_eq!(set.try_recv(), Err(TryRecvError::Empty));
    /// sender.send("hello").unwrap();
    /// assert_eq!(set.try_recv().unwrap().into_message(), Some("hello"));
    /// set.remove(port);
    /// assert_eq!(set.try_recv(), Err(TryRecvError::Closed(CloseReason::Finished)));
    /// ```
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

impl<T: Send> Default for PortSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Send> Drop for PortSet<T> {
    fn drop(&mut self) {
        // The receivers close their lanes. Their wakers have nowhere to go any more.
        self.ports.rouse();
        for (_, port) in self.ports.iter_mut() {
            // As in `close`: a sender that lives on would keep the waker.
            port.unlisten();
        }
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

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::{IN_A_ROW, PortSet};
    use crate::channel::{PortEvent, spsc};

    /// The number of ports that it listens to at once counts, not that of the busy ones.
    #[test]
    fn a_port_that_is_quiet_among_busy_ones_is_told_loudly() {
        let mut set = PortSet::new();
        let (mut quiet, port) = spsc::unbounded();
        let key = set.add(port);
        quiet.send(0).unwrap();
        assert_eq!(set.try_recv(), Ok(PortEvent::Message(key, 0)));
        for _ in 0..100 {
            let (mut busy, port) = spsc::unbounded();
            set.add(port);
            (0..2 * IN_A_ROW).for_each(|number| busy.send(number).unwrap());
            busy.finish();
        }
        let place = set.ports.place(key).unwrap();
        // The quiet one has its turn, in vain, before any other one has a second turn.
        for _ in 0..=100 * IN_A_ROW {
            assert!(set.try_recv().is_ok());
        }
        assert!(!set.ports.get(place).unwrap().is_held);
        for number in 0..100 {
            quiet.send(number).unwrap();
            let port = set.ports.get(place).unwrap();
            assert!(!port.receiver.is_sender_lazy());
        }
    }
}
