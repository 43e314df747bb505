//! What a loop goes through: items that can be halved, and of which a chunk can be taken.
//!
//! * [`Counted`](super::counted::Counted): those of a [`Producer`](super::Producer).
//! * [`Stretch`]es: what can be cut about anywhere, as a text. How many items come of it is not
//!   known.
//! * [`Halves`]: those of an [`UnindexedProducer`].

use super::chunk_len::ChunkLen;
use crate::iter::plumbing::{Consumer, Folder, UnindexedConsumer, UnindexedProducer};

/// Items, as a loop sees them.
pub(crate) trait Items: Send + Sized {
    /// What they are.
    type Item;

    /// Whether their number is known, so that they can be [split](Self::split) anywhere.
    const COUNTED: bool = false;

    /// Whether one may be so much larger than another that it is best to go through one before
    /// anything is decided: see [`lazy`](super::lazy).
    const NESTS: bool = false;

    /// Whether there is no more than this to be done, in items or whatever [`left`](Self::left)
    /// counts; where they [nest](Self::NESTS), whether there is nothing.
    fn at_most(&self, count: usize) -> bool;

    /// Splits them in two, and says where; the second part may be smaller if it `is_late`. Gives
    /// them back where that cannot be done, or is not worth it. Not asked of what is counted.
    #[inline(always)]
    fn halve(self, chunk_len: &ChunkLen, is_late: bool) -> Result<(Self, Self, usize), Self> {
        let _ = (chunk_len, is_late);
        unreachable!("what is counted is split")
    }

    /// How many there are, where that is known.
    #[inline(always)]
    fn len(&self) -> usize {
        unreachable!("only what is counted has a length")
    }

    /// Where to split them in two halves, where their number is known: not at an end, if there are
    /// at least two, and twice as many as a part should have.
    #[inline(always)]
    fn middle(&self, chunk_len: &ChunkLen, is_late: bool) -> usize {
        halfway(self.len(), is_late, chunk_len.min)
    }

    /// Splits off the first `at` items, or whatever [`left`](Self::left) counts, unless they
    /// [nest](Self::NESTS).
    #[inline(always)]
    fn split(self, at: usize) -> (Self, Self) {
        unreachable!("what nests is not split at {at}")
    }

    /// How many items the next chunk has, where their number is known.
    #[inline(always)]
    fn chunk(&self, chunk_len: &ChunkLen) -> usize {
        chunk_len.items
    }

    /// Gives the next chunk to `folder`.
    fn fold_chunk<F>(self, chunk_len: &mut ChunkLen, folder: F) -> (F, Self)
    where
        F: Folder<Self::Item>;

    /// Gives all of them to `folder`.
    fn fold_all<F>(self, folder: F) -> F
    where
        F: Folder<Self::Item>;

    /// How many there are, in items or whatever `chunk_len` goes by; 0 if they are not worth
    /// looking at.
    fn left(&self) -> usize;

    /// Which one of the loop is the first, where parts are to begin at aligned ones.
    #[inline(always)]
    fn start(&self) -> Option<usize> {
        None
    }

    /// They have come to another thread.
    fn arrive(&mut self) {}

    /// Divides them between their owner and a thread that has none: about half for each, or all for
    /// that thread where they are too few.
    fn share(self) -> (Option<Self>, Self) {
        unreachable!("only what nests is shared")
    }

    /// Takes the next chunk off, if there is more.
    fn detach(self, chunk_len: &ChunkLen) -> (Self, Option<Self>) {
        let _ = chunk_len;
        unreachable!("what does not nest is split")
    }

    /// Whether [`detach`](Self::detach) would leave something: they were put back behind a chunk,
    /// and are the next one as they are.
    fn exceed_chunk(&self, chunk_len: &ChunkLen) -> bool {
        let _ = chunk_len;
        false
    }

    /// Splits a chunk, of which there is no telling how much is in it, if that is worth it.
    fn divide(self, chunk_len: &mut ChunkLen) -> (Self, Option<Self>) {
        let _ = chunk_len;
        (self, None)
    }

    /// Gives a chunk to `folder`; returns what was found to be more than that.
    fn fold_divided<F>(self, chunk_len: &ChunkLen, folder: F) -> (F, Option<Self>)
    where
        F: Folder<Self::Item>,
    {
        let _ = chunk_len;
        (self.fold_all(folder), None)
    }

    /// These, and what comes after them.
    fn before(self, rest: Option<Self>) -> Self {
        let _ = rest;
        unreachable!("only what is divided is put together again")
    }
}

/// What is left of a loop that no thread has come to help with so far is over before one comes, if
/// it is no more than this.
const SMALL_LOOP: usize = 1024;

/// Where to split: in the middle, or later, but not so late that fewer than `min` would follow.
#[inline(always)]
pub(super) fn halfway(len: usize, is_late: bool, min: usize) -> usize {
    let offered = if is_late {
        let share = if len < SMALL_LOOP { len / 8 } else { len / 4 };
        share.max(min)
    } else {
        len.div_ceil(2)
    };
    len.saturating_sub(offered)
}

/// What can be cut about anywhere: a text, a slice that is to be split where some items are, …
pub(crate) trait Stretch: Send + Sized {
    /// What comes of it.
    type Item;

    /// How long it is, in units that take about the same time each.
    fn len(&self) -> usize;

    /// Cuts it at the first place at or behind `at` where that is possible. What has the length 0
    /// after that may have no items, or still some.
    fn cut(self, at: usize) -> (Self, Self);

    /// Gives all items to `folder`, until that is full.
    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Self::Item>;
}

/// A stretch, as items.
pub(super) struct Stretched<S>(pub(super) S);

impl<S: Stretch> Items for Stretched<S> {
    type Item = S::Item;

    #[inline(always)]
    fn at_most(&self, count: usize) -> bool {
        self.0.len() <= count
    }

    fn left(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn split(self, at: usize) -> (Self, Self) {
        let (first, second) = self.0.cut(at);
        (Stretched(first), Stretched(second))
    }

    #[inline(always)]
    fn halve(self, _chunk_len: &ChunkLen, is_late: bool) -> Result<(Self, Self, usize), Self> {
        let at = halfway(self.0.len(), is_late, 1);
        if at == 0 {
            return Err(self);
        }
        let (first, second) = self.split(at);
        Ok((first, second, at))
    }

    #[inline(always)]
    fn fold_chunk<F>(self, chunk_len: &mut ChunkLen, folder: F) -> (F, Self)
    where
        F: Folder<S::Item>,
    {
        let (chunk, rest) = self.0.cut(chunk_len.items);
        (chunk.fold_with(folder), Stretched(rest))
    }

    #[inline(always)]
    fn fold_all<F>(self, folder: F) -> F
    where
        F: Folder<S::Item>,
    {
        self.0.fold_with(folder)
    }
}

/// Producers that know neither the number of their items nor how often they can be split: those
/// that are still to be gone through.
///
/// As long as pieces take their time, they are split to the last. If they turn out to be short,
/// those that come after are split less often. But they are never split less than
/// [`SPLITS`](super::chunk_len::SPLITS) times, because any of them may be large.
pub(super) struct Halves<P> {
    /// The next one last; with each, how often it has been split.
    stack: Vec<(u32, P)>,
}

impl<P> Halves<P> {
    pub(super) fn new(producer: P) -> Self {
        Halves {
            stack: vec![(0, producer)],
        }
    }

    /// How many of them, from the bottom, are about half of all, but not all if there are two: what
    /// has been split once more is half as large.
    fn half(&self) -> usize {
        let size = |(depth, _): &(u32, P)| (-f64::from(*depth)).exp2();
        let all: f64 = self.stack.iter().map(size).sum();
        let mut sum = 0.0;
        let first = self.stack.iter().take_while(|entry| {
            let is_less = sum < all / 2.0;
            sum += size(entry);
            is_less
        });
        first.count().min(self.stack.len().saturating_sub(1)).max(1)
    }
}

impl<P: UnindexedProducer> Items for Halves<P> {
    type Item = P::Item;
    const NESTS: bool = true;

    fn at_most(&self, _count: usize) -> bool {
        self.stack.is_empty()
    }

    fn halve(mut self, chunk_len: &ChunkLen, _is_late: bool) -> Result<(Self, Self, usize), Self> {
        if self.stack.len() == 1 {
            let Some((depth, producer)) = self.stack.pop_if(|(depth, _)| *depth < chunk_len.whole)
            else {
                return Err(self);
            };
            let (first, second) = producer.split();
            let Some(second) = second else {
                self.stack.push((depth, first));
                return Err(self);
            };
            self.stack.push((depth + 1, second));
            self.stack.push((depth + 1, first));
        }
        let first = self.stack.split_off(self.half());
        Ok((Halves { stack: first }, self, 0))
    }

    fn fold_chunk<F>(mut self, chunk_len: &mut ChunkLen, folder: F) -> (F, Self)
    where
        F: Folder<P::Item>,
    {
        while let Some((depth, mut producer)) = self.stack.pop() {
            if depth < chunk_len.whole {
                let (first, second) = producer.split();
                if let Some(second) = second {
                    self.stack.push((depth + 1, second));
                    self.stack.push((depth + 1, first));
                    continue;
                }
                producer = first;
            }
            chunk_len.depth = depth;
            return (producer.fold_with(folder), self);
        }
        (folder, self)
    }

    fn fold_all<F>(self, mut folder: F) -> F
    where
        F: Folder<P::Item>,
    {
        for (_, producer) in self.stack.into_iter().rev() {
            folder = producer.fold_with(folder);
            if folder.full() {
                break;
            }
        }
        folder
    }

    // So that they are split as often as those of the thread that they come from.
    fn arrive(&mut self) {
        let least = self.stack.iter().map(|(depth, _)| *depth).min();
        let least = least.unwrap_or(0);
        for (depth, _) in &mut self.stack {
            *depth -= least;
        }
    }

    fn left(&self) -> usize {
        self.stack.len()
    }

    fn share(mut self) -> (Option<Self>, Self) {
        let stack = self.stack.split_off(self.half());
        self.arrive();
        ((!stack.is_empty()).then_some(Halves { stack }), self)
    }

    fn detach(mut self, _chunk_len: &ChunkLen) -> (Self, Option<Self>) {
        let stack = Vec::from_iter(self.stack.pop());
        let rest = (!self.stack.is_empty()).then_some(self);
        (Halves { stack }, rest)
    }

    fn exceed_chunk(&self, _chunk_len: &ChunkLen) -> bool {
        self.stack.len() > 1
    }

    fn divide(mut self, chunk_len: &mut ChunkLen) -> (Self, Option<Self>) {
        let Some((depth, producer)) = self.stack.pop() else {
            return (self, None);
        };
        if depth >= chunk_len.whole {
            chunk_len.depth = depth;
            self.stack.push((depth, producer));
            return (self, None);
        }
        let (first, second) = producer.split();
        let depth = if second.is_some() { depth + 1 } else { depth };
        self.stack.push((depth, first));
        chunk_len.depth = depth;
        let second = second.map(|second| Halves {
            stack: vec![(depth, second)],
        });
        (self, second)
    }

    fn before(mut self, rest: Option<Self>) -> Self {
        let Some(mut rest) = rest else { return self };
        rest.stack.append(&mut self.stack);
        rest
    }
}

/// A consumer that is not told where it is split.
pub(super) struct Uncounted<C>(pub(super) C);

impl<T, C> Consumer<T> for Uncounted<C>
where
    C: UnindexedConsumer<T>,
{
    type Folder = C::Folder;
    type Reducer = C::Reducer;
    type Result = C::Result;
    const RESUMES: bool = C::RESUMES;
    const SUCCEEDS: bool = C::SUCCEEDS;
    const ADVANCES_UNCOUNTED: bool = true;

    #[inline]
    fn split_at(self, _index: usize) -> (Self, Self, C::Reducer) {
        let left = self.0.split_off_left();
        let reducer = self.0.to_reducer();
        (Uncounted(left), self, reducer)
    }

    fn split_chunk(self, _count: usize) -> (Self, Self) {
        if C::ADVANCES_UNCOUNTED {
            let (first, rest) = self.0.split_chunk(0);
            return (Uncounted(first), Uncounted(rest));
        }
        let left = self.0.split_off_left();
        (Uncounted(left), self)
    }

    #[inline]
    fn advance(self, folder: C::Folder, _count: usize) -> (C::Folder, Self) {
        if C::ADVANCES_UNCOUNTED {
            let (folder, rest) = self.0.advance(folder, 0);
            return (folder, Uncounted(rest));
        }
        let left = self.0.split_off_left();
        (left.resume(folder), self)
    }

    #[inline]
    fn into_folder(self) -> C::Folder {
        self.0.into_folder()
    }

    #[inline]
    fn full(&self) -> bool {
        self.0.full()
    }

    #[inline]
    fn resume(self, folder: C::Folder) -> C::Folder {
        self.0.resume(folder)
    }

    fn succeed(self, folder: C::Folder) -> (C::Result, C::Folder) {
        self.0.succeed(folder)
    }
}
