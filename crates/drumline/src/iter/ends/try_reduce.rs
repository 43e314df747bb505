//! `try_reduce` and `try_reduce_with`; `try_for_each` comes to the former.

use std::ops::ControlFlow::{Break, Continue};

use super::reduction::{Join, Reduction};
use crate::control::Attempt;
use crate::sync::atomic::{AtomicBool, Ordering};

/// An operation that may fail, and whether it, or an item, did.
#[derive(Debug)]
struct Trial<'f, OP> {
    op: &'f OP,
    failed: AtomicBool,
}

impl<'f, OP> Trial<'f, OP> {
    fn new(op: &'f OP) -> Self {
        Trial {
            op,
            failed: AtomicBool::new(false),
        }
    }

    /// Whether any thread has seen a failure.
    #[inline]
    fn is_over(&self) -> bool {
        // Relaxed: it only saves work. The failure itself is in the result.
        self.failed.load(Ordering::Relaxed)
    }

    fn fail<R: Attempt>(&self, failure: R::Failure) -> R {
        // Relaxed: as above.
        self.failed.store(true, Ordering::Relaxed);
        R::failure(failure)
    }

    #[inline]
    fn join<R>(&self, left: R, right: R) -> R
    where
        R: Attempt,
        OP: Fn(R::Output, R::Output) -> R,
    {
        match (left.branch(), right.branch()) {
            (Continue(left), Continue(right)) => match (self.op)(left, right).branch() {
                Continue(value) => R::success(value),
                Break(failure) => self.fail(failure),
            },
            (Break(failure), _) | (_, Break(failure)) => self.fail(failure),
        }
    }

    /// Joins `value` with items, until there are no more or a thread has failed.
    #[inline]
    fn join_all<R, I>(&self, value: R, mut items: I) -> R
    where
        R: Attempt,
        OP: Fn(R::Output, R::Output) -> R,
        I: Iterator<Item = R>,
    {
        let end = items.try_fold(value, |value, item| {
            let value = self.join(value, item);
            // A failure of this thread counts as well.
            if self.is_over() {
                Break(value)
            } else {
                Continue(value)
            }
        });
        match end {
            Break(value) | Continue(value) => value,
        }
    }
}

/// Joins items by an operation that may fail and has an identity.
#[derive(Debug)]
pub(crate) struct TryReduceBy<'f, ID, OP> {
    identity: &'f ID,
    trial: Trial<'f, OP>,
}

impl<'f, ID, OP> TryReduceBy<'f, ID, OP> {
    pub(crate) fn new(identity: &'f ID, op: &'f OP) -> Self {
        let trial = Trial::new(op);
        TryReduceBy { identity, trial }
    }
}

impl<R, ID, OP> Join<R> for TryReduceBy<'_, ID, OP>
where
    R: Attempt,
    ID: Sync,
    OP: Fn(R::Output, R::Output) -> R + Sync,
{
    #[inline]
    fn join(&self, left: R, right: R) -> R {
        self.trial.join(left, right)
    }
}

impl<R, ID, OP> Reduction<R> for TryReduceBy<'_, ID, OP>
where
    R: Attempt + Send,
    ID: Fn() -> R::Output + Sync,
    OP: Fn(R::Output, R::Output) -> R + Sync,
{
    type Value = R;

    #[inline]
    fn begin(&self) -> R {
        R::success((self.identity)())
    }

    #[inline]
    fn take(&self, value: R, item: R) -> R {
        self.trial.join(value, item)
    }

    #[inline]
    fn take_all<I>(&self, value: R, items: I) -> R
    where
        I: Iterator<Item = R>,
    {
        self.trial.join_all(value, items)
    }

    #[inline]
    fn over(&self) -> bool {
        self.trial.is_over()
    }
}

/// Joins items by an operation that may fail and has no identity: nothing comes of no items.
#[derive(Debug)]
pub(crate) struct TryReduceWith<'f, OP>(Trial<'f, OP>);

impl<'f, OP> TryReduceWith<'f, OP> {
    pub(crate) fn new(op: &'f OP) -> Self {
        TryReduceWith(Trial::new(op))
    }
}

impl<R, OP> Join<Option<R>> for TryReduceWith<'_, OP>
where
    R: Attempt,
    OP: Fn(R::Output, R::Output) -> R + Sync,
{
    #[inline]
    fn join(&self, left: Option<R>, right: Option<R>) -> Option<R> {
        match (left, right) {
            (Some(left), Some(right)) => Some(self.0.join(left, right)),
            (left, right) => left.or(right),
        }
    }
}

impl<R, OP> Reduction<R> for TryReduceWith<'_, OP>
where
    R: Attempt + Send,
    OP: Fn(R::Output, R::Output) -> R + Sync,
{
    type Value = Option<R>;

    #[inline]
    fn begin(&self) -> Option<R> {
        None
    }

    #[inline]
    fn take(&self, value: Option<R>, item: R) -> Option<R> {
        Some(match value {
            Some(value) => self.0.join(value, item),
            None => self.first(item),
        })
    }

    #[inline]
    fn take_all<I>(&self, value: Option<R>, mut items: I) -> Option<R>
    where
        I: Iterator<Item = R>,
    {
        let first = match value {
            Some(value) => value,
            None => self.first(items.next()?),
        };
        if self.0.is_over() {
            return Some(first);
        }
        Some(self.0.join_all(first, items))
    }

    #[inline]
    fn over(&self) -> bool {
        self.0.is_over()
    }
}

impl<OP> TryReduceWith<'_, OP> {
    /// The first item, which has not been looked at.
    fn first<R: Attempt>(&self, item: R) -> R {
        match item.branch() {
            Continue(value) => R::success(value),
            Break(failure) => self.0.fail(failure),
        }
    }
}
