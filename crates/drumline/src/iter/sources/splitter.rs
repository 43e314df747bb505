//! `split`: data that a function splits.

use std::fmt;

use crate::iter::ParallelIterator;
use crate::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};

/// A parallel iterator over the parts of something; see [`split`].
#[derive(Clone)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Split<D, S> {
    data: D,
    splitter: S,
}

/// A parallel iterator over the parts of `data`, which `splitter` splits in two, as often as it
/// makes sense or until it returns no second part.
///
/// Parts that take some microseconds or more are split as far as that goes, so that all of them can
/// be worked on at once. Those that take less are left whole, but for the first ones, which are
/// measured.
///
/// ```
/// use drumline::iter::split;
/// use drumline::prelude::*;
///
/// let field = 0..1_000u64;
/// let parts = split(field, |part| {
///     let middle = part.start.midpoint(part.end);
///     if part.end - part.start < 10 {
///         (part, None)
///     } else {
///         (part.start..middle, Some(middle..part.end))
///     }
/// });
/// assert_eq!(parts.map(|part| part.sum::<u64>()).sum::<u64>(), 499_500);
/// ```
pub fn split<D, S>(data: D, splitter: S) -> Split<D, S>
where
    D: Send,
    S: Fn(D) -> (D, Option<D>) + Sync,
{
    Split { data, splitter }
}

impl<D: fmt::Debug, S> fmt::Debug for Split<D, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Split")
            .field("data", &self.data)
            .finish_non_exhaustive()
    }
}

impl<D, S> ParallelIterator for Split<D, S>
where
    D: Send,
    S: Fn(D) -> (D, Option<D>) + Sync + Send,
{
    type Item = D;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<D>,
    {
        let producer = SplitProducer {
            data: self.data,
            splitter: &self.splitter,
        };
        bridge_unindexed(producer, consumer)
    }
}

/// A part.
struct SplitProducer<'s, D, S> {
    data: D,
    splitter: &'s S,
}

impl<D, S> UnindexedProducer for SplitProducer<'_, D, S>
where
    D: Send,
    S: Fn(D) -> (D, Option<D>) + Sync,
{
    type Item = D;

    fn split(self) -> (Self, Option<Self>) {
        let splitter = self.splitter;
        let part = |data| SplitProducer { data, splitter };
        let (first, second) = splitter(self.data);
        (part(first), second.map(part))
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<D>,
    {
        folder.consume(self.data)
    }
}
