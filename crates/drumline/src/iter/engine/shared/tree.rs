//! Where the results of parts meet.

use super::{Outcome, SharedLoop};
use crate::iter::engine::plant::planted;
use crate::iter::engine::steps::{Content, HeapFrame, Steps};
use crate::sync::{self, Arc, Mutex, lock};
use crate::unwind::{self, Payload};

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
pub(super) struct Node(Mutex<Option<Meeting>>);

impl Node {
    /// What comes of two results, by the reducer that is in `second`, goes to `dest`.
    pub(super) fn new(second: &mut HeapFrame, dest: Dest) -> Arc<Self> {
        // SAFETY: a participant makes it, so the caller of the loop waits.
        let mut frame = unsafe { second.steps().fresh() };
        // SAFETY: just made by the other one.
        unsafe { second.steps().give(Content::Reducer, frame.steps()) };
        Node::of(frame, dest)
    }

    /// As [`new`](Self::new), for a part that is about to be split. It must get its reducer before
    /// the right side is delivered.
    pub(super) fn before_split(work: &HeapFrame, dest: Dest) -> Arc<Self> {
        // SAFETY: as in `new`.
        Node::of(unsafe { work.fresh() }, dest)
    }

    fn of(frame: HeapFrame, dest: Dest) -> Arc<Self> {
        Arc::new(Node(Mutex::new(Some(Meeting {
            frame,
            dest,
            first: None,
        }))))
    }

    /// The part has been split: the reducer is in `second`.
    pub(super) fn set_reducer(&self, second: &mut HeapFrame) {
        if let Some(meeting) = &mut *lock(&self.0) {
            // SAFETY: both frames are of one loop.
            unsafe { second.steps().give(Content::Reducer, meeting.frame.steps()) };
        }
    }

    /// The part could not be split, and nothing has been delivered: where its result goes.
    pub(super) fn into_dest(self: Arc<Self>) -> Dest {
        match lock(&self.0).take() {
            Some(meeting) => meeting.dest,
            None => unreachable!("one side has not been delivered"),
        }
    }
}

struct Meeting {
    /// It has the reducer, and what came first.
    frame: HeapFrame,
    dest: Dest,
    /// How that ended which came first.
    first: Option<Result<(), Payload>>,
}

impl SharedLoop {
    /// Delivers what came of a part: the result that is in `own`, or a panic.
    pub(super) fn deliver(&self, dest: Dest, ended: Result<(), Payload>, own: &mut dyn Steps) {
        let Some((side, outcome)) = self.climb(dest, ended, own) else {
            return;
        };
        *lock(side) = Some(outcome);
        self.team.settle();
    }

    /// Joins the result with the one that it meets, and what comes of these with the next one, as
    /// long as that is there. Returns where the last one goes if it is that of a side.
    fn climb(
        &self,
        mut dest: Dest,
        mut ended: Result<(), Payload>,
        own: &mut dyn Steps,
    ) -> Option<(&Mutex<Option<Outcome>>, Outcome)> {
        // What the result is in, once it is not in `own`.
        let mut joined: Option<HeapFrame> = None;
        let side = loop {
            let (node, is_left) = match dest {
                Dest::Caller => break &self.left,
                Dest::First => break &self.right,
                Dest::Left(node) => (node, true),
                Dest::Right(node) => (node, false),
            };
            let result = match &mut joined {
                Some(frame) => frame.steps(),
                None => &mut *own,
            };
            let mut meeting = lock(&node.0);
            let Some(Meeting {
                mut frame,
                dest: next,
                first,
            }) = meeting.take()
            else {
                // The bug planted there must end in something that shuttle reports: a panic aborts
                // here, and with it all tests.
                while sync::planted!(OwnerUnheeded) {
                    sync::relax();
                }
                unreachable!("two results meet in a node");
            };
            let Some(first) = first else {
                if ended.is_ok() {
                    // SAFETY: all frames that meet here are of this loop.
                    unsafe { result.give(Content::Result, frame.steps()) };
                }
                *meeting = Some(Meeting {
                    frame,
                    dest: next,
                    first: Some(ended),
                });
                return None;
            };
            drop(meeting);
            ended = match (first, ended) {
                (Ok(()), Ok(())) => {
                    let is_left = is_left ^ planted!(HalvesSwapped);
                    // SAFETY: as above; each frame has a result.
                    unwind::catch(|| unsafe { frame.steps().join(result, is_left) })
                }
                (Ok(()), Err(payload)) | (Err(payload), Ok(())) => Err(payload),
                (Err(first), Err(second)) => {
                    let (wins, loses) = if is_left {
                        (second, first)
                    } else {
                        (first, second)
                    };
                    unwind::discard(loses);
                    Err(wins)
                }
            };
            if ended.is_err() {
                // The reducer, and the result that there is.
                unwind::discard_erased(&mut || frame.steps().discard());
                // SAFETY: as above.
                unsafe { result.give(Content::Result, frame.steps()) };
                unwind::discard_erased(&mut || frame.steps().discard());
            }
            joined = Some(frame);
            dest = next;
        };
        let outcome = ended.map(|()| match joined {
            Some(frame) => frame,
            None => {
                // SAFETY: the side is pending, so the caller of the loop waits.
                let mut frame = unsafe { own.fresh() };
                // SAFETY: just made by the other one.
                unsafe { own.give(Content::Result, frame.steps()) };
                frame
            }
        });
        Some((side, outcome))
    }
}
