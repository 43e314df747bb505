//! The ports that may have messages, in the order in which the set visits them.

use std::collections::{BTreeMap, VecDeque};

use super::PortKey;

/// The places of ports, each with its key.
#[derive(Debug)]
pub(super) enum HeldPorts {
    /// Each has its turn.
    Fair(VecDeque<(PortKey, usize)>),
    /// The one that was added first comes first.
    Biased(BTreeMap<PortKey, usize>),
}

impl HeldPorts {
    pub(super) fn is_fair(&self) -> bool {
        matches!(self, HeldPorts::Fair(_))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            HeldPorts::Fair(ports) => ports.len(),
            HeldPorts::Biased(ports) => ports.len(),
        }
    }

    /// The port whose turn it is.
    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        match self {
            HeldPorts::Fair(ports) => ports.front().map(|&(_, place)| place),
            HeldPorts::Biased(ports) => ports.first_key_value().map(|(_, &place)| place),
        }
    }

    /// Adds a port; it is the last one, if all have their turn.
    pub(super) fn push(&mut self, key: PortKey, place: usize) {
        match self {
            HeldPorts::Fair(ports) => ports.push_back((key, place)),
            HeldPorts::Biased(ports) => {
                ports.insert(key, place);
            }
        }
    }

    /// Takes the first one out.
    pub(super) fn pop(&mut self) {
        match self {
            HeldPorts::Fair(ports) => {
                ports.pop_front();
            }
            HeldPorts::Biased(ports) => {
                ports.pop_first();
            }
        }
    }

    /// The first one has had its turn.
    pub(super) fn turn(&mut self) {
        if let HeldPorts::Fair(ports) = self
            && !ports.is_empty()
        {
            ports.rotate_left(1);
        }
    }

    /// Takes this one out. In a fair set it takes as long as there are ports.
    pub(super) fn remove(&mut self, key: PortKey) {
        match self {
            HeldPorts::Fair(ports) => ports.retain(|&(held, _)| held != key),
            HeldPorts::Biased(ports) => {
                ports.remove(&key);
            }
        }
    }

    pub(super) fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let (fair, biased) = match self {
            HeldPorts::Fair(ports) => (Some(ports.iter().map(|&(_, place)| place)), None),
            HeldPorts::Biased(ports) => (None, Some(ports.values().copied())),
        };
        fair.into_iter()
            .flatten()
            .chain(biased.into_iter().flatten())
    }

    pub(super) fn clear(&mut self) {
        match self {
            HeldPorts::Fair(ports) => ports.clear(),
            HeldPorts::Biased(ports) => ports.clear(),
        }
    }
}
