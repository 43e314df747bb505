//! Where the participants of a shared loop keep what they have not begun.
//!
//! To split a part is to call the program: states are cloned, and predicates and consumers asked.
//! These may call the pool, and the pool may give the thread more of the same loop. So nothing is
//! split under the lock of a place, and no thread waits for one that splits. The thread that splits
//! takes the rest out, and leaves word of that ([`Held`]):
//!
//! ```text
//!              owner: a chunk                            robber: half
//!   Detaching ◄─────────────── Rest ──────────────────────────────────► Robbed
//!       │ put back               ▲ put back                              │  │ the owner comes:
//!       └────────────────────────┴───────────────────────────────────────┘  └──► Nothing
//! ```
//!
//! * A robber that comes to a place that is `Detaching` looks elsewhere, and notes that it was
//!   there. The owner, once it has put the rest back, announces it.
//! * An owner that comes to a place that is `Robbed` does not wait for the rest: its part is over,
//!   and what came of it is the left side of the node that it finds there. The robber sees that its
//!   node is gone. Then it has both halves, and leaves one of them to the loop as a [stray](Stray).
//!   Where the part was not begun, the owner has nothing to deliver, and the node gets both halves.
//!
//! Each looks again a few times before: to split takes less than a microsecond, as a rule.
//!
//! # The races feared
//!
//! *Both have the rest, or neither.* The rest moves under the lock, and a robber puts it back only
//! where its own node lies. An owner that gives up takes the node away, and may have another part
//! in that place when the robber comes back: the robber compares nodes, and holds its own alive, so
//! no other has the same address.
//!
//! *A result is joined before its node has the reducer.* The reducer comes of the split. The owner
//! may deliver the left side before that, but not the right side: the robber has it, and sets the
//! reducer first.
//!
//! *A stray, or a part that was put back, is seen by none.* Both count as open from then on, and
//! the thread that has put them there announces what is open before it goes on.
//!
//! `shuttle_splits_…` in `pool/programs` runs this with states that call the pool when they are
//! cloned; the bugs planted are `SplitsLocked` and `OwnerUnheeded`. The chains of `properties.rs`
//! try the order of results; planted are `StraySwapped` and `BehindLost`.

use std::mem;
use std::sync::OnceLock;

use super::tree::{Dest, Node};
use crate::iter::engine::steps::HeapFrame;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Arc, Mutex, MutexGuard, Spaced, lock, relax};
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
    /// The owner has taken the rest out, to take a chunk off.
    Detaching {
        /// Another participant has looked for some of it.
        is_missed: bool,
    },
    /// Another participant has taken the rest out, to split it. What the owner has done is the left
    /// side of the node, if the part `is_begun`.
    Robbed {
        node: Arc<Node>,
        is_begun: bool,
    },
}

impl Held {
    /// Whether the participant that made this node is splitting the rest, and the owner has not
    /// come since.
    pub(super) fn is_robbed_for(&self, node: &Arc<Node>) -> bool {
        matches!(self, Held::Robbed { node: other, .. } if Arc::ptr_eq(node, other))
    }

    pub(super) fn take(&mut self) -> Self {
        mem::replace(self, Held::Nothing)
    }

    /// The rest, which is there.
    pub(super) fn take_rest(&mut self) -> Rest {
        match self.take() {
            Held::Rest(rest) => rest,
            _ => unreachable!("the rest has just been looked at"),
        }
    }
}

/// How often a thread looks at what is away: for about a microsecond in all.
const LOOKS: usize = if cfg!(drumline_shuttle) { 1 } else { 8 };

/// `relax` calls between two looks.
const PAUSES: usize = if cfg!(drumline_shuttle) { 1 } else { 8 };

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

    /// What is there. If it `is_away`, as a thread splits it, then a few looks later.
    pub(super) fn hold(&self, is_away: impl Fn(&Held) -> bool) -> MutexGuard<'_, Held> {
        for _ in 0..LOOKS {
            let held = lock(&self.held);
            if !is_away(&held) {
                return held;
            }
            drop(held);
            for _ in 0..PAUSES {
                relax();
            }
        }
        lock(&self.held)
    }

    /// Relaxed, here and below: a hint that publishes nothing; the items are read under the lock.
    pub(super) fn left(&self) -> usize {
        self.left.load(Ordering::Relaxed)
    }

    pub(super) fn set_left(&self, left: usize) {
        self.left.store(left, Ordering::Relaxed);
    }
}

/// A part that no participant has, and where its result goes.
pub(super) type Stray = (HeapFrame, Dest);

/// Parts that no participant has: the next one that looks takes one, as it is.
pub(super) struct Strays {
    /// How many there are. Written under the lock.
    len: AtomicUsize,
    parts: Mutex<Vec<Stray>>,
}

impl Strays {
    pub(super) fn new() -> Self {
        Strays {
            len: AtomicUsize::new(0),
            parts: Mutex::new(Vec::new()),
        }
    }

    /// Whether there are none, as far as one can see.
    pub(super) fn is_empty(&self) -> bool {
        // Relaxed: a hint that publishes nothing, as `Place::left`.
        self.len.load(Ordering::Relaxed) == 0
    }

    pub(super) fn add(&self, stray: Stray) {
        let mut parts = lock(&self.parts);
        parts.push(stray);
        // Relaxed: a hint; the parts are read under the lock.
        self.len.store(parts.len(), Ordering::Relaxed);
    }

    pub(super) fn take(&self) -> Option<Stray> {
        if self.is_empty() {
            return None;
        }
        let mut parts = lock(&self.parts);
        let stray = parts.pop();
        // Relaxed: as above.
        self.len.store(parts.len(), Ordering::Relaxed);
        stray
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
