//! Items with the consumer that takes them: what a loop splits, offers and goes through.

use super::chunk_len::ChunkLen;
use super::items::Items;
use super::plant::planted;
use crate::iter::plumbing::{Consumer, Folder};

/// Items, and the consumer that takes them.
pub(super) struct Part<I, C> {
    pub(super) items: I,
    pub(super) consumer: C,
}

impl<I, C> Part<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    /// Splits it in two; the second part may be smaller if it `is_late`. Gives it back where that
    /// cannot be done, or is not worth it.
    #[inline(always)]
    pub(super) fn halve(
        self,
        chunk_len: &ChunkLen,
        is_late: bool,
    ) -> Result<(Self, Self, C::Reducer), Self> {
        let consumer = self.consumer;
        let (items, rest, at) = match self.items.halve(chunk_len, is_late) {
            Ok(halves) => halves,
            Err(items) => return Err(Part { items, consumer }),
        };
        let (consumer, others, reducer) = consumer.split_at(at);
        let first = Part { items, consumer };
        let second = Part {
            items: rest,
            consumer: others,
        };
        Ok((first, second, reducer))
    }

    /// Splits off the first `at` items, where their number is known.
    #[inline(always)]
    pub(super) fn split(self, at: usize) -> (Self, Self, C::Reducer) {
        let (items, rest) = self.items.split(at);
        let (consumer, others, reducer) = self.consumer.split_at(at);
        let first = Part { items, consumer };
        let second = Part {
            items: rest,
            consumer: others,
        };
        (first, second, reducer)
    }

    /// As [`fold_after`](Self::fold_after), compiled apart: every copy of a loop takes its time to
    /// be compiled, and it is one call for a whole chunk.
    pub(super) fn fold_apart(self, folder: Option<C::Folder>) -> C::Folder {
        fold_apart(self.items, Some(self.consumer), folder)
    }

    /// Goes through the next chunk, after the items of `folder`, if there is one.
    #[inline(always)]
    pub(super) fn fold_chunk(
        self,
        chunk_len: &mut ChunkLen,
        folder: Option<C::Folder>,
    ) -> (C::Folder, Self) {
        let at = self.items.chunk(chunk_len);
        let (folder, consumer) = match folder {
            Some(folder) => self.consumer.advance(folder, at),
            None if I::COUNTED => unreachable!("the first chunk of what is counted is split off"),
            None => {
                let (first, others, _) = self.consumer.split_at(at);
                (first.into_folder(), others)
            }
        };
        let (folder, items) = self.items.fold_chunk(chunk_len, folder);
        (folder, Part { items, consumer })
    }

    /// Goes through all items, after those of `folder`, if there is one.
    #[inline(always)]
    pub(super) fn fold_after(self, folder: Option<C::Folder>) -> C::Folder {
        fold_all(self.items, Some(self.consumer), folder)
    }
}

/// As [`fold_all`], compiled apart.
#[inline(never)]
pub(super) fn fold_apart<I, C>(
    items: I,
    consumer: Option<C>,
    folder: Option<C::Folder>,
) -> C::Folder
where
    I: Items,
    C: Consumer<I::Item>,
{
    fold_all(items, consumer, folder)
}

/// Goes through all items, after those of `folder`, if there is one.
#[inline(always)]
fn fold_all<I, C>(items: I, consumer: Option<C>, folder: Option<C::Folder>) -> C::Folder
where
    I: Items,
    C: Consumer<I::Item>,
{
    let folder = begin(consumer, folder);
    if folder.full() {
        return folder;
    }
    items.fold_all(folder)
}

/// The folder for the items of `consumer`; it goes on after those of `folder`, if there is one.
/// Without a consumer, the folder is ready for them.
#[inline(always)]
pub(super) fn begin<T, C: Consumer<T>>(
    consumer: Option<C>,
    folder: Option<C::Folder>,
) -> C::Folder {
    let Some(consumer) = consumer else {
        return match folder {
            Some(folder) => folder,
            None => unreachable!("a folder has been made, or there is a consumer for it"),
        };
    };
    match folder {
        Some(folder) if planted!(ResumeForgotten) => folder,
        Some(folder) => consumer.resume(folder),
        None => consumer.into_folder(),
    }
}

/// How far the first part has come when its published split is decided.
pub(super) enum PartOutcome<F, R> {
    /// All its items have been given to a folder that can go on.
    Open(F),
    /// The offer was seen to be gone; this has been made of all items.
    Closed(R),
    /// What was left of it went into the loop that is shared with the thread that took the offer.
    Shared,
}

impl<F, R> PartOutcome<F, R> {
    /// Completes the folder: the thread is about to wait.
    pub(super) fn close<T>(self) -> Self
    where
        F: Folder<T, Result = R>,
    {
        match self {
            PartOutcome::Open(open) => PartOutcome::Closed(open.close(false)),
            closed => closed,
        }
    }
}
