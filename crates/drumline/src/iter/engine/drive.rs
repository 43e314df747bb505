//! How a producer meets its consumer: which kind of loop it becomes.
//!
//! As a rule it is a [lazy](super::lazy) one.
//!
//! # Eager loops
//!
//! `join` halves what cannot resume, or asks for short parts: up to six times, and up to six times
//! again whenever a half migrates. So it does with a loop that has a limit on its threads.

use super::chunk_len::{ChunkLen, SPLITS};
use super::counted::Counted;
use super::eager::{Halving, eager};
use super::frame::Frame;
use super::helped::Fresh;
use super::items::{Halves, Items, Stretch, Stretched, Uncounted};
use super::lazy::lazy;
use super::loop_limit::LoopLimit;
use super::part::Part;
use super::steps::{PartState, Steps};
use crate::iter::IndexedParallelIterator;
use crate::iter::plumbing::{
    Consumer, Folder, Producer, ProducerCallback, UnindexedConsumer, UnindexedProducer,
};
use crate::join;

/// Drives `consumer` with the items of `par_iter`: what most sources do in
/// [`drive`](IndexedParallelIterator::drive).
///
/// ```
/// use drumline::iter::plumbing::{Consumer, ProducerCallback, UnindexedConsumer, bridge};
/// use drumline::prelude::*;
///
/// /// The items of a vector.
/// struct Items<T>(Vec<T>);
///
/// impl<T: Send> ParallelIterator for Items<T> {
///     type Item = T;
///     fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
///         bridge(self, consumer)
///     }
/// }
///
/// impl<T: Send> IndexedParallelIterator for Items<T> {
///     fn len(&self) -> usize {
///         self.0.len()
///     }
///     fn drive<C: Consumer<T>>(self, consumer: C) -> C::Result {
///         bridge(self, consumer)
///     }
///     fn with_producer<CB: ProducerCallback<T>>(self, callback: CB) -> CB::Output {
///         self.0.into_par_iter().with_producer(callback)
///     }
/// }
///
/// assert_eq!(Items(vec![1, 2, 3]).rev().collect::<Vec<_>>(), [3, 2, 1]);
/// ```
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
/// ```
/// use drumline::iter::plumbing::{Producer, UnindexedConsumer, bridge_producer_consumer};
/// use drumline::prelude::*;
///
/// /// The numbers from 0 on.
/// struct Below(u32);
///
/// impl ParallelIterator for Below {
///     type Item = u32;
///     fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
///         bridge_producer_consumer(self.0 as usize, Numbers(0..self.0), consumer)
///     }
/// }
///
/// struct Numbers(std::ops::Range<u32>);
///
/// impl Producer for Numbers {
///     type Item = u32;
///     type IntoIter = std::ops::Range<u32>;
///     fn into_iter(self) -> Self::IntoIter {
///         self.0
///     }
///     fn split_at(self, index: usize) -> (Self, Self) {
///         let middle = self.0.start + index as u32;
///         (Numbers(self.0.start..middle), Numbers(middle..self.0.end))
///     }
/// }
///
/// assert_eq!(Below(1_000).filter(|number| number % 2 == 0).count(), 500);
/// ```
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
        items: Counted::new(producer, len),
        consumer,
    };
    // A limit is to be hidden from the loops inside of this one, however short it is.
    if (len <= 1 || part.consumer.hides(len)) && !LoopLimit::is_set() {
        return part.fold_apart(None).complete();
    }
    let chunk_len = ChunkLen::new(min);
    drive_part(part, chunk_len, max, !P::HAS_STATE && len <= max)
}

/// Drives `consumer` with the items of `producer`, which does not know their number.
///
/// ```
/// use drumline::iter::plumbing::{
///     Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed,
/// };
/// use drumline::prelude::*;
///
/// /// A range that is halved as long as it pays.
/// struct Halves(std::ops::Range<u64>);
///
/// impl UnindexedProducer for Halves {
///     type Item = u64;
///     fn split(self) -> (Self, Option<Self>) {
///         let middle = self.0.start.midpoint(self.0.end);
///         if middle == self.0.start {
///             return (self, None);
///         }
///         (Halves(self.0.start..middle), Some(Halves(middle..self.0.end)))
///     }
///     fn fold_with<F: Folder<u64>>(self, folder: F) -> F {
///         folder.consume_iter(self.0)
///     }
/// }
///
/// impl ParallelIterator for Halves {
///     type Item = u64;
///     fn drive_unindexed<C: UnindexedConsumer<u64>>(self, consumer: C) -> C::Result {
///         bridge_unindexed(self, consumer)
///     }
/// }
///
/// assert_eq!(Halves(0..1_000).sum::<u64>(), 499_500);
/// ```
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
    let chunk_len = if I::NESTS {
        ChunkLen::unknown()
    } else {
        ChunkLen::new(1)
    };
    drive_part(part, chunk_len, usize::MAX, true)
}

/// Drives a part that is a whole loop, lazily if that is possible.
#[inline(always)]
fn drive_part<I, C>(
    part: Part<I, C>,
    chunk_len: ChunkLen,
    max: usize,
    may_be_lazy: bool,
) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    let is_lazy = C::RESUMES && may_be_lazy;
    // Put together again on each way, in place: a copy of it as a whole would have to wait for its
    // words.
    let Part { items, consumer } = part;
    let is_rare = LoopLimit::is_set() || join::is_outside() || consumer.full();
    if !is_lazy || is_rare {
        return drive_rarely(Part { items, consumer }, chunk_len, max, is_lazy);
    }
    lazy(Part { items, consumer }, chunk_len, None)
}

/// As [`drive_part`], with a limit, from outside of every pool, where nothing is wanted, or not
/// lazily.
#[cold]
#[inline(never)]
fn drive_rarely<I, C>(part: Part<I, C>, chunk_len: ChunkLen, max: usize, is_lazy: bool) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    let mut frame = Frame::new(part, None);
    whole(&mut frame, chunk_len, max, C::RESUMES && is_lazy);
    frame.into_result()
}

/// A loop that may be outside of every pool, and may have a limit.
fn whole(part: &mut dyn Steps, chunk_len: ChunkLen, max: usize, is_lazy: bool) {
    let hidden = LoopLimit::hide();
    let halving = Halving {
        min: chunk_len.min,
        max,
        limit: hidden.before().map(|limit| &**limit),
    };
    let look = part.look();
    if look.counted && look.left <= 1 || part.state() == PartState::Full {
        // Nothing in it for a second thread, nor for a pool.
        return eager(part, halving, 0);
    }
    let part = Fresh::new(part);
    join::within(move || {
        // A thread that must be alone, or is, has no use for parts.
        let is_alone = join::is_alone() || halving.limit.is_some_and(LoopLimit::is_alone);
        let splits = if is_alone { 0 } else { SPLITS };
        part.elsewhere(&mut |part| {
            if is_lazy && halving.limit.is_none() {
                part.lazy(chunk_len);
            } else {
                eager(part, halving, splits);
            }
        });
    });
}
