//! What comes of items that may fail, until one does.

use std::ops::ControlFlow;

use super::work::{At, Work};
use crate::control::Attempt;

/// What a consumer has of its items: a value, or the first failure.
pub(super) struct Tried<T, R> {
    value: Option<T>,
    /// And the number of its item.
    failed: Option<(u64, R)>,
}

impl<T, R: Attempt<Output = T>> Tried<T, R> {
    pub(super) fn new() -> Self {
        Tried {
            value: None,
            failed: None,
        }
    }

    /// What it has, and the number of the item that failed.
    pub(super) fn into_outcome(self) -> Option<(Option<u64>, R)> {
        match (self.failed, self.value) {
            (Some((index, failure)), _) => Some((Some(index), failure)),
            (None, value) => value.map(|value| (None, R::success(value))),
        }
    }

    /// Takes the value for `op`, which gives the next one. If it panics, the value is lost. Returns
    /// whether it has failed.
    ///
    /// A value goes from consumer to consumer, and the items of one may come before those of the
    /// last. So where one has failed, those before it are still tried, from the beginning: the
    /// failure of the first item is the one that counts.
    #[inline]
    pub(super) fn go_on(&mut self, index: u64, op: impl FnOnce(Option<T>) -> R) -> bool {
        if self
            .failed
            .as_ref()
            .is_some_and(|(failed, _)| *failed <= index)
        {
            return true;
        }
        match op(self.value.take()).branch() {
            ControlFlow::Continue(value) => {
                self.value = Some(value);
                false
            }
            ControlFlow::Break(failure) => {
                self.failed = Some((index, R::failure(failure)));
                true
            }
        }
    }

    /// Adds what another consumer has. Of two failures the one with the first item is kept.
    pub(super) fn add(&mut self, other: Self, op: impl Fn(T, T) -> R) {
        if let Some((index, _)) = &other.failed {
            let kept = self.failed.as_ref();
            if kept.is_none_or(|(first, _)| index < first) {
                self.failed = other.failed;
            }
        } else if let (None, Some(theirs)) = (&self.failed, other.value) {
            // What fails here fails after all items.
            self.go_on(u64::MAX, |ours| match ours {
                Some(ours) => op(ours, theirs),
                None => R::success(theirs),
            });
        }
    }
}

/// See [`try_reduce_with`](super::Stream::try_reduce_with).
pub(super) struct TryReduce<W, OP> {
    pub(super) base: W,
    pub(super) op: OP,
}

impl<I, W, OP, T> Work<I> for TryReduce<W, OP>
where
    W: Work<I>,
    W::Out: Attempt<Output = T>,
    OP: Fn(T, T) -> W::Out + Send + Sync,
    T: Send,
{
    type Out = ();
    type State = (Option<W::State>, Tried<T, W::Out>);

    fn begin(&self) -> Self::State {
        (None, Tried::new())
    }

    fn salvage(&self, (base, tried): Self::State) -> Option<Self::State> {
        let base = base.and_then(|base| self.base.salvage(base));
        Some((base, tried))
    }

    #[inline]
    fn work(&self, state: &mut Self::State, at: &At, item: I, _out: &mut impl FnMut(())) {
        let (base, tried) = state;
        let base = base.get_or_insert_with(|| self.base.begin());
        self.base.work(base, at, item, &mut |item: W::Out| {
            let has_failed = tried.go_on(at.index(), |before| match (before, item.branch()) {
                (Some(before), ControlFlow::Continue(value)) => (self.op)(before, value),
                (None, ControlFlow::Continue(value)) => W::Out::success(value),
                (_, ControlFlow::Break(failure)) => W::Out::failure(failure),
            });
            if has_failed {
                at.stop();
            }
        });
    }
}

/// See [`try_fold`](super::Stream::try_fold).
pub(super) struct TryFoldEach<'a, W, ID, OP> {
    pub(super) base: W,
    pub(super) identity: &'a ID,
    pub(super) op: &'a OP,
}

impl<I, W, ID, OP, T, R> Work<I> for TryFoldEach<'_, W, ID, OP>
where
    W: Work<I>,
    ID: Fn() -> T + Send + Sync,
    OP: Fn(T, W::Out) -> R + Send + Sync,
    R: Attempt<Output = T> + Send,
    T: Send,
{
    type Out = ();
    type State = (Option<W::State>, Tried<T, R>);

    fn begin(&self) -> Self::State {
        (None, Tried::new())
    }

    fn salvage(&self, (base, tried): Self::State) -> Option<Self::State> {
        let base = base.and_then(|base| self.base.salvage(base));
        Some((base, tried))
    }

    #[inline]
    fn work(&self, state: &mut Self::State, at: &At, item: I, _out: &mut impl FnMut(())) {
        let (base, tried) = state;
        let base = base.get_or_insert_with(|| self.base.begin());
        self.base.work(base, at, item, &mut |item| {
            let has_failed = tried.go_on(at.index(), |value| {
                (self.op)(value.unwrap_or_else(self.identity), item)
            });
            if has_failed {
                at.stop();
            }
        });
    }
}
