//! `try_fold` and `try_fold_with`.

use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow::{self, Break, Continue};

use super::fold::{FoldConsumer, Roll};
use super::start::{CloneOf, MadeBy, With};
use crate::control::Attempt;
use crate::iter::ParallelIterator;
use crate::iter::item_op::{Plan, adapter};
use crate::iter::plumbing::UnindexedConsumer;

adapter! {
    /// What comes of folding the items of another iterator by what may fail; see
    /// [`try_fold`](crate::iter::ParallelIterator::try_fold).
    TryFold<I, U, ID, F> { identity: ID, op: F, marker: PhantomData<U> }
}

impl<I, U, ID, F> ParallelIterator for TryFold<I, U, ID, F>
where
    I: ParallelIterator,
    F: Fn(U::Output, I::Item) -> U + Sync + Send,
    ID: Fn() -> U::Output + Sync + Send,
    U: Attempt + Send,
{
    type Item = U;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<U>,
    {
        let plan = Trying(With::new(MadeBy(&self.identity), &self.op), PhantomData);
        self.base.drive_unindexed(FoldConsumer::new(consumer, plan))
    }
}

/// What comes of folding the items of another iterator by what may fail, from clones of a value;
/// see [`try_fold_with`](crate::iter::ParallelIterator::try_fold_with).
#[must_use = "parallel iterators do nothing unless they are driven"]
#[derive(Clone)]
pub struct TryFoldWith<I, U: Attempt, F> {
    base: I,
    init: U::Output,
    op: F,
}

impl<I, U: Attempt, F> TryFoldWith<I, U, F> {
    pub(crate) fn new(base: I, init: U::Output, op: F) -> Self {
        TryFoldWith { base, init, op }
    }
}

impl<I: fmt::Debug, U: Attempt, F> fmt::Debug for TryFoldWith<I, U, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryFoldWith")
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}

impl<I, U, F> ParallelIterator for TryFoldWith<I, U, F>
where
    I: ParallelIterator,
    F: Fn(U::Output, I::Item) -> U + Sync + Send,
    U: Attempt<Output: Clone + Send> + Send,
{
    type Item = U;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<U>,
    {
        let plan = Trying(With::new(CloneOf(self.init), &self.op), PhantomData);
        self.base.drive_unindexed(FoldConsumer::new(consumer, plan))
    }
}

/// How a fold that may fail begins.
struct Trying<'f, S, F, U>(With<'f, S, F>, PhantomData<fn() -> U>);

impl<S: Clone, F, U> Clone for Trying<'_, S, F, U> {
    fn clone(&self) -> Self {
        Trying(self.0.clone(), PhantomData)
    }
}

impl<'f, S, F, U> Plan for Trying<'f, S, F, U>
where
    S: Plan<ItemOp = U::Output>,
    F: Sync,
    U: Attempt,
{
    type ItemOp = Tried<'f, F, U>;

    fn begin(self) -> Self::ItemOp {
        Tried {
            state: Continue(self.0.start.begin()),
            op: self.0.op,
        }
    }
}

/// What has come of a fold that may fail.
struct Tried<'f, F, U: Attempt> {
    state: ControlFlow<U::Failure, U::Output>,
    op: &'f F,
}

impl<T, F, U> Roll<T> for Tried<'_, F, U>
where
    F: Fn(U::Output, T) -> U,
    U: Attempt + Send,
{
    type Item = U;

    #[inline]
    fn take(self, item: T) -> Self {
        let state = match self.state {
            Continue(value) => (self.op)(value, item).branch(),
            Break(failure) => Break(failure),
        };
        Tried { state, ..self }
    }

    #[inline]
    fn end(self) -> U {
        match self.state {
            Continue(value) => U::success(value),
            Break(failure) => U::failure(failure),
        }
    }

    #[inline]
    fn full(&self) -> bool {
        self.state.is_break()
    }
}
