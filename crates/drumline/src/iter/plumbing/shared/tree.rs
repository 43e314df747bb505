//! Where the results of parts meet.

use super::Outcome;
use super::typed::Joiner;
use crate::iter::plumbing::plant::planted;
use crate::sync::{Arc, Mutex};
use crate::unwind;

/// Where the result of a part goes.
pub(super) enum Dest {
    /// It is what came of the caller's part.
    Caller,
    /// It is what came of the part that was taken first.
    First,
    /// It is the left one, or the right one, of the two that meet there.
    Left(Arc<Node>),
    Right(Arc<Node>),
}

/// Where the results of two parts meet.
pub(super) struct Node(pub(super) Mutex<Option<Meeting>>);

impl Node {
    /// What `joiner` makes of two results goes to `dest`.
    pub(super) fn new(joiner: Box<dyn Joiner>, dest: Dest) -> Arc<Self> {
        Arc::new(Node(Mutex::new(Some(Meeting {
            joiner,
            dest,
            first: None,
        }))))
    }
}

pub(super) struct Meeting {
    pub(super) joiner: Box<dyn Joiner>,
    pub(super) dest: Dest,
    /// What came first.
    pub(super) first: Option<Outcome>,
}

/// Joins two results.
///
/// # Safety
///
/// They are of the loop that the joiner is of.
pub(super) unsafe fn reduce(joiner: Box<dyn Joiner>, left: Outcome, right: Outcome) -> Outcome {
    match (left, right) {
        (Ok(left), Ok(right)) => {
            let (left, right) = if planted!(HalvesSwapped) {
                (right, left)
            } else {
                (left, right)
            };
            // SAFETY: the caller's obligation.
            unwind::catch(|| unsafe { joiner.join(left, right) })
        }
        (Err(payload), other) => {
            unwind::discard((joiner, other));
            Err(payload)
        }
        (Ok(left), Err(payload)) => {
            unwind::discard((joiner, left));
            Err(payload)
        }
    }
}
