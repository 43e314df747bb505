//! Lazy loops: what a loop has not begun is on offer, and comes back if no thread takes it.
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
//!   a loop that was measured [a moment ago](super::estimates). The last items are not offered
//!   where those before them took less than two chunks together; what is long among them is hidden.
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

use std::mem::MaybeUninit;

use super::chunk_len::ChunkLen;
use super::estimates::Site;
use super::frame::Frame;
use super::helped;
use super::items::Items;
use super::part::{Part, PartOutcome};
use super::shared::Joint;
use crate::iter::plumbing::{Consumer, Folder, Reducer};
use crate::join::{self, Lost, OfferOutcome, Offered, Rare, SplitWatch};
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
            return folder.close(true);
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
                Err(part) => return part.fold_apart(folder).close(true),
            }
        };
        let other = OnOffer {
            min: chunk_len.min,
            part: other,
        };
        // SAFETY: both of the rare functions end with the offer.
        let offered = unsafe {
            join::offer(
                other,
                (own, &mut chunk_len, folder.take()),
                reducer,
                go_through::<I, C>,
                PartOutcome::close,
                |own, reducer, other, rare| rarely(own, reducer, other, is_first, rare),
                lost::<I, C>,
            )
        };
        match offered {
            OfferOutcome::Kept(PartOutcome::Open(open), other, _) => {
                offers += 1;
                folder = Some(open);
                part = other.part;
            }
            OfferOutcome::Kept(PartOutcome::Closed(left), other, reducer) if I::NESTS => {
                return after_closed(left, other.part, reducer, chunk_len);
            }
            OfferOutcome::Kept(..) => closed_for_no_reason(),
            OfferOutcome::Ended(result) => return result,
        }
    }
}

/// What a lazy loop offers.
struct OnOffer<I, C> {
    part: Part<I, C>,
    /// No part is to be shorter.
    min: usize,
}

impl<I, C> Offered for OnOffer<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    type Taken = Joint;

    fn take(self) -> Joint {
        Joint::found(&mut Frame::new(self.part, None), self.min)
    }
}

/// Goes through what a loop has not offered.
#[inline(always)]
fn go_through<I, C>(
    (own, chunk_len, before): (Part<I, C>, &mut ChunkLen, Option<C::Folder>),
    watch: SplitWatch<'_>,
) -> PartOutcome<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    if I::NESTS {
        in_helped_chunks(own, chunk_len, before, &watch)
    } else {
        in_chunks(own, chunk_len, before, &watch)
    }
}

/// The rest of a loop, where a thread has asked for attention when it made an offer, or the deque
/// is full.
#[cold]
#[inline(never)]
fn rarely<I, C>(
    (own, chunk_len, folder): (Part<I, C>, &mut ChunkLen, Option<C::Folder>),
    reducer: C::Reducer,
    other: MaybeUninit<OnOffer<I, C>>,
    is_first: bool,
    rare: Rare<'_, Joint>,
) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    if I::COUNTED {
        // Another thread has nothing to do: long items are not to be taken for short ones.
        site::<I, C>().forget();
    }
    let mut own = Frame::new(own, folder);
    own.set_reducer(reducer);
    if helped::run_rarely(&mut own, chunk_len, rare) {
        // SAFETY: the offer has come back.
        let other = unsafe { other.assume_init() };
        let mut other = Frame::new(other.part, None);
        helped::go_on(&mut own, &mut other, chunk_len, is_first);
    }
    own.into_result()
}

/// The rest of a loop after another thread has taken its offer.
#[cold]
#[inline(never)]
fn lost<I, C>(
    outcome: PartOutcome<C::Folder, C::Result>,
    reducer: C::Reducer,
    lost: Lost<'_, Joint>,
) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    if I::COUNTED {
        // As above.
        site::<I, C>().forget();
    }
    let mut own = Frame::<I, C>::of_outcome(outcome, reducer);
    helped::lost(&mut own, lost);
    own.into_result()
}

/// The rest of a loop of what nests: the offer has come back, and the first part is closed.
#[cold]
#[inline(never)]
fn after_closed<I, C>(
    left: C::Result,
    other: Part<I, C>,
    reducer: C::Reducer,
    mut chunk_len: ChunkLen,
) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    // As a loop of its own, it begins with the shortest chunk.
    chunk_len.items = chunk_len.min;
    let right = lazy(other, chunk_len, None);
    reducer.reduce(left, right)
}

#[cold]
fn closed_for_no_reason() -> ! {
    unreachable!("a part is closed, or brought in to a shared loop, if its offer has been taken")
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
                    start = Some(chunk_len.learn_unhelped(begin, part.items.left()));
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
    part: Part<I, C>,
    chunk_len: &mut ChunkLen,
    folder: Option<C::Folder>,
    watch: &SplitWatch<'_>,
) -> PartOutcome<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    let mut frame = Frame::new(part, folder);
    helped::through(&mut frame, chunk_len, watch);
    frame.into_outcome()
}
