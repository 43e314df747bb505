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

mod consumer;
mod folder;
mod inner_loop_threshold;
mod nest;
mod producer;

#[doc(hidden)]
pub use {inner_loop_threshold::InnerLoopThreshold, nest::Nested};

pub use {
    crate::iter::engine::drive::{bridge, bridge_producer_consumer, bridge_unindexed},
    consumer::{Consumer, UnindexedConsumer},
    folder::{Folder, Reducer},
    producer::{Producer, ProducerCallback, UnindexedProducer},
};
