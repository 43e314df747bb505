//! `filter` and `filter_map`.

use super::plumbing::Folder;
use super::stage::{Plan, Stage, stage_adapter};

stage_adapter! {
    /// The items of another iterator that satisfy a predicate; see
    /// [`filter`](super::ParallelIterator::filter).
    Filter<I, P> { predicate: P }
    where [] { P: Fn(&I::Item) -> bool + Sync + Send, }
    yields I::Item;
    plan Satisfying(&predicate);
}

/// Drops what does not satisfy the predicate; plan and stage in one.
#[derive(Debug)]
struct Satisfying<'f, P>(&'f P);

impl<P> Clone for Satisfying<'_, P> {
    fn clone(&self) -> Self {
        Satisfying(self.0)
    }
}

impl<P: Sync> Plan for Satisfying<'_, P> {
    type Stage = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T, P> Stage<T> for Satisfying<'_, P>
where
    P: Fn(&T) -> bool,
{
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: T) -> F {
        if (self.0)(&item) {
            folder.consume(item)
        } else {
            folder
        }
    }

    #[inline]
    fn feed_all<F, I>(&mut self, folder: F, items: I) -> F
    where
        F: Folder<T>,
        I: Iterator<Item = T>,
    {
        folder.consume_iter(items.filter(self.0))
    }
}
