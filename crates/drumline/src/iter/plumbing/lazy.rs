//! Lazy loops: what a loop has not begun is on offer, and comes back if nobody takes it.
//!
//! ```text
//!            ┌────────── own, in chunks ─────────┬──────────── on offer ───────────────┐
//!   [ done ] [chunk][  chunk  ][    chunk      ][                                      ]
//! ```
//!
//! A loop splits what is left of its items, offers the second part, and goes through the first in
//! chunks. After each chunk it looks whether the offer still stands. If so at the end, it takes the
//! offer back and starts over with it; if the offer is gone it splits what is left of its own part.
//! What follows from it:
//!
//! * *Nothing hides.* While the first item runs, all others are on offer. So it is during each
//!   chunk once a thread helps.
//! * *A chunk hides little*: what takes some microseconds. Chunks are measured, except for those of
//!   a loop that was measured [a moment ago](super::estimates).
//! * *Unhelped is sequential.* Chunks grow, offers become few and, once half of the loop is done,
//!   small; the folder goes on from chunk to chunk and from part to part ([`Consumer::resume`]).
//! * *What was taken is shared*: the thread that takes an offer makes a [shared
//!   loop](super::shared) of it, and the loop's own thread brings in what it has left as soon as it
//!   sees that.
//! * *A thread that waits has no folder*: the folder is completed before the thread waits for what
//!   was taken. What it takes part in meanwhile is the same loop, and has a folder of its own. So a
//!   loop has no more folders at once than threads, and no thread has two of one loop: a state may
//!   be a lock that is held.
//!
//! What is done where no thread helps is here, and compiled for each loop of a program.
//!
//! What is not indexed goes the same way ([`items`](super::items)): a chunk is a piece of a text,
//! or some nodes of a tree. Where pieces can be of any size, all but the first one are on offer
//! until it is known how long that takes.

use super::chunk_len::ChunkLen;
use super::estimates::Site;
use super::helped;
use super::items::Items;
use super::part::{Part, PartOutcome};
use super::shared::{self, Joint};
use super::steps::Frame;
use super::{Consumer, Folder, Reducer};
use crate::join::{self, PublishOutcome, SplitOutcome, SplitWatch};
use crate::sync::Ticks;

/// Goes through the items of `part` after those of `folder`, and offers half of what is left,
/// over and over.
pub(super) fn lazy<I, C>(
    mut part: Part<I, C>,
    mut chunk_len: ChunkLen,
    mut folder: Option<C::Folder>,
) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    // The first one is of all but one chunk, the second of half of what is left then, the others of
    // less.
    let mut offers = if folder.is_some() { 2 } else { 0 };
    let is_new = I::COUNTED && folder.is_none() && !chunk_len.is_helped;
    let len = if is_new { part.items.len() } else { 0 };
    let begun = is_new.then(|| site::<I, C>().begin(len));
    loop {
        if offers == 1
            && let Some(begun) = &begun
        {
            chunk_len.learn_first(begun, part.items.len(), join::is_alone());
        }
        let is_full = match &folder {
            Some(folder) => folder.full(),
            None => part.consumer.full(),
        };
        if is_full || part.items.at_most(chunk_len.hidden) {
            let folder = part.fold_after(folder);
            if let Some(begun) = &begun
                && begun.believed.is_err()
                && !is_full
            {
                begun.end(site::<I, C>(), len);
            }
            return folder.close(!chunk_len.is_part);
        }
        let is_first = I::COUNTED && offers == 0 && !chunk_len.is_helped;
        let is_late = offers > usize::from(I::COUNTED) && !chunk_len.is_helped;
        let (own, other, reducer) = if I::COUNTED {
            // A chunk, so that there is a folder where there are more of them.
            let at = if is_first {
                chunk_len.items
            } else {
                part.items.middle(&chunk_len, is_late)
            };
            part.split(at)
        } else {
            match part.halve(&chunk_len, is_late) {
                Ok(halves) => halves,
                Err(part) => return part.fold_apart(folder).close(!chunk_len.is_part),
            }
        };
        let min = chunk_len.min;
        let own = (own, &mut chunk_len, folder.take());
        let published = join::publish_split(
            other,
            own,
            go_through::<I, C, false>,
            |own| (own, go_through::<I, C, true>),
            theft(min),
            PartOutcome::close,
        );
        match published {
            PublishOutcome::Fast(PartOutcome::Open(open), SplitOutcome::NotTaken(other)) => {
                offers += 1;
                folder = Some(open);
                part = other;
            }
            PublishOutcome::Fast(outcome, split) | PublishOutcome::Cold(outcome, split) => {
                return go_on(outcome, split, reducer, chunk_len, is_first);
            }
        }
    }
}

/// Goes through what a loop has not offered; on the cold path if a thread has asked for items just
/// now.
#[inline(always)]
fn go_through<I, C, const COLD: bool>(
    (own, chunk_len, before): (Part<I, C>, &mut ChunkLen, Option<C::Folder>),
    watch: SplitWatch<'_>,
) -> PartOutcome<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    if I::NESTS || COLD {
        in_helped_chunks(own, chunk_len, before, &watch)
    } else {
        in_chunks(own, chunk_len, before, &watch)
    }
}

/// What is done with a part that another thread takes: the same closure for all offers, so that
/// there is one type of job for a loop.
#[inline(always)]
fn theft<I, C>(min: usize) -> impl FnOnce(Part<I, C>) -> Joint<I, C> + Copy + Send
where
    I: Items,
    C: Consumer<I::Item>,
{
    move |part| Joint::found(part, min)
}

/// The rest of a loop after an offer that did not come back, or for which
/// somebody asked.
#[cold]
#[inline(never)]
fn go_on<I, C>(
    outcome: PartOutcome<C::Folder, C::Result>,
    split: SplitOutcome<Part<I, C>, Joint<I, C>>,
    reducer: C::Reducer,
    mut chunk_len: ChunkLen,
    is_first: bool,
) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    if I::COUNTED {
        // Another thread has nothing to do: long items are not to be taken for short ones.
        site::<I, C>().forget();
    }
    match (outcome, split) {
        (PartOutcome::Open(open), SplitOutcome::NotTaken(other)) => {
            if is_first && !other.items.at_most(chunk_len.hidden) {
                // The thread that asked came too late for this, but is on its way.
                join::expose_next();
            }
            lazy(other, chunk_len, Some(open))
        }
        (outcome, SplitOutcome::Taken(joint)) => {
            let own = match outcome {
                PartOutcome::Shared => None,
                PartOutcome::Open(folder) => Some(folder.close(false)),
                PartOutcome::Closed(result) => Some(result),
            };
            let (shared, right) = joint.wait();
            let Some(left) = shared.or(own.map(Ok)) else {
                unreachable!("what is brought in is waited for");
            };
            shared::join_sides(reducer, left, right)
        }
        (PartOutcome::Closed(left), SplitOutcome::NotTaken(other)) => {
            // As a loop of its own, it begins with the shortest chunk.
            chunk_len.items = chunk_len.min;
            let right = lazy(other, chunk_len, None);
            reducer.reduce(left, right)
        }
        (PartOutcome::Shared, SplitOutcome::NotTaken(_)) => {
            unreachable!("what was not taken is not shared")
        }
    }
}

/// Which loop of the program this is.
#[inline(always)]
fn site<I, C>() -> Site
where
    I: Items,
    C: Consumer<I::Item>,
{
    // It is compiled once for each loop, and never inlined.
    Site::new(in_helped_chunks::<I, C> as *const ())
}

/// Goes through the items of `part` in chunks, while what comes after the part is on offer.
#[inline(always)]
fn in_chunks<I, C>(
    mut part: Part<I, C>,
    chunk_len: &mut ChunkLen,
    mut folder: Option<C::Folder>,
    watch: &SplitWatch<'_>,
) -> PartOutcome<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    // One call for all ways there: each would move the part to its own place.
    'helped: {
        if chunk_len.is_helped {
            break 'helped;
        }
        // The end of one chunk is the beginning of the next.
        let mut start = None;
        loop {
            if part.items.at_most(chunk_len.items) {
                return PartOutcome::Open(part.fold_after(folder));
            }
            let next = chunk_len.next.take();
            if next.is_none() && start.is_none() {
                start = Some(Ticks::now());
            }
            let after;
            (after, part) = part.fold_chunk(chunk_len, folder);
            if after.full() {
                return PartOutcome::Open(after);
            }
            match (next, start) {
                (None, Some(begin)) => {
                    start = Some(chunk_len.learn_unhelped(begin));
                }
                (next, _) => chunk_len.items = next.unwrap_or(chunk_len.items),
            }
            folder = Some(after);
            if watch.is_taken() && join::has_room() {
                break 'helped;
            }
        }
    }
    in_helped_chunks(part, chunk_len, folder, watch)
}

/// As [`in_chunks`], where a thread helps, or for what nests.
#[cold]
#[inline(never)]
fn in_helped_chunks<I, C>(
    mut part: Part<I, C>,
    chunk_len: &mut ChunkLen,
    mut folder: Option<C::Folder>,
    watch: &SplitWatch<'_>,
) -> PartOutcome<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    if I::NESTS {
        let mut frame = Frame::new(part, folder);
        helped::nested(&mut frame, chunk_len, watch);
        return frame.into_outcome();
    }
    // What a chunk of this loop took is a measure, what one of another run took is not.
    let items = if chunk_len.is_measured {
        chunk_len.items
    } else {
        chunk_len.min
    };
    *chunk_len = ChunkLen::helped(chunk_len.min);
    chunk_len.items = items;
    loop {
        let is_full = match &folder {
            Some(folder) => folder.full(),
            None => part.consumer.full(),
        };
        if is_full
            || part
                .items
                .at_most(chunk_len.items.saturating_add(chunk_len.min - 1))
        {
            return PartOutcome::Open(part.fold_apart(folder));
        }
        // SAFETY: a `Joint` of this loop is what `theft` makes of the part that is watched, with a
        // number.
        if let Some(joint) = unsafe { watch.result::<Part<I, C>, Joint<I, C>>() } {
            joint.bring_in(part, folder, *chunk_len);
            return PartOutcome::Shared;
        }
        // It has been taken, and there is no telling what comes of it; or a thread has asked.
        let start = Ticks::now();
        let chunk;
        (chunk, part) = part.fold_apart_chunk(chunk_len, folder);
        chunk_len.learn(start);
        folder = Some(chunk);
    }
}
