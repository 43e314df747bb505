//! A part of a loop behind one address, whatever its types are.
//!
//! What loops do rarely, because a thread helps them, is compiled once for all of them
//! ([`helped`](super::helped), [`eager`](super::eager), [`shared`](super::shared)): it knows a part
//! by the [`Steps`] that can be taken with it. Only the steps are compiled for each chain of a
//! program, and so they are few and small.
//!
//! A part is in a [frame](super::frame), and so is what comes of it: all that a loop has, and is of
//! its own types, is in one of its frames, or moves from one to another. A frame lies on the stack
//! of the thread that goes through the part ([`Steps::on_stack`]), or, if other threads may find it
//! there, in the heap ([`Steps::fresh`]). Frames of two loops never meet: each is made by another
//! one of its loop.

use super::chunk_len::ChunkLen;
use super::counted::aligned;
use super::plant::planted;

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

/// What is in a frame, and of which kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// See `Items::left`; 0 if there are no items.
    pub(super) left: usize,
    /// See `Items::start`.
    pub(super) start: Option<usize>,
    pub(super) has_items: bool,
    pub(super) has_consumer: bool,
    pub(super) has_folder: bool,
    pub(super) has_result: bool,
    /// See `Items::COUNTED`.
    pub(super) counted: bool,
    /// See `Items::NESTS`.
    pub(super) nests: bool,
    /// See `Consumer::SUCCEEDS`.
    pub(super) succeeds: bool,
}

impl Look {
    /// As `Items::at_most`.
    pub(super) fn at_most(&self, count: usize) -> bool {
        self.left <= if self.nests { 0 } else { count }
    }

    /// How much the next chunk is of what does not nest, if something comes after it.
    pub(super) fn chunk(&self, chunk_len: &ChunkLen) -> Option<usize> {
        // What comes after it must not be too short either.
        if self.at_most(chunk_len.items.saturating_add(chunk_len.min - 1)) {
            return None;
        }
        Some(self.aligned(chunk_len.items, chunk_len.min))
    }

    /// How much a participant keeps that shares what does not nest with another one: about half,
    /// or nothing if that would be too little.
    pub(super) fn share(&self, min: usize) -> usize {
        if self.left < min.saturating_mul(2) {
            return 0;
        }
        self.aligned(self.left / 2, min)
    }

    fn aligned(&self, at: usize, min: usize) -> usize {
        match self.start {
            Some(start) => aligned(start, at, min),
            None => at,
        }
    }
}

/// Where a part is split in two.
pub(super) enum Split<'c> {
    /// After this number of items, or of whatever is counted. After none: the first part has no
    /// items at all then, and is over but for its consumer.
    At(usize),
    /// Where a loop of this chunk length would, if there is such a place. This and the next one are
    /// for what nests.
    Halve(&'c ChunkLen),
    /// As a participant of a shared loop shares with another one.
    Share,
}

/// How much of a part is a chunk.
pub(super) enum Chunk<'c> {
    /// This number of items, or of whatever is counted: not all.
    Of(usize),
    /// As much as there is in one, of what nests.
    Nested(&'c ChunkLen),
}

/// What moves from one frame to another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    /// Items and a consumer.
    Part,
    Folder,
    Result,
    Reducer,
}

/// What is to be done with a frame.
pub(super) type WithFrame<'f> = &'f mut dyn FnMut(&mut dyn Steps);

/// Makes an empty frame on the stack of the caller.
pub(super) type OnStack = fn(WithFrame<'_>);

/// A frame in the heap. It has no folder.
pub(super) struct HeapFrame(pub(super) Box<dyn Steps>);

// SAFETY: without the folder, all that a frame can have is `Send`.
unsafe impl Send for HeapFrame {}

impl HeapFrame {
    pub(super) fn steps(&mut self) -> &mut dyn Steps {
        &mut *self.0
    }

    pub(super) fn look(&self) -> Look {
        self.0.look()
    }

    /// An empty frame in the heap.
    ///
    /// # Safety
    ///
    /// As for [`Steps::fresh`].
    pub(super) unsafe fn fresh(&self) -> HeapFrame {
        // SAFETY: the caller's obligation.
        unsafe { self.0.fresh() }
    }
}

/// What can be done with a part: items, or what is left of them, and what has come of those before.
///
/// # Safety
///
/// Where a method is unsafe, the caller says that the other frame is one of the same loop, which
/// means that it was made by this one, or by one that made this one.
///
/// When a method panics, what it had taken out is dropped. What it had put into a frame stays there
/// ([`drop_part`]).
pub(super) trait Steps {
    /// What there is. Calls nothing of the program's.
    fn look(&self) -> Look;

    /// How far it has come.
    fn state(&self) -> PartState;

    /// Gives all items to the folder. Without a consumer, the folder is ready for them; without
    /// items, it is made ready for what comes next.
    fn fold(&mut self);

    /// Gives the next chunk to the folder, of what nests.
    fn fold_chunk(&mut self, chunk_len: &mut ChunkLen);

    /// As [`fold`](Self::fold), for a chunk of which more can come than it seems: that is open
    /// meanwhile. `put_back` is called with what is found to be more than a chunk.
    fn fold_open(&mut self, chunk_len: &mut ChunkLen, put_back: WithFrame<'_>);

    /// Makes a result of the folder, if that has not been done: so this thread has none of the
    /// loop.
    fn close(&mut self);

    /// Goes through all items as a lazy loop does, to the result.
    fn lazy(&mut self, chunk_len: ChunkLen);

    /// Moves what comes behind a split to `second`, with the reducer. `false`: it cannot be split,
    /// and nothing has been done.
    unsafe fn split(&mut self, split: Split<'_>, second: &mut dyn Steps) -> bool;

    /// Moves a chunk to `to`. The folder there goes on with it if it `is_begun`; otherwise it gets
    /// a consumer of its own.
    unsafe fn detach(&mut self, chunk: Chunk<'_>, to: &mut dyn Steps, is_begun: bool);

    /// Takes back the items of `more`, which come behind a chunk, and were found to be in it.
    unsafe fn put_back(&mut self, more: &mut dyn Steps);

    /// Makes a result of the folder, which is of an earlier part; and another folder, for the items
    /// of the consumer. If there is still a folder after a panic, then nothing came of it yet.
    fn succeed(&mut self);

    /// Joins the result of this frame, which has the reducer, with that of another one, to be the
    /// result of this one. The other one is the left one, or the right one.
    unsafe fn join(&mut self, other: &mut dyn Steps, other_is_left: bool);

    /// Moves something to another frame, which has no such thing. Both may lack it.
    unsafe fn give(&mut self, content: Content, to: &mut dyn Steps);

    /// See `Items::arrive`.
    fn arrive(&mut self);

    /// Drops all that is in it.
    fn discard(&mut self);

    /// An empty frame in the heap.
    ///
    /// # Safety
    ///
    /// What the items and consumers of the loop borrow outlives it.
    unsafe fn fresh(&self) -> HeapFrame;

    /// An empty frame on the stack.
    fn on_stack(&self) -> OnStack;
}

/// Something was asked of a part that is gone through, or the other way round.
#[cold]
pub(super) fn misplaced() -> ! {
    unreachable!("steps are taken in turn")
}

/// Splits `part`, lets `with_both` do something with it, which is the first part then, and the
/// second, and puts the two together afterwards: either both are closed, or the first is open and
/// the second fresh, which is what is left then. `false`: it cannot be split, and nothing has been
/// done.
pub(super) fn split_for(
    part: &mut dyn Steps,
    split: Split<'_>,
    with_both: &mut dyn FnMut(&mut dyn Steps, &mut dyn Steps),
) -> bool {
    let mut split = Some(split);
    let mut is_split = false;
    (part.on_stack())(&mut |second| {
        let Some(split) = split.take() else {
            misplaced()
        };
        // SAFETY: the part has made the other frame.
        is_split = unsafe { part.split(split, second) };
        if is_split {
            with_both(part, second);
            settle(part, second);
        }
    });
    is_split
}

/// Puts the two parts of a split together, of one loop; the second one has the reducer.
fn settle(first: &mut dyn Steps, second: &mut dyn Steps) {
    if !second.look().has_result {
        // SAFETY: `split_for` has them of one loop.
        return unsafe { second.give(Content::Part, first) };
    }
    first.close();
    let is_left = !planted!(ClosedSwapped);
    // SAFETY: as above.
    unsafe {
        second.join(first, is_left);
        second.give(Content::Result, first);
    }
}

/// Drops the items and the consumer that are in `part`.
pub(super) fn drop_part(part: &mut dyn Steps) {
    (part.on_stack())(&mut |dropped| {
        // SAFETY: the part has made the other frame.
        unsafe { part.give(Content::Part, dropped) };
    });
}

/// Moves what is fresh into the frame of this call, which may be one of another thread, and lets
/// `through` close it there: on the thread that it was given to nothing is left of it but the
/// result, also if there is a panic.
pub(super) fn elsewhere(part: &mut dyn Steps, through: WithFrame<'_>) {
    (part.on_stack())(&mut |frame| {
        // SAFETY: the part has made the other frame.
        unsafe { part.give(Content::Part, frame) };
        frame.arrive();
        through(frame);
        // SAFETY: as above.
        unsafe { frame.give(Content::Result, part) };
    });
}
