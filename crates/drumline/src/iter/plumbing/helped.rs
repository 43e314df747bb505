//! Loops over items of which each can be a tree: compiled once for all loops, see
//! [`steps`](super::steps).

use super::chunk_len::ChunkLen;
use super::steps::{PartState, Steps};
use crate::join::{self, SplitOutcome, SplitWatch};
use crate::sync::Ticks;

/// A fresh part that another thread may take. (And that is all which it does with it: see
/// [`Steps::elsewhere`].)
pub(super) struct Offered<'a>(&'a mut (dyn Steps + 'a));

// SAFETY: what is offered is fresh, so it has items and a consumer, which are `Send`, and no
// folder, which may be not. The thread that takes it calls `elsewhere` alone, once: that moves the
// part away, and brings back the result, which is `Send`, too, or nothing.
unsafe impl Send for Offered<'_> {}

impl<'a> Offered<'a> {
    pub(super) fn new(fresh: &'a mut (dyn Steps + 'a)) -> Self {
        debug_assert!(matches!(fresh.state(), PartState::Fresh | PartState::Full));
        Offered(fresh)
    }

    pub(super) fn elsewhere(self, through: &mut dyn FnMut(&mut dyn Steps)) {
        self.0.elsewhere(through);
    }

    fn found(self, min: usize) {
        self.0.found(min);
    }
}

/// Goes on with `own` while `other` is on offer. Returns whether that has been taken. Both are
/// closed then, `own` before the wait.
fn publish<'a, 'o>(
    other: &'a mut (dyn Steps + 'a),
    own: &'o mut (dyn Steps + 'o),
    min: usize,
    go_on: impl FnOnce(&mut dyn Steps, SplitWatch<'_>),
) -> bool {
    let go_on = |own: &'o mut (dyn Steps + 'o), watch: SplitWatch<'_>| {
        go_on(&mut *own, watch);
        own
    };
    let close = |own: &'o mut (dyn Steps + 'o)| {
        own.close();
        own
    };
    let theft = move |other: Offered<'_>| other.found(min);
    let offered = Offered::new(&mut *other);
    let (own, split) = join::publish_split_cold(offered, own, go_on, theft, close);
    let is_taken = matches!(split, SplitOutcome::Taken(()));
    if is_taken {
        own.close();
        other.wait();
    }
    is_taken
}

/// Goes through the items of `part`, which can be of any size: as long as nothing is known about
/// them, no more than one is not on offer. It is open or closed then.
pub(super) fn nested(part: &mut dyn Steps, chunk_len: &mut ChunkLen, watch: &SplitWatch<'_>) {
    loop {
        match part.state() {
            PartState::Closed => return,
            PartState::Full => return part.fold(),
            PartState::Fresh | PartState::Open => {}
        }
        if chunk_len.items > 1 || chunk_len.nested == 0 {
            return helped(part, chunk_len, watch);
        }
        if part.at_most(chunk_len.items) {
            let start = Ticks::now();
            part.fold();
            chunk_len.learn(start);
            return;
        }
        let now = *chunk_len;
        let is_split = part.split(0, &now, &mut |own, other| {
            let is_taken = publish(other, own, chunk_len.min, |own, watch| {
                chunk_len.nested -= 1;
                nested(own, chunk_len, &watch);
                chunk_len.nested += 1;
            });
            if !is_taken && own.state() == PartState::Closed {
                other.lazy(*chunk_len);
            }
        });
        if !is_split {
            return helped(part, chunk_len, watch);
        }
    }
}

/// Goes through the items of `part` in chunks, until the offer is gone; then what is left is a loop
/// of its own. It is open or closed then.
fn helped(part: &mut dyn Steps, chunk_len: &mut ChunkLen, watch: &SplitWatch<'_>) {
    loop {
        match part.state() {
            PartState::Closed => return,
            PartState::Full => return part.fold(),
            PartState::Open if watch.is_taken() && join::has_room() => {
                return alone(part, *chunk_len);
            }
            _ => {}
        }
        // What is left after the chunk is offered, and must not be too short either.
        if part.at_most(chunk_len.items.saturating_add(chunk_len.min - 1)) {
            return part.fold();
        }
        let start = Ticks::now();
        part.fold_chunk(chunk_len);
        chunk_len.learn(start);
    }
}

/// The rest of a part whose offer is gone.
fn alone(part: &mut dyn Steps, chunk_len: ChunkLen) {
    let fresh = part.chunk_len(chunk_len.min);
    part.lazy(ChunkLen {
        items: chunk_len.items.min(fresh.items),
        whole: chunk_len.whole,
        // Each taken offer is a level deeper on the stack, which may be one for every node of a
        // tree.
        nested: chunk_len.nested.min(1),
        ..fresh
    });
}
