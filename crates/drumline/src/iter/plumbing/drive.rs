//! How a producer meets its consumer: the loops.
//!
//! # Lazy loops
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
//!
//! # Eager loops
//!
//! What cannot resume, or asks for short parts, is halved by `join` up to six times, and up to six
//! times again whenever a half migrates. So is a loop whose number of threads is limited.

use super::eager::{Halving, eager};
use super::items::{Counted, Halves, Items, Stretch, Stretched, Uncounted};
use super::pace::{Pace, SPLITS};
use super::plant::planted;
use super::{
    Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer, UnindexedProducer,
};
use crate::iter::IndexedParallelIterator;
use crate::iter::limit::Limit;
use crate::join::{self, Fate, Settled, Watch};
use crate::sync::Instant;

/// Drives `consumer` with the items of `par_iter`: what most sources do in
/// [`drive`](IndexedParallelIterator::drive).
///
/// # Panics
///
/// Where the producer, the consumer or a closure in them does.
///
/// # Blocking
///
/// Until the loop is done; the calling thread takes part in it.
pub fn bridge<I, C>(par_iter: I, consumer: C) -> C::Result
where
    I: IndexedParallelIterator,
    C: Consumer<I::Item>,
{
    struct Callback<C> {
        len: usize,
        consumer: C,
    }

    impl<C, I> ProducerCallback<I> for Callback<C>
    where
        C: Consumer<I>,
    {
        type Output = C::Result;

        fn callback<P>(self, producer: P) -> C::Result
        where
            P: Producer<Item = I>,
        {
            bridge_producer_consumer(self.len, producer, self.consumer)
        }
    }

    let len = par_iter.len();
    par_iter.with_producer(Callback { len, consumer })
}

/// Drives `consumer` with the `len` items of `producer`.
///
/// # Panics
///
/// As [`bridge`].
///
/// # Blocking
///
/// As [`bridge`].
pub fn bridge_producer_consumer<P, C>(len: usize, producer: P, consumer: C) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    let (min, max) = (producer.min_len().max(1), producer.max_len().max(1));
    let part = Part {
        items: Counted { producer, len },
        consumer,
    };
    if part.consumer.full() {
        return part.consumer.into_folder().complete();
    }
    if len <= 1 || part.consumer.hides(len) {
        if len <= 1 {
            // It is not for a loop inside of this one.
            Limit::pass();
        }
        return part.fold_apart(None).complete();
    }
    let pace = Pace::new(len, min);
    drive_part(part, pace, max, !P::HAS_STATE && len <= max)
}

/// Drives `consumer` with the items of `producer`, of which nobody knows how many there are.
///
/// # Panics
///
/// As [`bridge`].
///
/// # Blocking
///
/// As [`bridge`].
pub fn bridge_unindexed<P, C>(producer: P, consumer: C) -> C::Result
where
    P: UnindexedProducer,
    C: UnindexedConsumer<P::Item>,
{
    drive_items(Halves::new(producer), consumer)
}

/// Drives `consumer` with what comes of `stretch`.
pub(crate) fn bridge_stretch<S, C>(stretch: S, consumer: C) -> C::Result
where
    S: Stretch,
    C: UnindexedConsumer<S::Item>,
{
    drive_items(Stretched(stretch), consumer)
}

/// Drives `consumer` with `items`.
pub(crate) fn drive_items<I, C>(items: I, consumer: C) -> C::Result
where
    I: Items,
    C: UnindexedConsumer<I::Item>,
{
    let part = Part {
        items,
        consumer: Uncounted(consumer),
    };
    if part.consumer.full() {
        return part.consumer.into_folder().complete();
    }
    let pace = part.items.pace(1, false);
    drive_part(part, pace, usize::MAX, true)
}

/// Drives a part that is a whole loop, lazily if that is possible.
#[inline(always)]
fn drive_part<I, C>(part: Part<I, C>, pace: Pace, max: usize, may_be_lazy: bool) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    let is_lazy = C::RESUMES && may_be_lazy;
    // Put together again on each way, in place: a copy of it as a whole would have to wait for its words.
    let Part { items, consumer } = part;
    if !is_lazy || Limit::is_set() || join::is_outside() {
        return drive_rarely(Part { items, consumer }, pace, max, is_lazy);
    }
    lazy(Part { items, consumer }, pace, None)
}

/// As [`drive_part`], with a limit, from outside of every pool, or not lazily.
#[cold]
#[inline(never)]
fn drive_rarely<I, C>(part: Part<I, C>, pace: Pace, max: usize, is_lazy: bool) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    let limit = Limit::of_next_loop();
    let halving = Halving {
        min: pace.min,
        max,
        limit: limit.as_deref(),
    };
    join::within_calmly(move || {
        if C::RESUMES && is_lazy && halving.limit.is_none() {
            lazy(part, pace, None)
        } else {
            eager(part, halving, SPLITS)
        }
    })
}

/// Items and who takes them.
pub(crate) struct Part<I, C> {
    pub(super) items: I,
    pub(super) consumer: C,
}

impl<I, C> Part<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    /// Splits it in two; the second part may be smaller if it `is_late`. Gives it back where that cannot be
    /// done, or is not worth it.
    #[inline(always)]
    pub(super) fn halve(
        self,
        pace: &Pace,
        is_late: bool,
    ) -> Result<(Self, Self, C::Reducer), Self> {
        let consumer = self.consumer;
        let (items, rest, at) = match self.items.halve(pace, is_late) {
            Ok(halves) => halves,
            Err(items) => return Err(Part { items, consumer }),
        };
        let (consumer, others, reducer) = consumer.split_at(at);
        let first = Part { items, consumer };
        let second = Part {
            items: rest,
            consumer: others,
        };
        Ok((first, second, reducer))
    }

    /// Splits off the first `at` items, where their number is known.
    #[inline(always)]
    pub(super) fn split(self, at: usize) -> (Self, Self, C::Reducer) {
        let (items, rest) = self.items.split(at);
        let (consumer, others, reducer) = self.consumer.split_at(at);
        let first = Part { items, consumer };
        let second = Part {
            items: rest,
            consumer: others,
        };
        (first, second, reducer)
    }

    /// As [`fold_after`](Self::fold_after), compiled apart: every copy of a loop takes its time to be compiled, and
    /// it is one call for a whole run.
    #[inline(never)]
    pub(super) fn fold_apart(self, folder: Option<C::Folder>) -> C::Folder {
        self.fold_after(folder)
    }

    /// Goes through the next run, after the items of `folder`, if there is one. Compiled apart, too.
    #[inline(always)]
    fn fold_run(self, pace: &mut Pace, folder: Option<C::Folder>) -> (C::Folder, Self) {
        let (folder, consumer) = match folder {
            Some(folder) => self.consumer.advance(folder, pace.run),
            None if I::COUNTED => unreachable!("the first run of what is counted is split off"),
            None => {
                let (first, others, _) = self.consumer.split_at(pace.run);
                (first.into_folder(), others)
            }
        };
        let (folder, items) = self.items.fold_run(pace, folder);
        (folder, Part { items, consumer })
    }

    /// Goes through all items, after those of `folder`, if there is one.
    #[inline(always)]
    fn fold_after(self, folder: Option<C::Folder>) -> C::Folder {
        let folder = match folder {
            Some(folder) if planted!(ResumeForgotten) => folder,
            Some(folder) => self.consumer.resume(folder),
            None => self.consumer.into_folder(),
        };
        if folder.full() {
            return folder;
        }
        self.items.fold_all(folder)
    }
}

/// How far the first part has come when its offer is settled.
pub(crate) enum Course<F, R> {
    /// All its items have been given to a folder that can go on.
    Open(F),
    /// The offer was seen to be gone; this has been made of all items.
    Closed(R),
}

/// Goes through the items of `part` after those of `folder`, and offers half of what is left,
/// over and over.
fn lazy<I, C>(mut part: Part<I, C>, mut pace: Pace, mut folder: Option<C::Folder>) -> C::Result
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
            go_through,
            |own| (own, go_through_calmly),
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

/// Goes through what a loop has not offered.
#[inline(always)]
fn go_through<I, C>(
    (own, pace, before): (Part<I, C>, &mut Pace, Option<C::Folder>),
    watch: Watch<'_>,
) -> Course<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    if I::NESTS {
        nested(own, pace, before, &watch)
    } else {
        in_runs(own, pace, before, &watch)
    }
}

/// As [`go_through`], where somebody has asked for items just now.
#[inline(always)]
fn go_through_calmly<I, C>(
    (own, pace, before): (Part<I, C>, &mut Pace, Option<C::Folder>),
    watch: Watch<'_>,
) -> Course<C::Folder, C::Result>
where
    I: Items,
    C: Consumer<I::Item>,
{
    if I::NESTS {
        nested(own, pace, before, &watch)
    } else {
        in_helped_runs(own, pace, before, &watch)
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
pub(crate) fn nested<I, C>(
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
pub(super) fn in_runs<I, C>(
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
