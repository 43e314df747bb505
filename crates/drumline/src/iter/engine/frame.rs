//! What a loop has, and what comes of it, as one thing with an address.
//!
//! # Why options
//!
//! The parts of a frame come and go one by one, and most pairs of them meet. A frame that succeeds
//! another has a result and a folder. One that takes items back has items alone. A reducer is there
//! beside any of them, and a chunk has a folder in place of a consumer. An enum would have a
//! variant for each pair, and each step would move all of a frame to change one part. So a step
//! that finds something missing says so ([`misplaced`]), and that is a fault of the engine.

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
        let mut frame = Frame::empty();
        frame.reducer = Some(reducer);
        match outcome {
            PartOutcome::Open(folder) => frame.folder = Some(folder),
            PartOutcome::Closed(result) => frame.result = Some(result),
            PartOutcome::Shared => {}
        }
        frame
    }

    pub(super) fn set_reducer(&mut self, reducer: C::Reducer) {
        self.reducer = Some(reducer);
    }

    /// # Safety
    ///
    /// It is a frame of this loop.
    unsafe fn same(frame: &mut dyn Steps) -> &mut Self {
        // SAFETY: so it is of this type. It is borrowed for as long.
        unsafe { &mut *ptr::from_mut(frame).cast::<Self>() }
    }

    fn take(&mut self) -> (I, C) {
        match (self.items.take(), self.consumer.take()) {
            (Some(items), Some(consumer)) => (items, consumer),
            _ => misplaced(),
        }
    }

    fn take_part(&mut self) -> Part<I, C> {
        let (items, consumer) = self.take();
        Part { items, consumer }
    }

    /// What came of all items.
    pub(super) fn into_result(self) -> C::Result {
        match self.result {
            Some(result) => result,
            None => misplaced(),
        }
    }

    /// What came of them so far, where all have been gone through, or brought in to a shared loop.
    pub(super) fn into_outcome(self) -> PartOutcome<C::Folder, C::Result> {
        match (self.result, self.folder) {
            (Some(result), _) => PartOutcome::Closed(result),
            (None, Some(folder)) => PartOutcome::Open(folder),
            (None, None) => PartOutcome::Shared,
        }
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
        let (consumer, folder) = (self.consumer.take(), self.folder.take());
        self.folder = Some(match self.items.take() {
            Some(items) => part::fold_apart(items, consumer, folder),
            None => part::begin(consumer, folder),
        });
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
            self.result = Some(folder.close(false));
        }
    }

    fn lazy(&mut self, chunk_len: ChunkLen) {
        if C::RESUMES {
            let folder = self.folder.take();
            self.result = Some(lazy(self.take_part(), chunk_len, folder));
        }
    }

    unsafe fn split(&mut self, split: Split<'_>, second: &mut dyn Steps) -> bool {
        // SAFETY: the caller's obligation.
        let second = unsafe { Self::same(second) };
        let (items, consumer) = self.take();
        let (stays, goes, at) = match split {
            Split::Halve(chunk_len) if I::NESTS => match items.halve(chunk_len, false) {
                Ok((first, second, at)) => (Some(first), second, at),
                Err(items) => {
                    (self.items, self.consumer) = (Some(items), Some(consumer));
                    return false;
                }
            },
            Split::Share if I::NESTS => {
                let (stays, goes) = items.share();
                (stays, goes, 0)
            }
            Split::At(at) if at > 0 => {
                let (stays, goes) = items.split(at);
                (Some(stays), goes, at)
            }
            _ => (None, items, 0),
        };
        let (first, others, reducer) = consumer.split_at(at);
        (self.items, self.consumer) = (stays, Some(first));
        (second.items, second.consumer) = (Some(goes), Some(others));
        second.reducer = Some(reducer);
        true
    }

    unsafe fn detach(&mut self, chunk: Chunk<'_>, to: &mut dyn Steps, is_begun: bool) {
        // SAFETY: the caller's obligation.
        let to = unsafe { Self::same(to) };
        let (items, consumer) = self.take();
        let (chunk, rest, at) = match chunk {
            Chunk::Nested(chunk_len) if I::NESTS => {
                let (chunk, rest) = items.detach(chunk_len);
                (chunk, rest, chunk_len.items)
            }
            Chunk::Of(at) if !I::NESTS => {
                let (chunk, rest) = items.split(at);
                (chunk, Some(rest), at)
            }
            _ => misplaced(),
        };
        let others = if is_begun && let Some(so_far) = to.folder.take() {
            let (advanced, others) = consumer.advance(so_far, at);
            to.folder = Some(advanced);
            others
        } else {
            let (first, others) = consumer.split_chunk(at);
            to.consumer = Some(first);
            others
        };
        if !planted!(StolenPartLost) || to.folder.is_some() {
            to.items = Some(chunk);
        }
        (self.items, self.consumer) = (rest, Some(others));
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
        let results = (self.result.take(), other.result.take());
        let (Some(own), Some(other), Some(reducer)) = (results.0, results.1, self.reducer.take())
        else {
            misplaced()
        };
        let (left, right) = if other_is_left {
            (other, own)
        } else {
            (own, other)
        };
        self.result = Some(reducer.reduce(left, right));
    }

    unsafe fn give(&mut self, content: Content, to: &mut dyn Steps) {
        // SAFETY: the caller's obligation.
        let to = unsafe { Self::same(to) };
        match content {
            Content::Part => {
                to.items = self.items.take();
                to.consumer = self.consumer.take();
            }
            Content::Folder => to.folder = self.folder.take(),
            Content::Result => to.result = self.result.take(),
            Content::Reducer => to.reducer = self.reducer.take(),
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
