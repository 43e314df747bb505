//! Ports that other threads add.

use std::fmt;

use super::PortKey;
use super::ready_list::ReadyList;
use crate::channel::{SendError, spsc};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Arc, Mutex, lock, process_wide};

process_wide! {
    /// How many ports there were in all sets: no key means one port here and another one there.
    static KEYS: AtomicUsize = AtomicUsize::new(0);
}

/// The key of a further port.
pub(super) fn next_key() -> PortKey {
    // Relaxed: it counts.
    PortKey(KEYS.fetch_add(1, Ordering::Relaxed) as u64)
}

/// What the set shares with its adders.
#[derive(Debug)]
pub(super) struct AddQueue<T: Send> {
    ready: std::sync::Arc<ReadyList>,
    added: Mutex<AddedPorts<T>>,
    /// Whether there are some; written under the lock.
    has_some: AtomicBool,
    adders: AtomicUsize,
}

#[derive(Debug)]
struct AddedPorts<T: Send> {
    ports: Vec<(PortKey, spsc::Receiver<T>)>,
    /// The set is gone.
    is_closed: bool,
}

impl<T: Send> AddQueue<T> {
    pub(super) fn new(ready: std::sync::Arc<ReadyList>) -> Self {
        AddQueue {
            ready,
            added: Mutex::new(AddedPorts {
                ports: Vec::new(),
                is_closed: false,
            }),
            has_some: AtomicBool::new(false),
            adders: AtomicUsize::new(0),
        }
    }

    /// Whether ports have been added.
    #[inline]
    pub(super) fn has_some(&self) -> bool {
        // Relaxed: a hint, and the lock acquires. A set that must not miss one has looked at
        // `has_adders` before, or has said that it waits.
        self.has_some.load(Ordering::Relaxed)
    }

    /// Whether ports may still be added, besides those that are there.
    pub(super) fn has_adders(&self) -> bool {
        // Acquire: what they have added is there.
        self.adders.load(Ordering::Acquire) > 0
    }

    /// How many have been added, and whether this is one of them.
    pub(super) fn count_and_find(&self, key: Option<PortKey>) -> (usize, bool) {
        if !self.has_some() {
            return (0, false);
        }
        let added = lock(&self.added);
        let is_there = added.ports.iter().any(|(added, _)| Some(*added) == key);
        (added.ports.len(), is_there)
    }

    /// Takes those that have been added.
    pub(super) fn take(&self) -> Vec<(PortKey, spsc::Receiver<T>)> {
        let mut added = lock(&self.added);
        // Relaxed: written under the lock.
        self.has_some.store(false, Ordering::Relaxed);
        std::mem::take(&mut added.ports)
    }

    /// The set is gone. Returns what it has not taken.
    pub(super) fn close(&self) -> Vec<(PortKey, spsc::Receiver<T>)> {
        let mut added = lock(&self.added);
        added.is_closed = true;
        std::mem::take(&mut added.ports)
    }
}

/// Adds ports to a [`PortSet`](super::PortSet), from any thread; made by
/// [`PortSet::adder`](super::PortSet::adder).
///
/// As long as there is one, a set without ports waits for the next port.
///
/// ```
/// use drumline::channel::{PortEvent, PortSet, spsc};
///
/// let mut set = PortSet::new();
/// let adder = set.adder();
/// std::thread::spawn(move || {
///     let (mut sender, receiver) = spsc::unbounded();
///     adder.add(receiver).unwrap();
///     sender.send("from a port that came later").unwrap();
///     sender.finish();
/// });
/// let messages = set.iter().filter_map(PortEvent::into_message);
/// assert_eq!(messages.collect::<Vec<_>>(), ["from a port that came later"]);
/// ```
pub struct PortAdder<T: Send>(Arc<AddQueue<T>>);

impl<T: Send> PortAdder<T> {
    pub(super) fn new(queue: &Arc<AddQueue<T>>) -> Self {
        // Relaxed: made by the set, or by an adder that is there.
        queue.adders.fetch_add(1, Ordering::Relaxed);
        PortAdder(Arc::clone(queue))
    }

    /// Adds a port. The set receives from it from its next call on, also if it waits now.
    ///
    /// ```
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let adder = set.adder();
    /// let (mut sender, receiver) = spsc::unbounded();
    /// let key = adder.add(receiver).unwrap();
    /// sender.send("hello").unwrap();
    /// assert_eq!(set.recv().unwrap().port(), key);
    ///
    /// drop(set);
    /// assert!(adder.add(spsc::unbounded().1).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If the set is gone. The receiver comes back.
    pub fn add(
        &self,
        receiver: spsc::Receiver<T>,
    ) -> Result<PortKey, SendError<spsc::Receiver<T>>> {
        let key = next_key();
        let mut added = lock(&self.0.added);
        if added.is_closed {
            return Err(SendError(receiver));
        }
        added.ports.push((key, receiver));
        // Relaxed: published by the tell below, or by the lock.
        self.0.has_some.store(true, Ordering::Relaxed);
        drop(added);
        self.0.ready.tell();
        Ok(key)
    }
}

impl<T: Send> Clone for PortAdder<T> {
    fn clone(&self) -> Self {
        PortAdder::new(&self.0)
    }
}

impl<T: Send> Drop for PortAdder<T> {
    fn drop(&mut self) {
        // Release: what it has added is there before.
        if self.0.adders.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.ready.tell();
        }
    }
}

impl<T: Send> fmt::Debug for PortAdder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PortAdder").finish_non_exhaustive()
    }
}
