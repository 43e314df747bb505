//! `fold` and `fold_with`, and what folding consists of.

use std::ops::ControlFlow::{Break, Continue};

use super::start::{CloneOf, MadeBy, With};
use crate::iter::ParallelIterator;
use crate::iter::item_op::{Plan, adapter};
use crate::iter::plumbing::{Consumer, Folder, UnindexedConsumer};

adapter! {
    /// What comes of folding the items of another iterator, one value for each part; see
    /// [`fold`](crate::iter::ParallelIterator::fold).
    Fold<I, ID, F> { identity: ID, op: F }
}

impl<I, T, ID, F> ParallelIterator for Fold<I, ID, F>
where
    I: ParallelIterator,
    F: Fn(T, I::Item) -> T + Sync + Send,
    ID: Fn() -> T + Sync + Send,
    T: Send,
{
    type Item = T;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<T>,
    {
        let plan = With::new(MadeBy(&self.identity), &self.op);
        self.base.drive_unindexed(FoldConsumer::new(consumer, plan))
    }
}

adapter! {
    /// What comes of folding the items of another iterator, from clones of a value; see
    /// [`fold_with`](crate::iter::ParallelIterator::fold_with).
    FoldWith<I, T, F> { init: T, op: F }
}

impl<I, T, F> ParallelIterator for FoldWith<I, T, F>
where
    I: ParallelIterator,
    F: Fn(T, I::Item) -> T + Sync + Send,
    T: Send + Clone,
{
    type Item = T;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<T>,
    {
        let plan = With::new(CloneOf(self.init), &self.op);
        self.base.drive_unindexed(FoldConsumer::new(consumer, plan))
    }
}

/// A value that items are folded into.
pub(crate) trait Roll<T>: Sized {
    /// What is handed on at the end of a part.
    type Item: Send;

    /// Folds an item into it.
    fn take(self, item: T) -> Self;

    /// Hands on.
    fn end(self) -> Self::Item;

    /// Whether it takes no more items.
    #[inline]
    fn full(&self) -> bool {
        false
    }
}

impl<T, V, F> Roll<T> for With<'_, V, F>
where
    V: Send,
    F: Fn(V, T) -> V,
{
    type Item = V;

    #[inline]
    fn take(self, item: T) -> Self {
        With::new((self.op)(self.start, item), self.op)
    }

    #[inline]
    fn end(self) -> V {
        self.start
    }
}

/// Hands on to `base` what the items of a part are folded into.
#[derive(Debug)]
pub(crate) struct FoldConsumer<C, P> {
    base: C,
    plan: P,
}

impl<C, P> FoldConsumer<C, P> {
    pub(crate) fn new(base: C, plan: P) -> Self {
        FoldConsumer { base, plan }
    }
}

impl<T, C, P> Consumer<T> for FoldConsumer<C, P>
where
    P: Plan,
    P::ItemOp: Roll<T>,
    C: Consumer<<P::ItemOp as Roll<T>>::Item>,
{
    type Folder = FoldFolder<C::Folder, P::ItemOp>;
    type Reducer = C::Reducer;
    type Result = C::Result;
    const RESUMES: bool = C::RESUMES;
    const ADVANCES_UNCOUNTED: bool = C::ADVANCES_UNCOUNTED;

    fn split_at(self, index: usize) -> (Self, Self, C::Reducer) {
        let (left, right, reducer) = self.base.split_at(index);
        let left = FoldConsumer::new(left, self.plan.clone());
        (left, FoldConsumer::new(right, self.plan), reducer)
    }

    #[inline]
    fn into_folder(self) -> Self::Folder {
        FoldFolder {
            base: self.base.into_folder(),
            roll: self.plan.begin(),
        }
    }

    fn full(&self) -> bool {
        self.base.full()
    }

    #[inline]
    fn hides(&self, len: usize) -> bool {
        self.base.hides(len)
    }

    #[inline]
    fn resume(self, folder: Self::Folder) -> Self::Folder {
        FoldFolder {
            base: self.base.resume(folder.base),
            roll: folder.roll,
        }
    }

    fn split_chunk(self, count: usize) -> (Self, Self) {
        let (first, rest) = self.base.split_chunk(count);
        let first = FoldConsumer::new(first, self.plan.clone());
        (first, FoldConsumer::new(rest, self.plan))
    }

    fn advance(self, folder: Self::Folder, count: usize) -> (Self::Folder, Self) {
        let (base, rest) = self.base.advance(folder.base, count);
        let roll = folder.roll;
        let rest = FoldConsumer::new(rest, self.plan);
        (FoldFolder { base, roll }, rest)
    }
}

impl<T, C, P> UnindexedConsumer<T> for FoldConsumer<C, P>
where
    P: Plan,
    P::ItemOp: Roll<T>,
    C: UnindexedConsumer<<P::ItemOp as Roll<T>>::Item>,
{
    fn split_off_left(&self) -> Self {
        FoldConsumer::new(self.base.split_off_left(), self.plan.clone())
    }

    fn to_reducer(&self) -> C::Reducer {
        self.base.to_reducer()
    }
}

/// The folder of a [`FoldConsumer`].
#[derive(Debug)]
pub(crate) struct FoldFolder<F, R> {
    base: F,
    roll: R,
}

impl<T, F, R> Folder<T> for FoldFolder<F, R>
where
    R: Roll<T>,
    F: Folder<R::Item>,
{
    type Result = F::Result;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        self.roll = self.roll.take(item);
        self
    }

    #[inline]
    fn consume_iter<I>(self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        let FoldFolder { base, roll } = self;
        let end = iter.into_iter().try_fold(roll, |roll, item| {
            let roll = roll.take(item);
            if roll.full() || base.full() {
                Break(roll)
            } else {
                Continue(roll)
            }
        });
        let roll = match end {
            Break(roll) | Continue(roll) => roll,
        };
        FoldFolder { base, roll }
    }

    #[inline]
    fn complete(self) -> F::Result {
        self.close(true)
    }

    #[inline]
    fn close(self, is_over: bool) -> F::Result {
        self.base.consume(self.roll.end()).close(is_over)
    }

    #[inline]
    fn full(&self) -> bool {
        self.roll.full() || self.base.full()
    }
}
