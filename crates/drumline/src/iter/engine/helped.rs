//! What a lazy loop does when a thread helps, or asks; and loops over items of which each can be a
//! tree. Compiled once for all loops, see [`steps`](super::steps).

use super::chunk_len::ChunkLen;
use super::plant::planted;
use super::shared::{Joint, Outcome};
use super::steps::{Chunk, Content, PartState, Split, Steps, elsewhere, split_for};
use crate::join::{self, Lost, OfferOutcome, Offered, OwnPart, Rare, SplitWatch};
use crate::sync::Ticks;
use crate::unwind;

/// A fresh part that another thread may take. (And that is all which it does with it: see
/// [`elsewhere`].)
pub(super) struct Fresh<'a>(&'a mut (dyn Steps + 'a));

// SAFETY: what is offered is fresh, so it has items and a consumer, which are `Send`, and no
// folder, which may be not. The thread that takes it calls `elsewhere` or `found` alone, once: that
// moves the part away, and brings back the result, which is `Send`, too, or nothing.
unsafe impl Send for Fresh<'_> {}

impl<'a> Fresh<'a> {
    pub(super) fn new(fresh: &'a mut (dyn Steps + 'a)) -> Self {
        debug_assert!(matches!(fresh.state(), PartState::Fresh | PartState::Full));
        Fresh(fresh)
    }

    pub(super) fn elsewhere(self, through: &mut dyn FnMut(&mut dyn Steps)) {
        elsewhere(self.0, through);
    }
}

/// What a loop offers of what nests.
struct OnOffer<'a> {
    other: Fresh<'a>,
    /// No part is to be shorter.
    min: usize,
}

impl Offered for OnOffer<'_> {
    type Taken = Joint;

    fn take(self) -> Joint {
        Joint::found(self.other.0, self.min)
    }
}

/// What is done by the thread that offers it.
struct Publishing<'o, F> {
    own: &'o mut (dyn Steps + 'o),
    go_on: Option<F>,
}

impl<F: FnOnce(&mut dyn Steps, SplitWatch<'_>)> OwnPart for Publishing<'_, F> {
    fn run(&mut self, watch: SplitWatch<'_>) {
        if let Some(go_on) = self.go_on.take() {
            or_nothing_is_left(self.own, |own| go_on(own, watch));
        }
    }

    fn close(&mut self) {
        self.own.close();
    }
}

impl<F: FnOnce(&mut dyn Steps, SplitWatch<'_>)> Publishing<'_, F> {
    fn after_run(mut self, watch: SplitWatch<'_>) -> Self {
        self.run(watch);
        self
    }

    fn after_close(mut self) -> Self {
        self.close();
        self
    }
}

/// Runs `step` with `part`. If that panics, nothing is left there: the thread waits for what was on
/// offer before the panic goes on, and a thread that waits has no folder. (The state in it may be
/// what the other thread needs.)
fn or_nothing_is_left(part: &mut dyn Steps, step: impl FnOnce(&mut dyn Steps)) {
    if let Err(payload) = unwind::catch(|| step(&mut *part)) {
        unwind::discard_erased(&mut || part.discard());
        unwind::resume(payload);
    }
}

/// Goes on with `own` while `other` is on offer. Returns whether that has been taken. Both are
/// closed then.
fn publish<F>(other: &mut dyn Steps, own: &mut dyn Steps, min: usize, go_on: F) -> bool
where
    F: FnOnce(&mut dyn Steps, SplitWatch<'_>),
{
    let offered = OnOffer {
        other: Fresh::new(&mut *other),
        min,
    };
    let publishing = Publishing {
        own: &mut *own,
        go_on: Some(go_on),
    };
    // SAFETY: both of the rare functions end with the offer.
    let outcome = unsafe {
        join::offer(
            offered,
            publishing,
            (),
            Publishing::after_run,
            Publishing::after_close,
            |mut publishing, (), _, rare| rare.run(&mut publishing),
            |mut publishing, (), lost| Some(lost.wait(&mut || publishing.close())),
        )
    };
    let OfferOutcome::Ended(Some(taken)) = outcome else {
        return false;
    };
    match wait_for(taken, own) {
        // SAFETY: of the same loop.
        Ok(mut right) => unsafe { right.steps().give(Content::Result, other) },
        Err(payload) => unwind::resume(payload),
    }
    true
}

/// Waits for what another thread has taken, and returns what came of it. If `own` was brought in to
/// that, its result is in `own` then. If there is a panic, nothing is left there.
fn wait_for(taken: Result<Joint, unwind::Payload>, own: &mut dyn Steps) -> Outcome {
    let ended = taken.and_then(|joint| {
        let (left, right) = joint.wait();
        match (left.transpose(), right) {
            (Ok(left), Ok(right)) => {
                if let Some(mut left) = left {
                    // SAFETY: all are of one loop.
                    unsafe { left.steps().give(Content::Result, own) };
                }
                Ok(right)
            }
            (Err(payload), other) => {
                unwind::discard(other);
                Err(payload)
            }
            (Ok(other), Err(payload)) => {
                unwind::discard(other);
                Err(payload)
            }
        }
    });
    if ended.is_err() {
        unwind::discard_erased(&mut || own.discard());
    }
    ended
}

/// What a lazy loop does while an offer stands that was not made on the common way.
struct Running<'r> {
    part: &'r mut (dyn Steps + 'r),
    chunk_len: &'r mut ChunkLen,
}

impl OwnPart for Running<'_> {
    fn run(&mut self, watch: SplitWatch<'_>) {
        let chunk_len = &mut *self.chunk_len;
        or_nothing_is_left(self.part, |part| through(part, chunk_len, &watch));
    }

    fn close(&mut self) {
        self.part.close();
    }
}

/// Goes through `own`, which has the reducer, while an offer stands that was not made on the common
/// way. Returns whether that has come back; otherwise the result of the loop is in `own`.
pub(super) fn run_rarely(
    own: &mut dyn Steps,
    chunk_len: &mut ChunkLen,
    rare: Rare<'_, Joint>,
) -> bool {
    let mut running = Running {
        part: &mut *own,
        chunk_len,
    };
    match rare.run(&mut running) {
        Some(taken) => {
            join_taken(own, taken);
            false
        }
        None => true,
    }
}

/// Goes on with `other` after `own`, which has the reducer. The offer of `other` has come back. The
/// result of the loop is in `own` then. If it `is_first`, nothing but one chunk has been done.
pub(super) fn go_on(
    own: &mut dyn Steps,
    other: &mut dyn Steps,
    chunk_len: &mut ChunkLen,
    is_first: bool,
) {
    let is_alone = join::is_alone();
    // With one job it was the pool that asked to be told of work, and no thread comes for more.
    chunk_len.is_helped &= !is_alone;
    if own.look().has_folder {
        if is_first && !is_alone && !other.look().at_most(chunk_len.hidden) {
            // The thread that asked came too late for this, but is on its way.
            join::expose_next();
        }
        // SAFETY: both are of the loop.
        unsafe { own.give(Content::Folder, other) };
        other.lazy(*chunk_len);
        // SAFETY: as above.
        return unsafe { other.give(Content::Result, own) };
    }
    // As a loop of its own, it begins with the shortest chunk.
    chunk_len.items = chunk_len.min;
    other.lazy(*chunk_len);
    // SAFETY: as above; each has a result.
    unsafe { own.join(other, false) };
}

/// The rest of a lazy loop, after another thread has taken its offer. What came of the other items
/// is in `own`, unless they were brought in to the shared loop; and the reducer. So is the result
/// then.
pub(super) fn lost(own: &mut dyn Steps, lost: Lost<'_, Joint>) {
    let taken = lost.wait(&mut || own.close());
    join_taken(own, taken);
}

/// Waits for what another thread has taken, and joins both sides.
fn join_taken(own: &mut dyn Steps, taken: Result<Joint, unwind::Payload>) {
    match wait_for(taken, own) {
        // SAFETY: of one loop; each has a result.
        Ok(mut right) => unsafe { own.join(right.steps(), planted!(HalvesSwapped)) },
        Err(payload) => unwind::resume(payload),
    }
}

/// Goes through the items of `part` while other threads help. It is open or closed then; or it has
/// been brought in to the loop that a thread has made of what was on offer.
pub(super) fn through(part: &mut dyn Steps, chunk_len: &mut ChunkLen, watch: &SplitWatch<'_>) {
    if part.look().nests {
        nested(part, chunk_len, watch);
    } else {
        in_chunks(part, chunk_len, watch);
    }
}

/// Goes through the items of `part` in chunks, until the thread that took the offer can be met.
fn in_chunks(part: &mut dyn Steps, chunk_len: &mut ChunkLen, watch: &SplitWatch<'_>) {
    // What a chunk of this loop took is a measure, what one of another run took is not.
    let items = if chunk_len.is_measured {
        chunk_len.items
    } else {
        chunk_len.min
    };
    *chunk_len = ChunkLen::helped(chunk_len.min);
    chunk_len.items = items;
    (part.on_stack())(&mut |accumulator| {
        // SAFETY: here, and below: the part has made the other frame.
        unsafe { part.give(Content::Folder, accumulator) };
        loop {
            let look = part.look();
            let state = if accumulator.look().has_folder {
                accumulator.state()
            } else {
                part.state()
            };
            let next = look.chunk(chunk_len);
            let Some(at) = next.filter(|_| state != PartState::Full) else {
                // SAFETY: as above.
                unsafe { part.give(Content::Part, accumulator) };
                break accumulator.fold();
            };
            // Something has to be done of it first: see `helped`.
            if accumulator.look().has_folder
                // SAFETY: what a lazy loop offers becomes a `Joint`.
                && let Some(joint) = unsafe { watch.result::<Joint>() }
            {
                return joint.bring_in(part, accumulator, *chunk_len);
            }
            // It has been taken, and there is no telling what comes of it; or a thread has asked.
            let start = Ticks::now();
            // SAFETY: as above.
            unsafe { part.detach(Chunk::Of(at), accumulator, true) };
            accumulator.fold();
            chunk_len.learn(start, look.left);
        }
        // SAFETY: as above.
        unsafe { accumulator.give(Content::Folder, part) };
    });
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
        if part.look().at_most(chunk_len.items) {
            let start = Ticks::now();
            part.fold();
            chunk_len.learn(start, 0);
            return;
        }
        let now = *chunk_len;
        let is_split = split_for(part, Split::Halve(&now), &mut |own, other| {
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

/// Goes through the items of `part` in chunks, until the thread that took the offer can be met. It
/// is open or closed then, or has been brought in.
fn helped(part: &mut dyn Steps, chunk_len: &mut ChunkLen, watch: &SplitWatch<'_>) {
    loop {
        match part.state() {
            PartState::Closed => return,
            PartState::Full => return part.fold(),
            PartState::Fresh | PartState::Open => {}
        }
        let look = part.look();
        // No participant is to find that there is nothing in it.
        if look.chunk(chunk_len).is_none() {
            return part.fold();
        }
        // A part of which nothing was done could be taken as a whole by another participant. The
        // folder of an outer loop, which this part is to go on with, would be left with a thread
        // that waits.
        if look.has_folder
            // SAFETY: what a loop offers becomes a `Joint`.
            && let Some(joint) = unsafe { watch.result::<Joint>() }
        {
            return (part.on_stack())(&mut |accumulator| {
                // SAFETY: the part has made the other frame.
                unsafe { part.give(Content::Folder, accumulator) };
                joint.bring_in(part, accumulator, *chunk_len);
            });
        }
        let start = Ticks::now();
        part.fold_chunk(chunk_len);
        chunk_len.learn(start, 0);
    }
}
