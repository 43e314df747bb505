//! Where the participants of a shared loop keep what they have not begun.

use std::mem;
use std::sync::OnceLock;

use super::tree::Dest;
use crate::iter::plumbing::steps::HeapFrame;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, Spaced};
use crate::unwind::Payload;

/// The rest of a part, and where goes what comes of it.
pub(super) struct Rest {
    pub(super) work: HeapFrame,
    pub(super) dest: Dest,
    /// A participant has a folder of it. Otherwise the next one that looks can have it as it is.
    pub(super) is_begun: bool,
}

/// What is in a place.
pub(super) enum Held {
    Nothing,
    Rest(Rest),
    /// The rest is gone: another thread panicked when it took half of it.
    Lost(Dest, Payload),
}

impl Held {
    pub(super) fn take(&mut self) -> Self {
        mem::replace(self, Held::Nothing)
    }

    /// The rest, which is there.
    pub(super) fn take_rest(&mut self) -> Rest {
        match self.take() {
            Held::Rest(rest) => rest,
            Held::Nothing | Held::Lost(..) => unreachable!("the rest has just been looked at"),
        }
    }
}

/// A participant's place.
pub(super) struct Place {
    /// About how much another participant could take. Written under the lock.
    pub(super) left: AtomicUsize,
    pub(super) held: Mutex<Held>,
}

impl Place {
    fn new() -> Self {
        Place {
            left: AtomicUsize::new(0),
            held: Mutex::new(Held::Nothing),
        }
    }

    /// Relaxed, here and below: a hint that publishes nothing; the items are read under the lock.
    pub(super) fn left(&self) -> usize {
        self.left.load(Ordering::Relaxed)
    }

    pub(super) fn set_left(&self, left: usize) {
        self.left.store(left, Ordering::Relaxed);
    }
}

/// Two places, and more in segments, each twice as long as the one before: they never move, and
/// there may be as many participants as threads.
pub(super) struct Places {
    /// Here, as most loops of some microseconds have no more participants: memory for more would
    /// cost as much as some hundred items.
    first: [Spaced<Place>; FIRST_SEGMENT],
    others: [OnceLock<Segment>; SEGMENTS],
}

type Segment = Box<[Spaced<Place>]>;

const SEGMENTS: usize = 24;
const FIRST_SEGMENT: usize = 2;

impl Places {
    pub(super) fn new() -> Self {
        Places {
            first: [Spaced::new(Place::new()), Spaced::new(Place::new())],
            others: [const { OnceLock::new() }; SEGMENTS],
        }
    }

    pub(super) fn get(&self, index: usize) -> &Place {
        if index < FIRST_SEGMENT {
            return &self.first[index].value;
        }
        let segment = (index / FIRST_SEGMENT + 1).ilog2() as usize;
        let len = FIRST_SEGMENT << segment;
        let new = || (0..len).map(|_| Spaced::new(Place::new())).collect();
        let places = self.others[segment - 1].get_or_init(new);
        &places[index + FIRST_SEGMENT - len].value
    }
}
