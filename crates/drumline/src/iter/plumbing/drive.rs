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
//! * *A thief begins at the end*: with the last item of what it took, while the rest is on offer.
//!
//! # Eager loops
//!
//! What cannot resume, is not indexed, or asks for short parts is halved by `join` up to six times, and up to
//! six times again whenever a half migrates. So is a loop whose number of threads is limited.

use std::time::Duration;

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
    let part = Part {
        producer,
        consumer,
        len,
    };
    if part.consumer.full() {
        return part.consumer.into_folder().complete();
    }
    if len <= 1 || part.consumer.hides(len) {
        return part.fold();
    }
    let (min, max) = (
        part.producer.min_len().max(1),
        part.producer.max_len().max(1),
    );
    if Limit::is_set() {
        return limited(part, min, max);
    }
    if C::RESUMES && !P::HAS_STATE && len <= max {
        join::within(move || lazy(part, Pace::new(len, min), None))
    } else {
        let halving = Halving {
            min,
            max,
            limit: None,
        };
        join::within(move || eager(part, halving, SPLITS))
    }
}

/// A loop for which there is a limit: an eager one, which asks for a permit wherever it forks.
#[cold]
#[inline(never)]
fn limited<P, C>(part: Part<P, C>, min: usize, max: usize) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    let limit = Limit::of_next_loop();
    let halving = Halving {
        min,
        max,
        limit: limit.as_deref(),
    };
    join::within(move || eager(part, halving, SPLITS))
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
    let limit = Limit::of_next_loop();
    join::within(move || eager_unindexed(producer, consumer, limit.as_deref(), SPLITS))
}

/// How often an eager loop halves its items before a thread goes through them.
const SPLITS: u32 = 6;

/// The longest run before anybody looks at the clock, in items.
const UNTIMED: usize = 1024;

/// A run that took less than this may be followed by a longer one.
pub(super) const SHORT: Duration = Duration::from_micros(4);

/// A run that took more than this is followed by a shorter one.
pub(super) const LONG: Duration = Duration::from_micros(16);

/// Items and who takes them.
struct Part<P, C> {
    producer: P,
    consumer: C,
    len: usize,
}

impl<P, C> Part<P, C>
where
    P: Producer,
    C: Consumer<P::Item>,
{
    fn split(self, at: usize) -> (Self, Self, C::Reducer) {
        let (producer, rest) = self.producer.split_at(at);
        let (consumer, others, reducer) = self.consumer.split_at(at);
        let first = Part {
            producer,
            consumer,
            len: at,
        };
        let second = Part {
            producer: rest,
            consumer: others,
            len: self.len - at,
        };
        (first, second, reducer)
    }

    /// Goes through all items.
    fn fold(self) -> C::Result {
        let folder = self.consumer.into_folder();
        self.producer.fold_with(folder).complete()
    }

    /// Goes through the first `run` items, after those of `folder`, if there is one.
    #[inline(always)]
    fn fold_run(self, run: usize, folder: Option<C::Folder>) -> (C::Folder, Self) {
        let (producer, rest) = self.producer.split_at(run);
        let (folder, consumer) = match folder {
            Some(folder) => self.consumer.advance(folder, run),
            None => {
                let (first, others, _) = self.consumer.split_at(run);
                (first.into_folder(), others)
            }
        };
        let rest = Part {
            producer: rest,
            consumer,
            len: self.len - run,
        };
        (producer.fold_with(folder), rest)
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
        self.producer.fold_with(folder)
    }
}

/// How long runs are.
#[derive(Clone, Copy)]
struct Pace {
    run: usize,
    /// As much as this may be done without an offer.
    hidden: usize,
    min: usize,
    /// Somebody helps: so runs are measured.
    is_helped: bool,
}

impl Pace {
    /// The pace of a loop that nobody has helped with yet.
    #[inline(always)]
    fn new(len: usize, min: usize) -> Self {
        let share = (len / 16).max(1);
        Pace {
            run: share.min(UNTIMED).max(min),
            hidden: share.min(UNTIMED / 4).max(min * 2 - 1),
            min,
            is_helped: false,
        }
    }

    /// The pace of somebody who helps, or is helped: nobody knows how long items take.
    fn helped(len: usize, min: usize) -> Self {
        let share = (len / 64).max(1);
        Pace {
            run: share.min(UNTIMED).max(min),
            hidden: share.min(UNTIMED / 4).max(min * 2 - 1),
            min,
            is_helped: true,
        }
    }

    /// Whether the next run is to be measured.
    #[inline(always)]
    fn is_timed(&self) -> bool {
        self.is_helped || self.run >= UNTIMED
    }

    /// A run is over.
    #[inline(always)]
    fn learn(&mut self, took: Option<Duration>) {
        match took {
            None => self.run = self.run.saturating_mul(8),
            Some(took) if took < SHORT => self.run = self.run.saturating_mul(2),
            Some(took) if took > LONG => self.run = (self.run / 2).max(self.min),
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

/// Goes through the items of `part` after those of `folder`, and offers half of what is left,
/// over and over.
fn lazy<P, C>(mut part: Part<P, C>, mut pace: Pace, mut folder: Option<C::Folder>) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    loop {
        let is_full = match &folder {
            Some(folder) => folder.full(),
            None => part.consumer.full(),
        };
        if is_full || part.len <= pace.hidden {
            return part.fold_after(folder).complete();
        }
        let offered = if folder.is_some() && !pace.is_helped {
            (part.len / 4).max(1)
        } else {
            part.len.div_ceil(2)
        };
        let own = part.len - offered;
        let (own, other, reducer) = part.split(own);
        let before = folder.take();
        let now = &mut pace;
        let min = now.min;
        let settled = join::offer(
            other,
            move |watch| in_runs(own, now, before, &watch),
            move |other| stolen(other, min),
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

/// A part that another thread than its loop's has taken. Its last item comes first: those at the
/// end of a loop are the ones that everybody waits for, and where cost grows with the index they
/// are the dearest (longest processing time first: Graham 1969).
fn stolen<P, C>(part: Part<P, C>, min: usize) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    let pace = Pace::helped(part.len, min);
    if part.len <= min.max(2) {
        return lazy(part, pace, None);
    }
    let before = part.len - 1;
    let (rest, last, reducer) = part.split(before);
    let settled = join::offer(
        rest,
        move |_| last.fold_after(None),
        move |rest| stolen(rest, min),
    );
    let (Settled::Plainly(last, fate) | Settled::Rarely(last, fate)) = settled;
    match fate {
        Fate::Back(mut rest) => {
            let (nothing, consumer, _) = rest.consumer.split_at(0);
            let (right, folder) = nothing.succeed(last);
            rest.consumer = consumer;
            reducer.reduce(lazy(rest, pace, Some(folder)), right)
        }
        Fate::Done(left) => reducer.reduce(left, last.complete()),
    }
}

/// The rest of a loop after an offer that did not come back, or for which
/// somebody asked.
#[cold]
#[inline(never)]
fn go_on<P, C>(
    course: Course<C::Folder, C::Result>,
    fate: Fate<Part<P, C>, C::Result>,
    reducer: C::Reducer,
    pace: Pace,
) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    match (course, fate) {
        (Course::Open(open), Fate::Back(other)) => lazy(other, pace, Some(open)),
        (Course::Open(open), Fate::Done(right)) => reducer.reduce(open.complete(), right),
        (Course::Closed(left), Fate::Done(right)) => reducer.reduce(left, right),
        (Course::Closed(left), Fate::Back(other)) => {
            let right = lazy(other, pace, None);
            reducer.reduce(left, right)
        }
    }
}

/// Goes through the items of `part` in runs, as long as the rest is on offer.
#[inline(always)]
fn in_runs<P, C>(
    mut part: Part<P, C>,
    pace: &mut Pace,
    mut folder: Option<C::Folder>,
    watch: &Watch<'_>,
) -> Course<C::Folder, C::Result>
where
    P: Producer,
    C: Consumer<P::Item>,
{
    loop {
        if part.len <= pace.run {
            return Course::Open(part.fold_after(folder));
        }
        let start = pace.is_timed().then(Instant::now);
        let (after, rest) = part.fold_run(pace.run, folder);
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
fn alone<P, C>(part: Part<P, C>, pace: Pace, folder: C::Folder) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    let fresh = Pace::helped(part.len, pace.min);
    let pace = Pace {
        run: pace.run.min(fresh.run),
        ..fresh
    };
    lazy(part, pace, Some(folder))
}

/// What an eager loop goes by.
#[derive(Clone, Copy)]
struct Halving<'l> {
    min: usize,
    max: usize,
    limit: Option<&'l Limit>,
}

/// Halves `part` until it was halved `splits` times, and goes through what is left.
fn eager<P, C>(part: Part<P, C>, halving: Halving<'_>, splits: u32) -> C::Result
where
    P: Producer,
    C: Consumer<P::Item>,
{
    if part.consumer.full() {
        return part.consumer.into_folder().complete();
    }
    let half = part.len / 2;
    let is_split = part.len > halving.max || splits > 0 && half >= halving.min;
    if half == 0 || !is_split {
        return part.fold();
    }
    let (first, second, reducer) = part.split(half);
    let splits = splits.saturating_sub(1);
    let (left, right) = fork(
        halving.limit,
        move || eager(first, halving, splits),
        move |migrated| eager(second, halving, if migrated { SPLITS } else { splits }),
    );
    reducer.reduce(left, right)
}

/// As [`eager`], where nobody knows how many items there are.
fn eager_unindexed<P, C>(producer: P, consumer: C, limit: Option<&Limit>, splits: u32) -> C::Result
where
    P: UnindexedProducer,
    C: UnindexedConsumer<P::Item>,
{
    if consumer.full() {
        return consumer.into_folder().complete();
    }
    let (first, second) = if splits > 0 {
        producer.split()
    } else {
        (producer, None)
    };
    let Some(second) = second else {
        return first.fold_with(consumer.into_folder()).complete();
    };
    let reducer = consumer.to_reducer();
    let before = consumer.split_off_left();
    let splits = splits - 1;
    let (left, right) = fork(
        limit,
        move || eager_unindexed(first, before, limit, splits),
        move |migrated| {
            let splits = if migrated { SPLITS } else { splits };
            eager_unindexed(second, consumer, limit, splits)
        },
    );
    reducer.reduce(left, right)
}

/// Runs `a` and `b`, at once if there is a permit; `b` is told whether it migrated.
fn fork<A, B, RA, RB>(limit: Option<&Limit>, a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    #[cfg(all(test, not(any(loom, shuttle))))]
    if join::forced::is_active() {
        return join::forced::fork(a, b);
    }
    let Some(limit) = limit else {
        return join::join_context(move |_| a(), move |context| b(context.migrated()));
    };
    if !limit.acquire() {
        return (a(), b(false));
    }
    join::join_context(
        move |_| a(),
        move |context| {
            let permit = limit.hold();
            if context.migrated() {
                return b(true);
            }
            drop(permit);
            b(false)
        },
    )
}
