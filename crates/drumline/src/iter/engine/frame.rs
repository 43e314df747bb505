//! What a loop has, and what comes of it, as one thing with an address.
//!
//! # Why options
//!
//! The parts of a frame come and go one by one, and most pairs of them meet. A frame that succeeds
//! another has a result and a folder. One that takes items back has items alone. A reducer is there
//! beside any of them, and a chunk has a folder in place of a consumer. An enum would have a
//! variant for each pair, and each step would move all of a frame to change one part. So a step
//! that finds something missing says so ([`misplaced`]), and that is a fault of the engine.
//!
//! # Few instructions
//!
//! All of this is compiled for each loop of a program. What a function holds while it calls another
//! one has to be dropped if that panics, and each such call is a way of its own out of the
//! function. So a step takes things out of the frame one by one, as it passes them on
//! ([`taken`]), and puts back at once what it gets. An assignment would also drop what was there:
//! [`put`] does not, as nothing is.

use std::{mem, ptr};

use super::chunk_len::ChunkLen;
use super::items::Items;
use super::lazy::lazy;
use super::part::{self, Part, PartOutcome};
use super::plant::planted;
use super::steps::{
    Chunk, Content, HeapFrame, Look, OnStack, PartState, Split, Steps, WithFrame, misplaced,
};
use crate::iter::plumbing::{Consumer, Folder, Reducer};

/// A part in the frame of a function that has [`Steps`] taken with it.
pub(super) struct Frame<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    folder: Option<C::Folder>,
    items: Option<I>,
    consumer: Option<C>,
    result: Option<C::Result>,
    reducer: Option<C::Reducer>,
}

impl<I, C> Frame<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    pub(super) fn empty() -> Self {
        Frame {
            folder: None,
            items: None,
            consumer: None,
            result: None,
            reducer: None,
        }
    }

    pub(super) fn new(part: Part<I, C>, folder: Option<C::Folder>) -> Self {
        Frame {
            folder,
            items: Some(part.items),
            consumer: Some(part.consumer),
            result: None,
            reducer: None,
        }
    }

    /// A frame of what came of a part; `reducer` joins its results.
    pub(super) fn of_outcome(
        outcome: PartOutcome<C::Folder, C::Result>,
        reducer: C::Reducer,
    ) -> Self {
        let (folder, result) = match outcome {
            PartOutcome::Open(folder) => (Some(folder), None),
            PartOutcome::Closed(result) => (None, Some(result)),
            PartOutcome::Shared => (None, None),
        };
        Frame {
            folder,
            items: None,
            consumer: None,
            result,
            reducer: Some(reducer),
        }
    }

    pub(super) fn set_reducer(&mut self, reducer: C::Reducer) {
        put(&mut self.reducer, reducer);
    }

    /// # Safety
    ///
    /// It is a frame of this loop.
    unsafe fn same(frame: &mut dyn Steps) -> &mut Self {
        // SAFETY: so it is of this type. It is borrowed for as long.
        unsafe { &mut *ptr::from_mut(frame).cast::<Self>() }
    }

    fn take_part(&mut self) -> Part<I, C> {
        Part {
            items: taken(&mut self.items),
            consumer: taken(&mut self.consumer),
        }
    }

    /// What came of all items.
    pub(super) fn into_result(mut self) -> C::Result {
        taken(&mut self.result)
    }

    /// What came of them so far, where all have been gone through, or brought in to a shared loop.
    pub(super) fn into_outcome(mut self) -> PartOutcome<C::Folder, C::Result> {
        if let Some(result) = self.result.take() {
            return PartOutcome::Closed(result);
        }
        match self.folder.take() {
            Some(folder) => PartOutcome::Open(folder),
            None => PartOutcome::Shared,
        }
    }

    /// Splits what nests; see [`Steps::split`].
    fn split_nested(&mut self, split: Split<'_>, second: &mut Self) -> bool {
        let items = taken(&mut self.items);
        let (stays, goes, at) = match split {
            Split::Halve(chunk_len) => match items.halve(chunk_len, false) {
                Ok((first, second, at)) => (Some(first), second, at),
                Err(items) => {
                    put(&mut self.items, items);
                    return false;
                }
            },
            Split::Share => {
                let (stays, goes) = items.share();
                (stays, goes, 0)
            }
            Split::At(_) => (None, items, 0),
        };
        self.items = stays;
        put(&mut second.items, goes);
        self.split_consumer(at, second);
        true
    }

    fn split_consumer(&mut self, at: usize, second: &mut Self) {
        let (first, others, reducer) = taken(&mut self.consumer).split_at(at);
        put(&mut self.consumer, first);
        put(&mut second.consumer, others);
        put(&mut second.reducer, reducer);
    }

    fn with_empty(with_frame: WithFrame<'_>) {
        with_frame(&mut Self::empty());
    }
}

impl<I, C> Steps for Frame<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    fn look(&self) -> Look {
        let (left, start) = match &self.items {
            Some(items) => (items.left(), items.start()),
            None => (0, None),
        };
        Look {
            left,
            start,
            has_items: self.items.is_some(),
            has_consumer: self.consumer.is_some(),
            has_folder: self.folder.is_some(),
            has_result: self.result.is_some(),
            counted: I::COUNTED,
            nests: I::NESTS,
            succeeds: C::SUCCEEDS,
        }
    }

    fn state(&self) -> PartState {
        if self.result.is_some() {
            return PartState::Closed;
        }
        let (state, is_full) = match (&self.folder, &self.consumer) {
            (Some(folder), _) => (PartState::Open, folder.full()),
            (None, Some(consumer)) => (PartState::Fresh, consumer.full()),
            (None, None) => (PartState::Fresh, false),
        };
        if is_full { PartState::Full } else { state }
    }

    fn fold(&mut self) {
        let folder = match self.items.take() {
            Some(items) => part::fold_apart(items, self.consumer.take(), self.folder.take()),
            None => part::begin(self.consumer.take(), self.folder.take()),
        };
        put(&mut self.folder, folder);
    }

    fn fold_chunk(&mut self, chunk_len: &mut ChunkLen) {
        if I::NESTS {
            let folder = self.folder.take();
            let (folder, part) = self.take_part().fold_chunk(chunk_len, folder);
            self.folder = Some(folder);
            (self.items, self.consumer) = (Some(part.items), Some(part.consumer));
        }
    }

    fn fold_open(&mut self, chunk_len: &mut ChunkLen, put_back: WithFrame<'_>) {
        if !I::NESTS {
            return self.fold();
        }
        let (consumer, folder) = (self.consumer.take(), self.folder.take());
        let mut folder = part::begin(consumer, folder);
        if let Some(mut items) = self.items.take() {
            let mut put_back = |items: I| {
                let mut more = Self::empty();
                more.items = Some(items);
                put_back(&mut more);
            };
            // What could not be put back while a robber split the rest may be nearly all there is.
            if items.exceed_chunk(chunk_len) {
                let rest;
                (items, rest) = items.detach(chunk_len);
                if let Some(rest) = rest {
                    put_back(rest);
                }
            }
            while let Some(second) = {
                let (first, second) = items.divide(chunk_len);
                items = first;
                second
            } {
                put_back(second);
            }
            let rest;
            (folder, rest) = items.fold_divided(chunk_len, folder);
            if let Some(rest) = rest {
                put_back(rest);
            }
        }
        self.folder = Some(folder);
    }

    fn close(&mut self) {
        if let Some(folder) = self.folder.take() {
            put(&mut self.result, folder.close(false));
        }
    }

    fn lazy(&mut self, chunk_len: ChunkLen) {
        if C::RESUMES {
            let result = lazy(self.take_part(), chunk_len, self.folder.take());
            put(&mut self.result, result);
        }
    }

    unsafe fn split(&mut self, split: Split<'_>, second: &mut dyn Steps) -> bool {
        // SAFETY: the caller's obligation.
        let second = unsafe { Self::same(second) };
        if I::NESTS {
            return self.split_nested(split, second);
        }
        let Split::At(at) = split else { misplaced() };
        if at > 0 {
            let (stays, goes) = taken(&mut self.items).split(at);
            put(&mut self.items, stays);
            put(&mut second.items, goes);
        } else {
            give(&mut self.items, &mut second.items);
        }
        self.split_consumer(at, second);
        true
    }

    unsafe fn detach(&mut self, chunk: Chunk<'_>, to: &mut dyn Steps, is_begun: bool) {
        // SAFETY: the caller's obligation.
        let to = unsafe { Self::same(to) };
        let at = match chunk {
            Chunk::Nested(chunk_len) if I::NESTS => {
                let (chunk, rest) = taken(&mut self.items).detach(chunk_len);
                put(&mut to.items, chunk);
                self.items = rest;
                chunk_len.items
            }
            Chunk::Of(at) if !I::NESTS => {
                let (chunk, rest) = taken(&mut self.items).split(at);
                put(&mut to.items, chunk);
                put(&mut self.items, rest);
                at
            }
            _ => misplaced(),
        };
        if is_begun && to.folder.is_some() {
            let (advanced, others) = taken(&mut self.consumer).advance(taken(&mut to.folder), at);
            put(&mut to.folder, advanced);
            put(&mut self.consumer, others);
        } else {
            let (first, others) = taken(&mut self.consumer).split_chunk(at);
            put(&mut to.consumer, first);
            put(&mut self.consumer, others);
            if planted!(StolenPartLost) {
                to.items = None;
            }
        }
    }

    unsafe fn put_back(&mut self, more: &mut dyn Steps) {
        if I::NESTS {
            // SAFETY: the caller's obligation.
            let more = unsafe { Self::same(more) };
            if let Some(more) = more.items.take() {
                self.items = Some(more.before(self.items.take()));
            }
        }
    }

    fn succeed(&mut self) {
        if C::SUCCEEDS
            && let Some(consumer) = self.consumer.take()
        {
            // The consumer of no items ends what the folder has done so far.
            let (nothing, consumer, _) = consumer.split_at(0);
            self.consumer = Some(consumer);
            if let Some(folder) = self.folder.take() {
                let (result, folder) = nothing.succeed(folder);
                (self.result, self.folder) = (Some(result), Some(folder));
            }
        }
    }

    unsafe fn join(&mut self, other: &mut dyn Steps, other_is_left: bool) {
        // SAFETY: the caller's obligation.
        let other = unsafe { Self::same(other) };
        let (left, right) = if other_is_left {
            (&mut other.result, &mut self.result)
        } else {
            (&mut self.result, &mut other.result)
        };
        let result = joined(left, right, &mut self.reducer);
        put(&mut self.result, result);
    }

    unsafe fn give(&mut self, content: Content, to: &mut dyn Steps) {
        // SAFETY: the caller's obligation.
        let to = unsafe { Self::same(to) };
        match content {
            Content::Part => {
                give(&mut self.items, &mut to.items);
                give(&mut self.consumer, &mut to.consumer);
            }
            Content::Folder => give(&mut self.folder, &mut to.folder),
            Content::Result => give(&mut self.result, &mut to.result),
            Content::Reducer => give(&mut self.reducer, &mut to.reducer),
        }
    }

    fn arrive(&mut self) {
        if I::NESTS
            && let Some(items) = &mut self.items
        {
            items.arrive();
        }
    }

    fn discard(&mut self) {
        *self = Self::empty();
    }

    unsafe fn fresh(&self) -> HeapFrame {
        let frame: Box<dyn Steps + '_> = Box::new(Self::empty());
        // SAFETY: only the lifetime is another one. What is put there is gone before what it
        // borrows is, as the caller says.
        HeapFrame(unsafe { mem::transmute::<Box<dyn Steps + '_>, Box<dyn Steps>>(frame) })
    }

    fn on_stack(&self) -> OnStack {
        Self::with_empty
    }
}

/// Takes what is there.
fn taken<T>(place: &mut Option<T>) -> T {
    match place.take() {
        Some(value) => value,
        None => misplaced(),
    }
}

/// Puts a value where there is none. (What was there would leak.)
fn put<T>(place: &mut Option<T>, value: T) {
    mem::forget(place.replace(value));
}

/// Moves what is there, if anything is, to where nothing is.
fn give<T>(from: &mut Option<T>, to: &mut Option<T>) {
    mem::forget(mem::replace(to, from.take()));
}

/// Makes one result of two.
fn joined<T, R: Reducer<T>>(
    left: &mut Option<T>,
    right: &mut Option<T>,
    reducer: &mut Option<R>,
) -> T {
    taken(reducer).reduce(taken(left), taken(right))
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::super::items::{Halves, Uncounted};
    use super::*;
    use crate::iter::plumbing::{UnindexedConsumer, UnindexedProducer};

    /// Some numbers, which are never split.
    struct Batch(Vec<u32>);

    impl UnindexedProducer for Batch {
        type Item = u32;

        fn split(self) -> (Self, Option<Self>) {
            (self, None)
        }

        fn fold_with<F: Folder<u32>>(self, folder: F) -> F {
            folder.consume_iter(self.0)
        }
    }

    /// Keeps what it gets.
    struct Keep;
    struct Kept(Vec<u32>);
    struct Append;

    impl Consumer<u32> for Keep {
        type Folder = Kept;
        type Reducer = Append;
        type Result = Vec<u32>;

        fn split_at(self, _: usize) -> (Self, Self, Append) {
            (Keep, Keep, Append)
        }

        fn into_folder(self) -> Kept {
            Kept(Vec::new())
        }

        fn full(&self) -> bool {
            false
        }
    }

    impl UnindexedConsumer<u32> for Keep {
        fn split_off_left(&self) -> Self {
            Keep
        }

        fn to_reducer(&self) -> Append {
            Append
        }
    }

    impl Folder<u32> for Kept {
        type Result = Vec<u32>;

        fn consume(mut self, item: u32) -> Self {
            self.0.push(item);
            self
        }

        fn complete(self) -> Vec<u32> {
            self.0
        }

        fn full(&self) -> bool {
            false
        }
    }

    impl Reducer<Vec<u32>> for Append {
        fn reduce(self, mut left: Vec<u32>, right: Vec<u32>) -> Vec<u32> {
            left.extend(right);
            left
        }
    }

    /// What was put back behind a chunk, while a robber split the rest, may be nearly all there is.
    /// As the next chunk, it is not gone through at once.
    #[test]
    fn what_is_put_behind_a_chunk_is_more_than_one() {
        let mut items = Halves::new(Batch(vec![5, 6]));
        for batch in [vec![3, 4], vec![1, 2]] {
            items = Halves::new(Batch(batch)).before(Some(items));
        }
        let mut frame = Frame::<_, Uncounted<Keep>>::empty();
        frame.items = Some(items);
        frame.consumer = Some(Uncounted(Keep));
        let mut chunks = Vec::new();
        let mut chunk_len = ChunkLen::helped(1);
        while frame.items.is_some() {
            let mut behind = None;
            frame.fold_open(&mut chunk_len, &mut |more| {
                // SAFETY: it is of this loop.
                let more: &mut Frame<Halves<Batch>, Uncounted<Keep>> = unsafe { Frame::same(more) };
                let items = more.items.take().expect("something comes behind");
                behind = Some(items.before(behind.take()));
            });
            let folder = frame.folder.as_mut().expect("it is not over");
            chunks.push(std::mem::take(&mut folder.0));
            frame.items = behind;
        }
        assert_eq!(chunks, [[1, 2], [3, 4], [5, 6]]);
    }
}
