//! The traits that parallel iterators are made of; for programs that write their own.
//!
//! Programs that only use parallel iterators need nothing from here.
//!
//! A *producer* gives items and can be split in two; a *consumer* takes items, can be split in two
//! as well, and says how two results become one. A parallel iterator joins the two: an adapter such
//! as `map` wraps the consumer, and hands it down to the source, which [bridges](bridge) it with
//! its producer. The traits have the names and signatures that they have in rayon, so that sources
//! written for rayon need another import and nothing else. A consumer's reducer must be [`Send`]
//! here, which rayon does not ask for.
//!
//! # Item operations
//!
//! A consumer becomes a [`Folder`], which takes items one after another and is
//! [completed](Folder::complete) to a result. The results of neighbours meet in a [`Reducer`].
//!
//! # What a loop does
//!
//! [`bridge_producer_consumer`] splits lazily: it offers the second half of its items to idle
//! threads and goes on with the first half, in short chunks. What no thread takes, it takes back.
//! So a loop that none helps with is a sequential loop: it has made a handful of offers, which cost
//! a nanosecond or two each. This is lazy binary splitting (Tzannes, Caragea, Barua, Vishkin,
//! 2010), with the offer made first instead of after a look at an empty queue, so that the first
//! item may take any time.
//!
//! Most consumers can [resume](Consumer::resume) one folder where the part that was split off
//! begins, and then no splitting is seen in the results either: a `fold` that none helps with
//! makes one value. Those that cannot are split in up to 64 parts in advance, and again when a part
//! is taken by another thread.
//!
//! # A source of one's own
//!
//! ```
//! use drumline::iter::plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge};
//! use drumline::prelude::*;
//!
//! /// The squares of a range of numbers.
//! struct Squares(std::ops::Range<u32>);
//!
//! impl Producer for Squares {
//!     type Item = u32;
//!     type IntoIter = std::iter::Map<std::ops::Range<u32>, fn(u32) -> u32>;
//!     fn into_iter(self) -> Self::IntoIter {
//!         self.0.map(|number| number * number)
//!     }
//!     fn split_at(self, index: usize) -> (Self, Self) {
//!         let middle = self.0.start + index as u32;
//!         (Squares(self.0.start..middle), Squares(middle..self.0.end))
//!     }
//! }
//!
//! impl ParallelIterator for Squares {
//!     type Item = u32;
//!     fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
//!         bridge(self, consumer)
//!     }
//!     fn opt_len(&self) -> Option<usize> {
//!         Some(self.0.len())
//!     }
//! }
//!
//! impl IndexedParallelIterator for Squares {
//!     fn len(&self) -> usize {
//!         self.0.len()
//!     }
//!     fn drive<C: Consumer<u32>>(self, consumer: C) -> C::Result {
//!         bridge(self, consumer)
//!     }
//!     fn with_producer<CB: ProducerCallback<u32>>(self, callback: CB) -> CB::Output {
//!         callback.callback(self)
//!     }
//! }
//!
//! assert_eq!(Squares(0..1_000).map(u64::from).sum::<u64>(), 332_833_500);
//! ```

use super::{IndexedParallelIterator, ParallelIterator};

mod chunk_len;
mod counted;
mod drive;
mod eager;
mod estimates;
mod frame;
mod helped;
mod inner_loop_threshold;
mod items;
mod lazy;
mod nest;
mod part;
pub(crate) mod plant;
mod shared;
mod steps;

#[doc(hidden)]
pub use {inner_loop_threshold::InnerLoopThreshold, nest::Nested};

pub use drive::{bridge, bridge_producer_consumer, bridge_unindexed};
pub(crate) use {
    chunk_len::ChunkLen,
    drive::{bridge_stretch, drive_items},
    items::{Items, Stretch},
};

/// A function that takes a producer, whatever its type is.
///
/// It stands for a closure with a generic parameter, which the language does not have.
pub trait ProducerCallback<T> {
    /// What it returns.
    type Output;

    /// Calls it.
    fn callback<P>(self, producer: P) -> Self::Output
    where
        P: Producer<Item = T>;
}

/// Gives a known number of items and can be split before any of them.
///
/// How many there are is not asked of the producer: the parallel iterator that makes it
/// [knows](super::IndexedParallelIterator::len).
pub trait Producer: Send + Sized {
    /// What it gives.
    type Item;

    /// What it becomes where it is not split any more.
    type IntoIter: Iterator<Item = Self::Item> + DoubleEndedIterator + ExactSizeIterator;

    /// Whether a part begins with something that has a price, such as a state that is made for it.
    /// Then parts are gone through at once, and not in chunks.
    const HAS_STATE: bool = false;

    /// Whether its iterator may give fewer items than it should, because another part of the loop
    /// has panicked: `true` behind [`panic_fuse`](super::ParallelIterator::panic_fuse). A producer
    /// that wraps another one should pass on what that says.
    const ENDS_EARLY: bool = false;

    /// Becomes a sequential iterator.
    fn into_iter(self) -> Self::IntoIter;

    /// The fewest items that a part should have; a wish, and at least 1.
    fn min_len(&self) -> usize {
        1
    }

    /// The most items that a part should have; a wish, too.
    fn max_len(&self) -> usize {
        usize::MAX
    }

    /// Splits it into the first `index` items and the rest.
    fn split_at(self, index: usize) -> (Self, Self);

    /// Gives all items to `folder`, until that is full.
    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Self::Item>,
    {
        folder.consume_iter(self.into_iter())
    }
}

/// Takes items; becomes a [`Folder`] where it is not split any more.
pub trait Consumer<Item>: Send + Sized {
    /// What it becomes.
    type Folder: Folder<Item, Result = Self::Result>;

    /// What makes one result of two, on whichever thread has the second of them.
    type Reducer: Reducer<Self::Result> + Send;

    /// What comes of it.
    type Result: Send;

    /// Whether [`resume`](Self::resume) may be called.
    const RESUMES: bool = false;

    /// Whether [`succeed`](Self::succeed) hands anything on.
    const SUCCEEDS: bool = false;

    /// Whether [`split_chunk`](Self::split_chunk) and [`advance`](Self::advance) take no notice of
    /// the count. Then they are also called, with the count 0, where the number of items is not
    /// known.
    const ADVANCES_UNCOUNTED: bool = false;

    /// Splits it into the consumer of the first `index` items, that of the rest, and what joins
    /// their results.
    fn split_at(self, index: usize) -> (Self, Self, Self::Reducer);

    /// Becomes a folder.
    fn into_folder(self) -> Self::Folder;

    /// Whether it wants no more items.
    fn full(&self) -> bool;

    /// Lets `folder` go on with the items of this consumer, which are the next ones after its own,
    /// as if the two had never been split.
    ///
    /// Called only where [`RESUMES`](Self::RESUMES) says so.
    ///
    /// # Panics
    ///
    /// Where it does not say so.
    fn resume(self, folder: Self::Folder) -> Self::Folder {
        let _ = folder;
        panic!("a consumer with `RESUMES` must have a `resume`");
    }

    /// Splits it into the consumer of a chunk, which is the first `count` items, and that of the
    /// rest, where one thread goes through both in turn: [`split_at`](Self::split_at), where that
    /// cannot be had for less.
    ///
    /// Called only where [`RESUMES`](Self::RESUMES) says so.
    fn split_chunk(self, count: usize) -> (Self, Self) {
        let (first, rest, _) = self.split_at(count);
        (first, rest)
    }

    /// Lets `folder` go on with the first `count` items of this consumer, and returns what takes
    /// the rest: [`split_at`](Self::split_at) and then [`resume`](Self::resume), where that cannot
    /// be had for less.
    ///
    /// Called only where [`RESUMES`](Self::RESUMES) says so.
    ///
    /// # Panics
    ///
    /// Where it does not say so.
    fn advance(self, folder: Self::Folder, count: usize) -> (Self::Folder, Self) {
        let (first, rest, _) = self.split_at(count);
        (first.resume(folder), rest)
    }

    /// Completes `folder`, which is done with items somewhere else, and becomes a folder on the
    /// same thread: one that may inherit what does not depend on where the items are.
    ///
    /// Called only where [`SUCCEEDS`](Self::SUCCEEDS) says so.
    fn succeed(self, folder: Self::Folder) -> (Self::Result, Self::Folder) {
        (folder.complete(), self.into_folder())
    }

    /// Whether a loop of `len` items, which begins now, is short enough to go without an offer to
    /// other threads.
    #[doc(hidden)]
    fn hides(&self, len: usize) -> bool {
        let _ = len;
        false
    }

    /// Drives this consumer with the items of `inner`, which come after those of `open`: goes on
    /// with that folder, and leaves it open, where it can. The reducer is for them;
    /// `inner_loop_threshold` is that of all loops that follow each other so.
    #[doc(hidden)]
    fn nest<I>(
        self,
        reducer: Self::Reducer,
        open: Option<Self::Folder>,
        threshold: Option<&InnerLoopThreshold>,
        inner: I,
    ) -> Nested<Self::Folder, Self::Result>
    where
        I: IndexedParallelIterator<Item = Item>,
    {
        nest::nest(self, reducer, open, threshold, inner)
    }
}

/// Takes items one after another.
pub trait Folder<Item>: Sized {
    /// What comes of it.
    type Result;

    /// Takes one item.
    #[must_use]
    fn consume(self, item: Item) -> Self;

    /// Takes items until there are no more, or it is full.
    #[must_use]
    fn consume_iter<I>(mut self, iter: I) -> Self
    where
        I: IntoIterator<Item = Item>,
    {
        for item in iter {
            self = self.consume(item);
            if self.full() {
                break;
            }
        }
        self
    }

    /// Ends it.
    fn complete(self) -> Self::Result;

    /// As [`complete`](Self::complete). Unless the loop of this folder `is_over`, its thread waits
    /// next, or begins another folder of the same loop: then nothing may stay open of what this one
    /// has, also not for a loop further out.
    #[doc(hidden)]
    fn close(self, is_over: bool) -> Self::Result {
        let _ = is_over;
        self.complete()
    }

    /// Whether it wants no more items.
    fn full(&self) -> bool;
}

/// Makes one result of two neighbours.
pub trait Reducer<Result> {
    /// Joins the result of what comes first with that of what comes after it.
    fn reduce(self, left: Result, right: Result) -> Result;
}

/// A consumer that can be split without knowing how many items each part gets.
pub trait UnindexedConsumer<I>: Consumer<I> {
    /// Splits off a consumer for items that come before all those of `self`.
    #[must_use]
    fn split_off_left(&self) -> Self;

    /// What joins the results of `self` and of what was split off.
    fn to_reducer(&self) -> Self::Reducer;

    /// As [`nest`](Consumer::nest), for an unknown number of items.
    #[doc(hidden)]
    fn nest_unindexed<L>(
        self,
        reducer: Self::Reducer,
        open: Option<Self::Folder>,
        threshold: Option<&InnerLoopThreshold>,
        inner: L,
    ) -> Nested<Self::Folder, Self::Result>
    where
        L: ParallelIterator<Item = I>,
    {
        nest::nest_unindexed(self, reducer, open, threshold, inner)
    }
}

/// Gives items and can perhaps be split, at places that are not known in advance.
pub trait UnindexedProducer: Send + Sized {
    /// What it gives.
    type Item;

    /// Splits it in two, if that is possible: the first comes before the second.
    fn split(self) -> (Self, Option<Self>);

    /// Gives all items to `folder`, until that is full.
    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Self::Item>;
}
