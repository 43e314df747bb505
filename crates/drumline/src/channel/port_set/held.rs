//! The ports that may have messages, in the order in which the set visits them.

use std::collections::{BTreeMap, VecDeque};

use super::PortKey;

/// With fewer stale entries it is not worth while to look for them.
const LEAST_SWEEP: usize = 16;

/// Memory for this many ports is kept after a burst.
pub(super) const KEPT: usize = 64;

/// The places of ports, each with its key.
#[derive(Debug)]
pub(super) enum HeldPorts {
    /// Each has its turn.
    Fair {
        ports: VecDeque<(PortKey, usize)>,
        /// How many of them were taken out, at most.
        stale: usize,
    },
    /// The one that was added first comes first.
    Biased(BTreeMap<PortKey, usize>),
}

impl HeldPorts {
    pub(super) fn fair() -> Self {
        HeldPorts::Fair {
            ports: VecDeque::new(),
            stale: 0,
        }
    }

    pub(super) fn is_fair(&self) -> bool {
        matches!(self, HeldPorts::Fair { .. })
    }

    pub(super) fn len(&self) -> usize {
        match self {
            HeldPorts::Fair { ports, .. } => ports.len(),
            HeldPorts::Biased(ports) => ports.len(),
        }
    }

    /// The port that has the turn.
    #[inline]
    pub(super) fn first(&self) -> Option<(PortKey, usize)> {
        match self {
            HeldPorts::Fair { ports, .. } => ports.front().copied(),
            HeldPorts::Biased(ports) => {
                let (&key, &place) = ports.first_key_value()?;
                Some((key, place))
            }
        }
    }

    /// The place of the port that has its turn after this number of turns, in a fair set.
    #[inline]
    pub(super) fn place_after(&self, turns: usize) -> Option<usize> {
        match self {
            HeldPorts::Fair { ports, .. } => ports.get(turns).map(|&(_, place)| place),
            HeldPorts::Biased(_) => None,
        }
    }

    /// Adds a port; it is the last one, if all have their turn.
    pub(super) fn push(&mut self, key: PortKey, place: usize) {
        match self {
            HeldPorts::Fair { ports, .. } => ports.push_back((key, place)),
            HeldPorts::Biased(ports) => {
                ports.insert(key, place);
            }
        }
    }

    /// Takes the first one out.
    pub(super) fn pop(&mut self) {
        match self {
            HeldPorts::Fair { ports, .. } => {
                ports.pop_front();
            }
            HeldPorts::Biased(ports) => {
                ports.pop_first();
            }
        }
    }

    /// Takes the first one out, which is stale.
    pub(super) fn pop_stale(&mut self) {
        if let HeldPorts::Fair { stale, .. } = self {
            *stale = stale.saturating_sub(1);
        }
        self.pop();
    }

    /// The first one has had its turn.
    pub(super) fn turn(&mut self) {
        if let HeldPorts::Fair { ports, .. } = self
            && let Some(first) = ports.pop_front()
        {
            ports.push_back(first);
        }
    }

    /// Takes this one out. In a fair set it stays as a stale entry, which is passed over. These are
    /// swept out when half of what is there may be stale.
    pub(super) fn remove(&mut self, key: PortKey, is_live: impl Fn(PortKey) -> bool) {
        match self {
            HeldPorts::Fair { ports, stale } => {
                *stale += 1;
                if *stale > LEAST_SWEEP + ports.len() / 2 {
                    ports.retain(|&(held, _)| is_live(held));
                    *stale = 0;
                }
            }
            HeldPorts::Biased(ports) => {
                ports.remove(&key);
            }
        }
    }

    /// All, with stale ones.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PortKey, usize)> + '_ {
        let (fair, biased) = match self {
            HeldPorts::Fair { ports, .. } => (Some(ports.iter().copied()), None),
            HeldPorts::Biased(ports) => {
                let ports = ports.iter().map(|(&key, &place)| (key, place));
                (None, Some(ports))
            }
        };
        fair.into_iter()
            .flatten()
            .chain(biased.into_iter().flatten())
    }

    /// Gives back the memory of a burst.
    pub(super) fn tidy(&mut self) {
        if let HeldPorts::Fair { ports, .. } = self
            && ports.len() < KEPT
            && ports.capacity() > KEPT
        {
            ports.shrink_to(KEPT);
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            HeldPorts::Fair { ports, stale } => {
                ports.clear();
                *stale = 0;
            }
            HeldPorts::Biased(ports) => ports.clear(),
        }
    }
}
