//! A part of a loop behind one address, whatever its types are.
//!
//! What loops do rarely, because a thread helps them, is compiled once for all of them
//! ([`helped`](super::helped), [`eager`](super::eager)): it knows a part by the [`Steps`] that can
//! be taken with it. Only the steps are compiled for each chain of a program.

use super::chunk_len::ChunkLen;
use super::items::Items;
use super::lazy::lazy;
use super::part::{Part, PartOutcome};
use super::plant::planted;
use super::shared::Joint;
use super::{Consumer, Folder, Reducer};
use crate::unwind;

/// How far a part has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartState {
    /// Nothing has been done.
    Fresh,
    /// There is a folder, which wants more.
    Open,
    /// Nothing more is wanted.
    Full,
    /// There is a result.
    Closed,
}

/// What is to be done with two parts, of which the first comes before the second.
pub(super) type WithBoth<'f> = &'f mut dyn FnMut(&mut dyn Steps, &mut dyn Steps);

/// What can be done with a part: items, or what is left of them, and what has come of those before.
pub(super) trait Steps {
    /// How far it has come.
    fn state(&self) -> PartState;

    /// How many items are left, where that is known.
    fn len(&self) -> Option<usize>;

    /// See [`Items::at_most`].
    fn at_most(&self, count: usize) -> bool;

    /// See [`Items::chunk_len`]; of a thread that helps, or is helped.
    fn chunk_len(&self, min: usize) -> ChunkLen;

    /// Gives all items to the folder.
    fn fold(&mut self);

    /// Makes a shared loop of this fresh part, which another thread takes just now.
    fn found(&mut self, min: usize);

    /// Waits for the shared loop that was made of this part, and closes it.
    ///
    /// # Panics
    ///
    /// As one of the threads that took part.
    fn wait(&mut self);

    /// Gives the next chunk to the folder.
    fn fold_chunk(&mut self, chunk_len: &mut ChunkLen);

    /// Makes a result of the folder, if that has not been done: so this thread has none of the
    /// loop.
    fn close(&mut self);

    /// Goes through all items as a lazy loop does, to the result.
    fn lazy(&mut self, chunk_len: ChunkLen);

    /// Splits the part: after this many items, or, if they are not counted, where a loop of this
    /// chunk_len would. Lets `with_both` do something with this one, which is the first then, and
    /// the second. Puts them together afterwards: either both are closed, or the first is open and
    /// the second fresh, which is what is left then. `false`: it cannot be split, and nothing has
    /// been done.
    fn split(&mut self, at: usize, chunk_len: &ChunkLen, with_both: WithBoth<'_>) -> bool;

    /// Moves what is fresh into the frame of this call, which may be one of another thread, and
    /// lets `through` close it there: on the thread that it was given to nothing is left of it but
    /// the result, also if there is a panic.
    fn elsewhere(&mut self, through: &mut dyn FnMut(&mut dyn Steps));
}

/// A part in the frame of a function that has [`Steps`] taken with it.
pub(super) struct Frame<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    part: Option<Part<I, C>>,
    folder: Option<C::Folder>,
    result: Option<C::Result>,
    /// The loop that another thread has made of it.
    joint: Option<Joint<I, C>>,
}

/// Something was asked of a part that is gone through, or the other way round.
#[cold]
fn misplaced() -> ! {
    unreachable!("steps are taken in turn")
}

impl<I, C> Frame<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    pub(super) fn new(part: Part<I, C>, folder: Option<C::Folder>) -> Self {
        Frame {
            part: Some(part),
            folder,
            result: None,
            joint: None,
        }
    }

    fn part(&self) -> &Part<I, C> {
        match &self.part {
            Some(part) => part,
            None => misplaced(),
        }
    }

    fn take(&mut self) -> Part<I, C> {
        match self.part.take() {
            Some(part) => part,
            None => misplaced(),
        }
    }

    /// Puts the two parts of a split together.
    fn settle(&mut self, second: Self, reducer: C::Reducer) {
        if second.result.is_some() {
            self.close();
        }
        match (self.result.take(), second.result) {
            (Some(left), Some(right)) => {
                self.result = Some(if planted!(ClosedSwapped) {
                    reducer.reduce(right, left)
                } else {
                    reducer.reduce(left, right)
                });
            }
            (None, None) => self.part = second.part,
            _ => misplaced(),
        }
    }

    /// What came of all items.
    pub(super) fn into_result(self) -> C::Result {
        match self.result {
            Some(result) => result,
            None => misplaced(),
        }
    }

    /// What came of them so far, where all have been gone through.
    pub(super) fn into_outcome(self) -> PartOutcome<C::Folder, C::Result> {
        match (self.result, self.folder) {
            (Some(result), _) => PartOutcome::Closed(result),
            (None, Some(folder)) => PartOutcome::Open(folder),
            (None, None) => misplaced(),
        }
    }
}

impl<I, C> Steps for Frame<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    fn state(&self) -> PartState {
        let is_full = match (&self.folder, &self.part) {
            _ if self.result.is_some() => return PartState::Closed,
            (Some(folder), _) => folder.full(),
            (None, Some(part)) => part.consumer.full(),
            (None, None) => false,
        };
        if is_full {
            PartState::Full
        } else if self.folder.is_some() {
            PartState::Open
        } else {
            PartState::Fresh
        }
    }

    fn len(&self) -> Option<usize> {
        I::COUNTED.then(|| self.part().items.len())
    }

    fn at_most(&self, count: usize) -> bool {
        self.part().items.at_most(count)
    }

    fn chunk_len(&self, min: usize) -> ChunkLen {
        ChunkLen {
            is_part: true,
            ..self.part().items.chunk_len(min, true)
        }
    }

    fn fold(&mut self) {
        let folder = self.folder.take();
        self.folder = Some(self.take().fold_apart(folder));
    }

    fn found(&mut self, min: usize) {
        self.joint = Some(Joint::found(self.take(), min));
    }

    fn wait(&mut self) {
        if let Some(joint) = self.joint.take() {
            match joint.wait() {
                (_, Ok(result)) => self.result = Some(result),
                (_, Err(payload)) => unwind::resume(payload),
            }
        }
    }

    fn fold_chunk(&mut self, chunk_len: &mut ChunkLen) {
        if !I::COUNTED {
            let folder = self.folder.take();
            let (folder, part) = self.take().fold_chunk(chunk_len, folder);
            (self.folder, self.part) = (Some(folder), Some(part));
        }
    }

    fn close(&mut self) {
        if let Some(folder) = self.folder.take() {
            self.result = Some(folder.close(false));
        }
    }

    fn lazy(&mut self, chunk_len: ChunkLen) {
        if C::RESUMES {
            let folder = self.folder.take();
            self.result = Some(lazy(self.take(), chunk_len, folder));
        }
    }

    fn split(&mut self, at: usize, chunk_len: &ChunkLen, with_both: WithBoth<'_>) -> bool {
        let part = self.take();
        let (first, second, reducer) = if I::COUNTED {
            part.split(at)
        } else {
            match part.halve(chunk_len, false) {
                Ok(halves) => halves,
                Err(part) => {
                    self.part = Some(part);
                    return false;
                }
            }
        };
        self.part = Some(first);
        let mut second = Frame::new(second, None);
        with_both(self, &mut second);
        self.settle(second, reducer);
        true
    }

    fn elsewhere(&mut self, through: &mut dyn FnMut(&mut dyn Steps)) {
        let mut part = self.take();
        part.items.arrive();
        let mut frame = Frame::new(part, None);
        through(&mut frame);
        self.result = Some(frame.into_result());
    }
}
