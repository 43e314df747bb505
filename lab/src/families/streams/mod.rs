//! What a runtime has to offer to run streams.
//!
//! As with loops, there is one method per kind of stream, in which each library's own calls stand as
//! its users would write them. A runtime names those that it has, and is not a row of the others: a
//! channel has no parallel map, and one thread is no pipeline.

use anyhow::Result;

use crate::mapping::{Mapping, Tally};
use crate::pipeline::Pipeline;
use crate::runtime::RuntimeCard;

/// A kind of stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// [`Streamer::pipe`] with a producer that is always busy.
    Pipe,
    /// [`Streamer::pipe`] with a producer that sleeps between two items.
    Trickle,
    /// [`Streamer::map`].
    Map,
}

/// A runtime that runs streams.
pub trait Streamer: Sized + Sync {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// What it does.
    const TASKS: &'static [Task];

    /// Whether it is a row of the default run, which has little time.
    const BY_DEFAULT: bool = true;

    /// Makes whatever lives longer than one stream, such as a pool of its own.
    fn start(jobs: usize) -> Result<Self>;

    /// Makes all items in one thread at a time, in order, and handles each on one of `jobs` threads.
    /// So many items are handed over together, where the runtime leaves that to its users.
    fn pipe<P: Pipeline>(&self, _pipeline: &P, _batch: usize) {
        unreachable!("this runtime lacks it")
    }

    /// Maps numbers in parallel and takes the results in order at one serial end, if the runtime can.
    fn map<M: Mapping>(&self, _mapping: &M) -> Tally {
        unreachable!("this runtime lacks it")
    }
}

/// The items of a pipeline, made one after the other.
pub fn made<P: Pipeline>(pipeline: &P) -> impl Iterator<Item = P::Item> + Send {
    (0..pipeline.items()).map(|index| pipeline.make(index))
}

/// The same, so many together, for runtimes that leave it to their users. An item waits until its
/// batch is full.
pub fn batches<P: Pipeline>(
    pipeline: &P,
    batch: usize,
) -> impl Iterator<Item = Vec<P::Item>> + Send {
    let mut items = made(pipeline);
    std::iter::from_fn(move || {
        let mut together = Vec::with_capacity(batch);
        together.extend(items.by_ref().take(batch));
        (!together.is_empty()).then_some(together)
    })
}
