//! Loops inside loops: how an inner loop goes on with the folder of the outer one.
//!
//! `flat_map` and `chain` drive several loops one after another with parts of one consumer. If each
//! made a folder of its own, a million inner loops of three items would make a million results.
//! They would be reduced one by one. So the outer loop lends its folder: it lies in a
//! [`FolderCell`], the leftmost part of the inner loop takes it from there, and puts it back. An
//! inner loop without thieves ends as it began, with one open folder. One with thieves completes
//! the folder before its thread waits ([`Folder::close`]), and the slot stays empty.
//!
//! Folders need not be [`Send`], and the driver of a loop decides where its leftmost part runs. So
//! the slot knows its thread, and is empty for all others. A part that finds it empty begins a
//! folder, as ever.

use std::cell::Cell;
use std::ptr;

use super::{Consumer, Folder, InnerLoopThreshold, Reducer, UnindexedConsumer};
use crate::iter::engine::plant::planted;
use crate::iter::{IndexedParallelIterator, ParallelIterator};
use crate::sync::per_thread;

/// What comes of an inner loop.
#[derive(Debug)]
pub enum Nested<F, R> {
    /// A folder that can go on.
    Open(F),
    /// A result, because a thief helped.
    Closed(R),
}

impl<F, R> Nested<F, R> {
    /// Ends it.
    pub(crate) fn complete<T>(self) -> R
    where
        F: Folder<T, Result = R>,
    {
        match self {
            Nested::Open(folder) => folder.complete(),
            Nested::Closed(result) => result,
        }
    }

    /// Ends it, before this thread waits, or begins another folder of the loop.
    pub(crate) fn close<T>(self) -> R
    where
        F: Folder<T, Result = R>,
    {
        match self {
            Nested::Open(folder) => folder.close(false),
            Nested::Closed(result) => result,
        }
    }
}

/// Drives `consumer` with the items of `inner`, after those of `open`.
#[inline(always)]
pub(super) fn nest<T, C, I>(
    consumer: C,
    reducer: C::Reducer,
    open: Option<C::Folder>,
    threshold: Option<&InnerLoopThreshold>,
    inner: I,
) -> Nested<C::Folder, C::Result>
where
    C: Consumer<T>,
    I: IndexedParallelIterator<Item = T>,
{
    if !C::RESUMES {
        let before = open.map(Folder::complete);
        return close(before, inner.drive(consumer), reducer);
    }
    let slot = FolderCell::new(open, threshold);
    let result = inner.drive(InnerConsumer::new(consumer, &slot));
    slot.nested(result, reducer)
}

/// As [`nest`], for an unknown number of items.
#[inline(always)]
pub(super) fn nest_unindexed<T, C, I>(
    consumer: C,
    reducer: C::Reducer,
    open: Option<C::Folder>,
    threshold: Option<&InnerLoopThreshold>,
    inner: I,
) -> Nested<C::Folder, C::Result>
where
    C: UnindexedConsumer<T>,
    I: ParallelIterator<Item = T>,
{
    if !C::RESUMES {
        let before = open.map(Folder::complete);
        return close(before, inner.drive_unindexed(consumer), reducer);
    }
    let slot = FolderCell::new(open, threshold);
    let result = inner.drive_unindexed(InnerConsumer::new(consumer, &slot));
    slot.nested(result, reducer)
}

fn close<F, R>(before: Option<R>, after: R, reducer: impl Reducer<R>) -> Nested<F, R> {
    Nested::Closed(match before {
        Some(before) => reducer.reduce(before, after),
        None => after,
    })
}

per_thread! {
    /// Its address tells threads apart. Never written, but it could be: so it is not the same for
    /// all.
    static HERE: Cell<u8> = const { Cell::new(0) };
}

#[inline]
fn here() -> *const Cell<u8> {
    HERE.with(ptr::from_ref)
}

/// Holds a folder between the loops that use it.
struct FolderCell<'t, F> {
    /// The thread that owns the cell: that of the frame which the slot is in.
    thread: *const Cell<u8>,
    folder: Cell<Option<F>>,
    threshold: Option<&'t InnerLoopThreshold>,
}

// SAFETY: what is in it is used by the thread alone that made the slot: `take`, `put` and
// `inner_loop_threshold` compare, and the slot is made, dropped and taken apart in one frame, by
// value. Two threads that live at once have different addresses, and the thread of a slot lives as
// long as its frame.
unsafe impl<F> Sync for FolderCell<'_, F> {}

impl<'t, F> FolderCell<'t, F> {
    fn new(folder: Option<F>, threshold: Option<&'t InnerLoopThreshold>) -> Self {
        FolderCell {
            thread: here(),
            folder: Cell::new(folder),
            threshold,
        }
    }

    /// The threshold of the loops that use it, if this is its thread.
    #[inline]
    fn threshold(&self) -> Option<&'t InnerLoopThreshold> {
        if self.thread != here() {
            return None;
        }
        self.threshold
    }

    /// Takes the folder, if it is there and this is its thread.
    #[inline]
    fn take(&self) -> Option<F> {
        if self.thread != here() {
            return None;
        }
        self.folder.take()
    }

    /// Puts a folder there; gives it back where this is another thread.
    #[inline]
    fn put(&self, folder: F) -> Result<(), F> {
        if self.thread != here() {
            return Err(folder);
        }
        self.folder.set(Some(folder));
        Ok(())
    }

    /// Joins the folder with the result of what came after it.
    #[inline]
    fn nested<T, R>(self, result: Option<R>, reducer: impl Reducer<R>) -> Nested<F, R>
    where
        F: Folder<T, Result = R>,
    {
        match (self.folder.into_inner(), result) {
            (Some(folder), None) => Nested::Open(folder),
            (open, Some(result)) => close(open.map(Folder::complete), result, reducer),
            (None, None) => unreachable!("a loop without a result leaves a folder"),
        }
    }
}

/// The consumer of an inner loop.
///
/// Its result is `None` where all that came of a part is the folder in the slot, which comes before
/// every other result.
pub struct InnerConsumer<'s, C, F> {
    base: C,
    /// Only the leftmost part has it.
    slot: Cell<Option<&'s FolderCell<'s, F>>>,
}

impl<'s, C, F> InnerConsumer<'s, C, F> {
    fn new(base: C, slot: &'s FolderCell<'s, F>) -> Self {
        InnerConsumer {
            base,
            slot: Cell::new(Some(slot)),
        }
    }

    fn without(base: C) -> Self {
        InnerConsumer {
            base,
            slot: Cell::new(None),
        }
    }

    /// Unpacks a folder, or takes the one in the slot.
    fn unpack<T>(
        &self,
        open: Option<InnerFolder<'s, F>>,
    ) -> (Option<&'s FolderCell<'s, F>>, Option<F>)
    where
        F: Folder<T>,
    {
        match open {
            Some(folder) => (folder.slot, Some(folder.base)),
            None => {
                let slot = self.slot.take();
                (slot, slot.and_then(FolderCell::take))
            }
        }
    }
}

impl<'s, T, C> Consumer<T> for InnerConsumer<'s, C, C::Folder>
where
    C: Consumer<T>,
{
    type Folder = InnerFolder<'s, C::Folder>;
    type Reducer = InnerReducer<C::Reducer>;
    type Result = Option<C::Result>;
    const RESUMES: bool = C::RESUMES;
    const ADVANCES_UNCOUNTED: bool = C::ADVANCES_UNCOUNTED;

    fn split_at(self, index: usize) -> (Self, Self, Self::Reducer) {
        let (left, right, reducer) = self.base.split_at(index);
        let (left, right) = (InnerConsumer::without(left), InnerConsumer::without(right));
        // A part of no items is split off for its reducer, and has no use for the slot.
        let first = if index == 0 || planted!(FolderCellToTheRight) {
            &right
        } else {
            &left
        };
        first.slot.set(self.slot.get());
        (left, right, InnerReducer(reducer))
    }

    #[inline]
    fn into_folder(self) -> Self::Folder {
        let slot = self.slot.get();
        let base = match slot.and_then(FolderCell::take) {
            Some(folder) => self.base.resume(folder),
            None => self.base.into_folder(),
        };
        InnerFolder { base, slot }
    }

    #[inline]
    fn full(&self) -> bool {
        self.base.full()
    }

    #[inline]
    fn hides(&self, len: usize) -> bool {
        // Only from the leftmost part: if there are others, another thread helps.
        let threshold = self.slot.get().and_then(FolderCell::threshold);
        threshold.is_some_and(|threshold| threshold.hides(len))
    }

    #[inline]
    fn resume(self, folder: Self::Folder) -> Self::Folder {
        InnerFolder {
            base: self.base.resume(folder.base),
            slot: folder.slot,
        }
    }

    fn split_chunk(self, count: usize) -> (Self, Self) {
        let (first, rest) = self.base.split_chunk(count);
        let first = InnerConsumer::without(first);
        first.slot.set(self.slot.get());
        (first, InnerConsumer::without(rest))
    }

    #[inline]
    fn advance(self, folder: Self::Folder, count: usize) -> (Self::Folder, Self) {
        let (base, rest) = self.base.advance(folder.base, count);
        let slot = folder.slot;
        (InnerFolder { base, slot }, InnerConsumer::without(rest))
    }

    // The loops in a loop in a loop are no deeper nested than those in a loop. Otherwise the type
    // of the consumer would grow with each level, without end where an iterator contains its like.
    fn nest<I>(
        self,
        reducer: Self::Reducer,
        open: Option<Self::Folder>,
        threshold: Option<&InnerLoopThreshold>,
        inner: I,
    ) -> Nested<Self::Folder, Self::Result>
    where
        I: IndexedParallelIterator<Item = T>,
    {
        let (slot, open) = self.unpack(open);
        let threshold = threshold.or(slot.and_then(FolderCell::threshold));
        pack(slot, self.base.nest(reducer.0, open, threshold, inner))
    }
}

impl<T, C> UnindexedConsumer<T> for InnerConsumer<'_, C, C::Folder>
where
    C: UnindexedConsumer<T>,
{
    fn split_off_left(&self) -> Self {
        InnerConsumer {
            base: self.base.split_off_left(),
            slot: Cell::new(self.slot.take()),
        }
    }

    fn to_reducer(&self) -> Self::Reducer {
        InnerReducer(self.base.to_reducer())
    }

    fn nest_unindexed<I>(
        self,
        reducer: Self::Reducer,
        open: Option<Self::Folder>,
        threshold: Option<&InnerLoopThreshold>,
        inner: I,
    ) -> Nested<Self::Folder, Self::Result>
    where
        I: ParallelIterator<Item = T>,
    {
        let (slot, open) = self.unpack(open);
        let threshold = threshold.or(slot.and_then(FolderCell::threshold));
        let nested = self.base.nest_unindexed(reducer.0, open, threshold, inner);
        pack(slot, nested)
    }
}

fn pack<'s, F, R>(
    slot: Option<&'s FolderCell<'s, F>>,
    nested: Nested<F, R>,
) -> Nested<InnerFolder<'s, F>, Option<R>> {
    match nested {
        Nested::Open(base) => Nested::Open(InnerFolder { base, slot }),
        Nested::Closed(result) => Nested::Closed(Some(result)),
    }
}

/// The folder of an [`InnerConsumer`].
pub struct InnerFolder<'s, F> {
    base: F,
    slot: Option<&'s FolderCell<'s, F>>,
}

impl<T, F> Folder<T> for InnerFolder<'_, F>
where
    F: Folder<T>,
{
    type Result = Option<F::Result>;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        self.base = self.base.consume(item);
        self
    }

    #[inline]
    fn consume_iter<I>(mut self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        self.base = self.base.consume_iter(iter);
        self
    }

    #[inline]
    fn complete(self) -> Option<F::Result> {
        self.close(true)
    }

    #[inline]
    fn close(self, is_over: bool) -> Option<F::Result> {
        let folder = match self.slot {
            Some(slot) if is_over => slot.put(self.base).err()?,
            _ => self.base,
        };
        Some(folder.close(is_over))
    }

    #[inline]
    fn full(&self) -> bool {
        self.base.full()
    }
}

/// The reducer of an [`InnerConsumer`].
pub struct InnerReducer<R>(R);

impl<T, R> Reducer<Option<T>> for InnerReducer<R>
where
    R: Reducer<T>,
{
    fn reduce(self, left: Option<T>, right: Option<T>) -> Option<T> {
        match (left, right) {
            (Some(left), Some(right)) => Some(self.0.reduce(left, right)),
            (left, right) => left.or(right),
        }
    }
}
