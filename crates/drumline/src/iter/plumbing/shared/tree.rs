//! Where the results of parts meet.

use super::Outcome;
use crate::iter::plumbing::plant::planted;
use crate::iter::plumbing::{Consumer, Reducer};
use crate::sync::{Arc, Mutex};
use crate::unwind;

/// Where the result of a part goes.
pub(super) enum Dest<T, C: Consumer<T>> {
    /// It is what came of the caller's part.
    Caller,
    /// It is what came of the part that was taken first.
    First,
    /// It is the left one, or the right one, of the two that meet there.
    Left(Arc<Node<T, C>>),
    Right(Arc<Node<T, C>>),
}

/// Where the results of two parts meet.
pub(super) struct Node<T, C: Consumer<T>>(pub(super) Mutex<Option<Meeting<T, C>>>);

impl<T, C: Consumer<T>> Node<T, C> {
    /// What `reducer` makes of two results goes to `dest`.
    pub(super) fn new(reducer: C::Reducer, dest: Dest<T, C>) -> Arc<Self> {
        Arc::new(Node(Mutex::new(Some(Meeting {
            reducer,
            dest,
            first: None,
        }))))
    }
}

pub(super) struct Meeting<T, C: Consumer<T>> {
    pub(super) reducer: C::Reducer,
    pub(super) dest: Dest<T, C>,
    /// What came first.
    pub(super) first: Option<Outcome<C::Result>>,
}

/// Joins two results.
pub(super) fn reduce<R>(
    reducer: impl Reducer<R>,
    left: Outcome<R>,
    right: Outcome<R>,
) -> Outcome<R> {
    match (left, right) {
        (Ok(left), Ok(right)) if planted!(HalvesSwapped) => {
            unwind::catch(|| reducer.reduce(right, left))
        }
        (Ok(left), Ok(right)) => unwind::catch(|| reducer.reduce(left, right)),
        (Err(payload), other) => {
            unwind::discard((reducer, other));
            Err(payload)
        }
        (Ok(left), Err(payload)) => {
            unwind::discard((reducer, left));
            Err(payload)
        }
    }
}
