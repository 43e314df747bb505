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
//! * *Nothing hides.* As long as there is more than a run to be done, somebody can take half of it;
//!   also while the very first item runs.
//! * *A run hides little*: at most a 64th of the items, or three times as many as the run before
//!   where nobody came; and where somebody did, what takes some microseconds.
//! * *Unhelped is sequential.* Runs grow, offers become few, the folder goes on from run to run
//!   and from part to part ([`Consumer::resume`]).
//!
//! What is not indexed goes the same way: a run is a piece of a text, or so much of a tree
//! ([`items`](super::items)).
//!
//! # Eager loops
//!
//! What cannot resume, or asks for short parts, is halved by `join` up to six times, and up to six
//! times again whenever a half migrates.

use std::time::Duration;

use super::items::{Counted, Halves, Items, Stretch, Stretched, Uncounted};
use super::{
    Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer, UnindexedProducer,
};
use crate::iter::IndexedParallelIterator;
use crate::join::{self, Watch};
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
    if len <= 1 {
        return part.fold();
    }
    part.drive(min, max)
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
    let consumer = Uncounted(consumer);
    Part { items, consumer }.drive(1, usize::MAX)
}

/// How often an eager loop halves its items before a thread goes through them.
pub(super) const SPLITS: u32 = 6;

/// The longest run before anybody looks at the clock, in items.
const UNTIMED: usize = 1024;

/// A run that took less than this may be followed by a longer one.
const SHORT: Duration = Duration::from_micros(4);

/// A run that took more than this is followed by a shorter one.
const LONG: Duration = Duration::from_micros(16);

/// Items and who takes them.
struct Part<I, C> {
    items: I,
    consumer: C,
}

impl<I, C> Part<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    fn drive(self, min: usize, max: usize) -> C::Result {
        if self.consumer.full() {
            return self.fold();
        }
        if C::RESUMES && (max == usize::MAX || self.items.at_most(max)) {
            let pace = self.items.pace(min);
            join::within(move || lazy(self, pace, None))
        } else {
            join::within(move || eager(self, min, max, SPLITS))
        }
    }

    #[inline(always)]
    fn halve(self, pace: &Pace) -> Result<(Self, Self, C::Reducer), Self> {
        let consumer = self.consumer;
        match self.items.halve(pace) {
            Ok((items, rest, at)) => {
                let (consumer, others, reducer) = consumer.split_at(at);
                let first = Part { items, consumer };
                let second = Part {
                    items: rest,
                    consumer: others,
                };
                Ok((first, second, reducer))
            }
            Err(items) => Err(Part { items, consumer }),
        }
    }

    /// Goes through all items.
    fn fold(self) -> C::Result {
        let folder = self.consumer.into_folder();
        if folder.full() {
            return folder.complete();
        }
        self.items.fold_all(folder).complete()
    }

    /// Goes through the next run, after the items of `folder`, if there is one.
    #[inline(always)]
    fn fold_run(self, pace: &mut Pace, folder: Option<C::Folder>) -> (C::Folder, Self) {
        let (folder, consumer) = match folder {
            Some(folder) => self.consumer.advance(folder, pace.run),
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
            Some(folder) => self.consumer.resume(folder),
            None => self.consumer.into_folder(),
        };
        if folder.full() {
            return folder;
        }
        self.items.fold_all(folder)
    }
}

/// How long runs are.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// The next one, in items.
    pub(crate) run: usize,
    /// As much as this may be done without an offer.
    hidden: usize,
    min: usize,
    /// Somebody helps, or items can be of any size: so runs are measured.
    is_timed: bool,
    /// Where there is nothing to count: what has been split so often is gone through as a whole.
    pub(super) whole: u32,
    /// How often that had been split which the last run went through.
    pub(super) depth: u32,
}

impl Pace {
    pub(super) fn new(len: usize, min: usize) -> Self {
        Pace {
            run: (len / 64).clamp(1, UNTIMED).max(min),
            hidden: (len / 64).clamp(1, UNTIMED / 4).max(min.saturating_mul(2) - 1),
            min,
            is_timed: false,
            whole: u32::MAX,
            depth: 0,
        }
    }

    /// The pace where nobody knows how many items there are.
    pub(crate) fn unknown() -> Self {
        Pace::new(1, 1).helped()
    }

    /// The pace of somebody who helps, or is helped: nobody knows how long items take.
    fn helped(self) -> Self {
        Pace {
            is_timed: true,
            ..self
        }
    }

    /// Whether the next run is to be measured.
    fn is_timed(&self) -> bool {
        self.is_timed || self.run >= UNTIMED
    }

    /// A run is over.
    fn learn(&mut self, took: Option<Duration>) {
        match took {
            None => self.run = self.run.saturating_mul(4),
            Some(took) if took < SHORT => {
                self.run = self.run.saturating_mul(2);
                self.whole = self.whole.min(self.depth).saturating_sub(1).max(SPLITS);
            }
            Some(took) if took > LONG => {
                self.run = (self.run / 2).max(self.min);
                self.whole = self.whole.max(self.depth.saturating_add(1));
            }
            Some(_) => {}
        }
    }
}

/// How far the first part has come when its offer is settled.
enum Course<F, R> {
    /// All its items have been given to a folder that can go on.
    Open(F),
    /// The offer was seen to be gone; this has been made of all items.
    Closed(R),
}

/// A part as it comes back: not begun, or done by somebody else.
enum Fate<T, R> {
    Back(T),
    Done(R),
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
        let (own, other, reducer) = match part.halve(&pace) {
            Ok(halves) => halves,
            Err(part) => return part.fold_after(folder).complete(),
        };
        let before = folder.take();
        let min = pace.min;
        let now = &mut pace;
        let (course, fate) = join::offer(
            move |watch| in_runs(own, now, before, &watch),
            move |migrated| {
                if migrated {
                    let mut other = other;
                    other.items.arrive();
                    let pace = other.items.pace(min).helped();
                    Fate::Done(lazy(other, pace, None))
                } else {
                    Fate::Back(other)
                }
            },
        );
        match (course, fate) {
            (Course::Open(open), Fate::Back(other)) => {
                folder = Some(open);
                part = other;
            }
            (Course::Open(open), Fate::Done(right)) => {
                return reducer.reduce(open.complete(), right);
            }
            (Course::Closed(left), Fate::Done(right)) => return reducer.reduce(left, right),
            (Course::Closed(left), Fate::Back(other)) => {
                let right = lazy(other, pace, None);
                return reducer.reduce(left, right);
            }
        }
    }
}

/// Goes through the items of `part` in runs, as long as the rest is on offer.
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
    loop {
        if part.items.at_most(pace.run) {
            return Course::Open(part.fold_after(folder));
        }
        let start = pace.is_timed().then(Instant::now);
        let (after, rest) = part.fold_run(pace, folder);
        part = rest;
        if after.full() {
            return Course::Open(after);
        }
        pace.learn(start.map(|start| start.elapsed()));
        if watch.is_taken() {
            return Course::Closed(alone(part, *pace, after));
        }
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
    let fresh = part.items.pace(pace.min).helped();
    let pace = Pace {
        run: pace.run.min(fresh.run),
        whole: pace.whole,
        ..fresh
    };
    lazy(part, pace, Some(folder))
}

/// Halves `part` until it was halved `splits` times, and goes through what is left.
fn eager<I, C>(part: Part<I, C>, min: usize, max: usize, splits: u32) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    let is_long = max < usize::MAX && !part.items.at_most(max);
    // Halves are not to be shorter than `min`.
    let is_split = is_long || splits > 0 && !part.items.at_most(min.saturating_mul(2) - 1);
    if !is_split || part.consumer.full() {
        return part.fold();
    }
    let (first, second, reducer) = match part.halve(&Pace::unknown()) {
        Ok(halves) => halves,
        Err(part) => return part.fold(),
    };
    let splits = splits.saturating_sub(1);
    let (left, right) = join::join_context(
        move |_| eager(first, min, max, splits),
        move |context| {
            let splits = if context.migrated() { SPLITS } else { splits };
            eager(second, min, max, splits)
        },
    );
    reducer.reduce(left, right)
}
