//! `flat_map` and `flatten`.
//!
//! The items of an outer part are gone through one after another. Each has a loop of its own, and
//! other threads can help with that. The inner loops go on with one folder as long as no thread
//! helps; see [`nest`](crate::iter::plumbing).

use crate::iter::item_op::adapter;
use crate::iter::plumbing::{
    Consumer, Folder, InnerLoopThreshold, Nested, Reducer, UnindexedConsumer,
};
use crate::iter::{IntoParallelIterator, ParallelIterator};

adapter! {
    /// The items of the parallel iterators that a function makes of the items of another iterator;
    /// see [`flat_map`](crate::iter::ParallelIterator::flat_map).
    FlatMap<I, F> { op: F }
}

impl<I, F, PI> ParallelIterator for FlatMap<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> PI + Sync + Send,
    PI: IntoParallelIterator,
{
    type Item = PI::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<PI::Item>,
    {
        let op = &self.op;
        self.base
            .drive_unindexed(FlatMapConsumer { base: consumer, op })
    }
}

adapter! {
    /// The items of the parallel iterators that another iterator gives; see
    /// [`flatten`](crate::iter::ParallelIterator::flatten).
    Flatten<I> {}
}

impl<I> ParallelIterator for Flatten<I>
where
    I: ParallelIterator<Item: IntoParallelIterator>,
{
    type Item = <I::Item as IntoParallelIterator>::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<Self::Item>,
    {
        let op = &|item: I::Item| item.into_par_iter();
        self.base
            .drive_unindexed(FlatMapConsumer { base: consumer, op })
    }
}

/// Drives `base` with all items of what `op` makes of each item.
struct FlatMapConsumer<'f, C, F> {
    base: C,
    op: &'f F,
}

impl<'f, T, C, F, PI> Consumer<T> for FlatMapConsumer<'f, C, F>
where
    C: UnindexedConsumer<PI::Item>,
    F: Fn(T) -> PI + Sync,
    PI: IntoParallelIterator,
{
    type Folder = FlatMapFolder<'f, C, C::Folder, C::Result, F>;
    type Reducer = C::Reducer;
    type Result = C::Result;
    const RESUMES: bool = C::RESUMES;
    const ADVANCES_UNCOUNTED: bool = true;

    fn split_at(self, _index: usize) -> (Self, Self, C::Reducer) {
        let reducer = self.base.to_reducer();
        (self.split_off_left(), self, reducer)
    }

    fn into_folder(self) -> Self::Folder {
        FlatMapFolder {
            rest: self.base,
            op: self.op,
            threshold: InnerLoopThreshold::default(),
            closed: None,
            open: None,
        }
    }

    fn full(&self) -> bool {
        self.base.full()
    }

    fn resume(self, folder: Self::Folder) -> Self::Folder {
        FlatMapFolder {
            rest: self.base,
            ..folder
        }
    }

    // What the folder has comes before this, and it does not know how many items there are either.
    fn advance(self, folder: Self::Folder, _count: usize) -> (Self::Folder, Self) {
        (folder, self)
    }
}

impl<T, C, F, PI> UnindexedConsumer<T> for FlatMapConsumer<'_, C, F>
where
    C: UnindexedConsumer<PI::Item>,
    F: Fn(T) -> PI + Sync,
    PI: IntoParallelIterator,
{
    fn split_off_left(&self) -> Self {
        FlatMapConsumer {
            base: self.base.split_off_left(),
            op: self.op,
        }
    }

    fn to_reducer(&self) -> C::Reducer {
        self.base.to_reducer()
    }
}

/// The folder of a [`FlatMapConsumer`].
struct FlatMapFolder<'f, C, O, R, F> {
    /// For the inner loops that follow.
    rest: C,
    op: &'f F,
    threshold: InnerLoopThreshold,
    /// What has come of inner loops up to the last one that another thread helped with.
    closed: Option<R>,
    /// What comes of those after it.
    open: Option<O>,
}

impl<C, O, R, F> FlatMapFolder<'_, C, O, R, F> {
    /// Drives the inner loop of an item. By reference: a folder is large, and inner loops may be
    /// short.
    #[inline]
    fn take<T, PI>(&mut self, item: T)
    where
        C: UnindexedConsumer<PI::Item, Folder = O, Result = R>,
        F: Fn(T) -> PI,
        PI: IntoParallelIterator,
    {
        let inner = (self.op)(item).into_par_iter();
        let part = self.rest.split_off_left();
        let reducer = self.rest.to_reducer();
        let open = self.open.take();
        match part.nest_unindexed(reducer, open, Some(&self.threshold), inner) {
            Nested::Open(folder) => self.open = Some(folder),
            Nested::Closed(result) => {
                self.closed = Some(match self.closed.take() {
                    Some(before) => self.rest.to_reducer().reduce(before, result),
                    None => result,
                });
            }
        }
    }
}

impl<T, C, F, PI> Folder<T> for FlatMapFolder<'_, C, C::Folder, C::Result, F>
where
    C: UnindexedConsumer<PI::Item>,
    F: Fn(T) -> PI,
    PI: IntoParallelIterator,
{
    type Result = C::Result;

    fn consume(mut self, item: T) -> Self {
        self.take(item);
        self
    }

    fn consume_iter<I>(mut self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        for item in iter {
            self.take(item);
            if self.full() {
                break;
            }
        }
        self
    }

    fn complete(self) -> C::Result {
        self.close(true)
    }

    fn close(self, is_over: bool) -> C::Result {
        match (self.closed, self.open) {
            (Some(before), Some(open)) => {
                let reducer = self.rest.to_reducer();
                reducer.reduce(before, open.close(is_over))
            }
            (Some(result), None) => result,
            (None, Some(open)) => open.close(is_over),
            (None, None) => self.rest.into_folder().close(is_over),
        }
    }

    fn full(&self) -> bool {
        self.open.as_ref().is_some_and(Folder::full) || self.rest.full()
    }
}
