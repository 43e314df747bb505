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
//! * *Nothing hides.* While the first item runs, all others are on offer: half of them, and the rest of
//!   its own half. So it is during each run once somebody helps.
//! * *A run hides little*: 64 times as many items as the run before, up to 1,024, while half of all stand open,
//!   where nobody came; what takes some microseconds, where somebody did.
//! * *Unhelped is sequential.* Runs grow, offers become few and, once half of the loop is done, small; the folder goes
//!   on from run to run and from part to part ([`Consumer::resume`]).
//! * *A thief begins at the end*: with the last item of what it took, while the rest is on offer.
//!
//! What is not indexed goes the same way ([`items`](super::items)): a run is a piece of a text, or
//! some nodes of a tree. Where pieces can be of any size, all but the first one are on offer until it
//! is known how long that takes.

use super::items::Items;
use super::pace::Pace;
use super::part::{Course, Part};
use super::plant::planted;
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
    loop {
        let is_full = match &folder {
            Some(folder) => folder.full(),
            None => part.consumer.full(),
        };
        if is_full || part.items.at_most(pace.hidden) {
            return part.fold_after(folder).complete();
        }
        let is_late = folder.is_some() && !pace.is_helped;
        let (own, other, reducer) = if I::COUNTED {
            let at = part.items.middle(&pace, is_late);
            part.split(at)
        } else {
            match part.halve(&pace, is_late) {
                Ok(halves) => halves,
                Err(part) => return part.fold_apart(folder).complete(),
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
        );
        match settled {
            Settled::Plainly(Course::Open(open), Fate::Back(other)) => {
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
    if I::NESTS {
        nested(own, pace, before, &watch)
    } else if CALMLY {
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
    move |part| stolen(part, min)
}

/// A part that another thread than its loop's has taken. Its last item comes first: those at the
/// end of a loop are the ones that everybody waits for, and where cost grows with the index they
/// are the dearest (longest processing time first: Graham 1969).
#[cold]
#[inline(never)]
fn stolen<I, C>(mut part: Part<I, C>, min: usize) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    if planted!(StolenPartLost) {
        return part.consumer.into_folder().complete();
    }
    part.items.arrive();
    let pace = part.items.pace(min, true);
    if !I::COUNTED || part.items.len() <= 2 || part.items.len() / 2 < min {
        return lazy(part, pace, None);
    }
    let at = part.items.len() - min;
    let (rest, last, reducer) = part.split(at);
    let (last, fate) = join::offer_calmly(rest, (last, None), fold_calmly, theft(min));
    match fate {
        Fate::Back(mut rest) => {
            let (nothing, consumer, _) = rest.consumer.split_at(0);
            let (right, folder) = nothing.succeed(last);
            rest.consumer = consumer;
            if planted!(LastComesFirst) {
                return reducer.reduce(right, lazy(rest, pace, Some(folder)));
            }
            reducer.reduce(lazy(rest, pace, Some(folder)), right)
        }
        Fate::Done(left) => reducer.reduce(left, last.complete()),
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
    pace: Pace,
) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    match (course, fate) {
        (Course::Open(open), Fate::Back(other)) => lazy(other, pace, Some(open)),
        (Course::Open(open), Fate::Done(right)) if planted!(HalvesSwapped) => {
            reducer.reduce(right, open.complete())
        }
        (Course::Open(open), Fate::Done(right)) => reducer.reduce(open.complete(), right),
        (Course::Closed(left), Fate::Done(right)) => reducer.reduce(left, right),
        (Course::Closed(left), Fate::Back(other)) => {
            let right = lazy(other, pace, None);
            reducer.reduce(left, right)
        }
    }
}

/// Goes through the items of `part`, which can be of any size: as long as nothing is known about
/// them, no more than one is not on offer.
fn nested<I, C>(
    mut part: Part<I, C>,
    pace: &mut Pace,
    mut folder: Option<C::Folder>,
    watch: &Watch<'_>,
) -> Course<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    loop {
        if folder.as_ref().is_some_and(Folder::full) {
            return Course::Open(part.fold_apart(folder));
        }
        if pace.run > 1 || pace.nested == 0 {
            return in_helped_runs(part, pace, folder, watch);
        }
        if part.items.at_most(pace.run) {
            let start = pace.is_timed().then(Instant::now);
            let open = part.fold_apart(folder);
            match start {
                Some(start) => pace.learn_since(start),
                None => pace.learn_nothing(),
            }
            return Course::Open(open);
        }
        let (own, other, reducer) = match part.halve(pace, false) {
            Ok(halves) => halves,
            Err(part) => return in_helped_runs(part, pace, folder, watch),
        };
        let min = pace.min;
        let own = (own, &mut *pace, folder.take());
        let settled = join::offer_calmly(other, own, nested_deeper, theft(min));
        match settled {
            (Course::Open(open), Fate::Back(other)) => {
                folder = Some(open);
                part = other;
            }
            (course, fate) => {
                return Course::Closed(go_on(course, fate, reducer, *pace));
            }
        }
    }
}

/// As [`nested`], for the first of two parts.
fn nested_deeper<I, C>(
    (own, pace, before): (Part<I, C>, &mut Pace, Option<C::Folder>),
    watch: Watch<'_>,
) -> Course<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    pace.nested -= 1;
    let course = nested(own, pace, before, &watch);
    pace.nested += 1;
    course
}

/// Goes through the items of `part` in runs, while what comes after the part is on offer; during the first
/// run, of which nobody knows how long it takes, also the rest of the part.
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
            if I::COUNTED && folder.is_none() {
                let (run, rest, reducer) = part.split(pace.run);
                let settled = join::offer(
                    rest,
                    run,
                    |run, _| run.fold_after(None),
                    |run| ((run, None), fold_calmly),
                    theft(pace.min),
                );
                match settled {
                    Settled::Plainly(open, Fate::Back(rest)) => {
                        after = open;
                        part = rest;
                    }
                    Settled::Rarely(open, Fate::Back(rest)) => {
                        folder = Some(open);
                        part = rest;
                        break 'helped;
                    }
                    Settled::Plainly(open, Fate::Done(right))
                    | Settled::Rarely(open, Fate::Done(right)) => {
                        return Course::Closed(reducer.reduce(open.complete(), right));
                    }
                }
            } else {
                (after, part) = part.fold_run(pace, folder);
            }
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

/// Goes through a run, while the rest of its part is on offer.
#[inline(always)]
fn fold_calmly<I, C>((run, before): (Part<I, C>, Option<C::Folder>), _watch: Watch<'_>) -> C::Folder
where
    I: Items,
    C: Consumer<I::Item>,
{
    run.fold_apart(before)
}

/// As [`in_runs`], where somebody helps: so the rest of the part is on offer during every run.
#[cold]
#[inline(never)]
fn in_helped_runs<I, C>(
    mut part: Part<I, C>,
    pace: &mut Pace,
    mut folder: Option<C::Folder>,
    watch: &Watch<'_>,
) -> Course<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    loop {
        if let Some(open) = folder {
            if open.full() {
                return Course::Open(open);
            }
            if watch.is_taken() && join::has_room() {
                return Course::Closed(alone(part, *pace, open));
            }
            folder = Some(open);
        }
        if part.items.at_most(pace.run) {
            return Course::Open(part.fold_apart(folder));
        }
        let start = Instant::now();
        let after;
        if I::COUNTED {
            let (run, rest, reducer) = part.split(pace.run);
            let own = (run, folder.take());
            match join::offer_calmly(rest, own, fold_calmly, theft(pace.min)) {
                (open, Fate::Back(rest)) => {
                    after = open;
                    part = rest;
                }
                (open, Fate::Done(right)) => {
                    return Course::Closed(reducer.reduce(open.complete(), right));
                }
            }
        } else {
            (after, part) = part.fold_run(pace, folder);
        }
        pace.learn_since(start);
        folder = Some(after);
    }
}

/// The rest of a part whose offer is gone.
#[cold]
#[inline(never)]
fn alone<I, C>(part: Part<I, C>, pace: Pace, folder: C::Folder) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    let fresh = part.items.pace(pace.min, true);
    let pace = Pace {
        run: pace.run.min(fresh.run),
        whole: pace.whole,
        // Each taken offer is a level deeper on the stack, which may be one for every node of a tree.
        nested: pace.nested.min(1),
        ..fresh
    };
    lazy(part, pace, Some(folder))
}
