//! Lazy loops: what a loop has not begun is on offer, and comes back if nobody takes it.
//!
//! ```text
//!            ┌────────── own, in runs ─────────┬──────────── on offer ───────────────┐
//!   [ done ] [ run ][   run   ][     run       ][                                      ]
//! ```
//!
//! A loop splits what is left of its items, offers the second part, and goes through the first in runs.
//! After each run it looks whether the offer still stands. If so at the end, it takes the offer
//! back and starts over with it; if the offer is gone it splits what is left of its own part.
//! What follows from it:
//!
//! * *Nothing hides.* While the first item runs, all others are on offer. So it is during each run once somebody
//!   helps.
//! * *A run hides little*: 64 times as many items as the run before, up to 1,024, while half of all stand open,
//!   where nobody came; what takes some microseconds, where somebody did.
//! * *Unhelped is sequential.* Runs grow, offers become few and, once half of the loop is done, small; the folder goes
//!   on from run to run and from part to part ([`Consumer::resume`]).
//! * *A thread that waits has no folder*: where an offer was taken, the folder is completed before
//!   the thread waits for that. What it helps with meanwhile may be a part of the same loop, and
//!   has a folder of its own. So a loop has no more folders at once than threads, and no thread has
//!   two of one loop: a state may be a lock that is held.
//! * *A thief begins at the end*: with the last item of what it took, while the rest is on offer.
//!
//! What is done where nobody helps is here, and compiled for each loop of a program; the rest is
//! [compiled once](super::helped).
//!
//! What is not indexed goes the same way ([`items`](super::items)): a run is a piece of a text, or
//! some nodes of a tree. Where pieces can be of any size, all but the first one are on offer until it
//! is known how long that takes.

use super::helped;
use super::items::Items;
use super::pace::Pace;
use super::part::{Course, Part};
use super::plant::planted;
use super::steps::{self, Frame};
use super::{Consumer, Folder, Reducer};
use crate::join::{self, Fate, Settled, Watch};
use crate::sync::Instant;

/// Goes through the items of `part` after those of `folder`, and offers half of what is left,
/// over and over.
pub(super) fn lazy<I, C>(
    mut part: Part<I, C>,
    mut pace: Pace,
    mut folder: Option<C::Folder>,
) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    // The first one is of all but one run, the second of half of what is left then, the others of less.
    let mut offers = if folder.is_some() { 2 } else { 0 };
    loop {
        let is_full = match &folder {
            Some(folder) => folder.full(),
            None => part.consumer.full(),
        };
        if is_full || part.items.at_most(pace.hidden) {
            return part.fold_after(folder).close(!pace.is_part);
        }
        let is_first = I::COUNTED && offers == 0 && !pace.is_helped;
        let is_late = offers > usize::from(I::COUNTED) && !pace.is_helped;
        let (own, other, reducer) = if I::COUNTED {
            // A run, so that there is a folder where there are more of them.
            let at = if is_first {
                pace.run
            } else {
                part.items.middle(&pace, is_late)
            };
            part.split(at)
        } else {
            match part.halve(&pace, is_late) {
                Ok(halves) => halves,
                Err(part) => return part.fold_apart(folder).close(!pace.is_part),
            }
        };
        let min = pace.min;
        let own = (own, &mut pace, folder.take());
        let settled = join::offer(
            other,
            own,
            go_through::<I, C, false>,
            |own| (own, go_through::<I, C, true>),
            theft(min),
            Course::close,
        );
        match settled {
            Settled::Plainly(Course::Open(open), Fate::Back(other)) => {
                if is_first && !pace.is_timed() {
                    pace.learn_nothing();
                }
                offers += 1;
                folder = Some(open);
                part = other;
            }
            Settled::Plainly(course, fate) | Settled::Rarely(course, fate) => {
                return go_on(course, fate, reducer, pace);
            }
        }
    }
}

/// Goes through what a loop has not offered; calmly where somebody has asked for items just now.
#[inline(always)]
fn go_through<I, C, const CALMLY: bool>(
    (own, pace, before): (Part<I, C>, &mut Pace, Option<C::Folder>),
    watch: Watch<'_>,
) -> Course<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    if I::NESTS || CALMLY {
        in_helped_runs(own, pace, before, &watch)
    } else {
        in_runs(own, pace, before, &watch)
    }
}

/// What is done with a part that another thread takes: the same closure for all offers, so that there is one
/// type of job for a loop.
#[inline(always)]
fn theft<I, C>(min: usize) -> impl FnOnce(Part<I, C>) -> C::Result + Copy + Send
where
    I: Items,
    C: Consumer<I::Item>,
{
    move |part| {
        if planted!(StolenPartLost) {
            return part.consumer.into_folder().complete();
        }
        steps::elsewhere(part, &mut |part| helped::stolen(part, min))
    }
}

/// The rest of a loop after an offer that did not come back, or for which
/// somebody asked.
#[cold]
#[inline(never)]
fn go_on<I, C>(
    course: Course<C::Folder, C::Result>,
    fate: Fate<Part<I, C>, C::Result>,
    reducer: C::Reducer,
    mut pace: Pace,
) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    match (course, fate) {
        (Course::Open(open), Fate::Back(other)) => lazy(other, pace, Some(open)),
        (course, Fate::Done(right)) => {
            let left = course.into_result();
            if planted!(HalvesSwapped) {
                reducer.reduce(right, left)
            } else {
                reducer.reduce(left, right)
            }
        }
        (Course::Closed(left), Fate::Back(other)) => {
            // As a loop of its own, it begins with the shortest run.
            pace.run = pace.min;
            let right = lazy(other, pace, None);
            reducer.reduce(left, right)
        }
    }
}

/// Goes through the items of `part` in runs, while what comes after the part is on offer.
#[inline(always)]
fn in_runs<I, C>(
    mut part: Part<I, C>,
    pace: &mut Pace,
    mut folder: Option<C::Folder>,
    watch: &Watch<'_>,
) -> Course<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    // One call for all ways there: each would move the part to its own place.
    'helped: {
        if pace.is_helped {
            break 'helped;
        }
        loop {
            if part.items.at_most(pace.run) {
                return Course::Open(part.fold_after(folder));
            }
            let start = pace.is_timed().then(Instant::now);
            let after;
            (after, part) = part.fold_run(pace, folder);
            if after.full() {
                return Course::Open(after);
            }
            match start {
                Some(start) => pace.learn_since(start),
                None => pace.learn_nothing(),
            }
            folder = Some(after);
            if watch.is_taken() && join::has_room() {
                break 'helped;
            }
        }
    }
    in_helped_runs(part, pace, folder, watch)
}

/// As [`in_runs`], where somebody helps, or for what nests.
#[cold]
#[inline(never)]
fn in_helped_runs<I, C>(
    part: Part<I, C>,
    pace: &mut Pace,
    folder: Option<C::Folder>,
    watch: &Watch<'_>,
) -> Course<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    let mut frame = Frame::new(part, folder);
    if I::NESTS {
        helped::nested(&mut frame, pace, watch);
    } else {
        helped::helped(&mut frame, pace, watch);
    }
    frame.into_course()
}
