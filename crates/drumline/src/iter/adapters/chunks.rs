//! `chunks`, and what makes one item of some in a row in general.

use super::wrapping::{Wrap, Wrapping};
use crate::iter::IndexedParallelIterator;
use crate::iter::bridged::bridged;
use crate::iter::item_op::adapter;
use crate::iter::plumbing::{Folder, Producer};

adapter! {
    /// Vectors of items of another iterator; see
    /// [`chunks`](crate::iter::IndexedParallelIterator::chunks).
    Chunks<I> { size: usize }
}

bridged! {
    [I] Chunks<I> where { I: IndexedParallelIterator, }
    yields Vec<I::Item>;
    len |chunks| chunks.base.len().div_ceil(chunks.size);
    producer |chunks, callback| {
        let wrap = InChunks { len: chunks.base.len(), size: chunks.size, make: IntoVec };
        chunks.base.with_producer(Wrapping { callback, wrap })
    };
}

/// How a chunk becomes an item. Cloned where a loop is split.
pub(crate) trait OfChunk<T>: Clone + Send {
    /// The item.
    type Item;

    /// What an item is before there is anything in it; `len` things will be.
    fn begin(&self, len: usize) -> Self::Item;

    /// Adds one.
    fn add(&self, made: Self::Item, item: T) -> Self::Item;

    /// Adds some.
    fn add_all<I>(&self, made: Self::Item, items: I) -> Self::Item
    where
        I: Iterator<Item = T>;
}

/// Collects a chunk.
#[derive(Clone, Debug)]
struct IntoVec;

impl<T> OfChunk<T> for IntoVec {
    type Item = Vec<T>;

    fn begin(&self, len: usize) -> Vec<T> {
        Vec::with_capacity(len)
    }

    #[inline]
    fn add(&self, mut made: Vec<T>, item: T) -> Vec<T> {
        made.push(item);
        made
    }

    #[inline]
    fn add_all<I>(&self, mut made: Vec<T>, items: I) -> Vec<T>
    where
        I: Iterator<Item = T>,
    {
        made.extend(items);
        made
    }
}

/// Makes an item of each `size` items of a producer of `len`, and of those that are left.
#[derive(Debug)]
pub(crate) struct InChunks<M> {
    pub(crate) len: usize,
    pub(crate) size: usize,
    pub(crate) make: M,
}

impl<T, M: OfChunk<T>> Wrap<T> for InChunks<M> {
    type Item = M::Item;
    type Producer<P>
        = ChunkProducer<P, M>
    where
        P: Producer<Item = T>;

    fn wrap<P>(self, base: P) -> ChunkProducer<P, M>
    where
        P: Producer<Item = T>,
    {
        ChunkProducer {
            base,
            len: self.len,
            size: self.size,
            make: self.make,
        }
    }
}

/// Gives what is made of the chunks of `base`, which has `len` items.
#[derive(Debug)]
pub(crate) struct ChunkProducer<P, M> {
    base: P,
    len: usize,
    size: usize,
    make: M,
}

impl<P, M> Producer for ChunkProducer<P, M>
where
    P: Producer,
    M: OfChunk<P::Item>,
{
    type Item = M::Item;
    type IntoIter = ChunkIter<P, M>;
    const HAS_STATE: bool = P::HAS_STATE;
    const ENDS_EARLY: bool = P::ENDS_EARLY;

    fn into_iter(self) -> ChunkIter<P, M> {
        ChunkIter {
            base: Some(self.base),
            len: self.len,
            size: self.size,
            make: self.make,
        }
    }

    fn min_len(&self) -> usize {
        self.base.min_len().div_ceil(self.size)
    }

    fn max_len(&self) -> usize {
        self.base.max_len() / self.size
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        // The last chunk may be short.
        let at = index.saturating_mul(self.size).min(self.len);
        let (before, after) = self.base.split_at(at);
        let left = ChunkProducer {
            base: before,
            len: at,
            size: self.size,
            make: self.make.clone(),
        };
        let right = ChunkProducer {
            base: after,
            len: self.len - at,
            size: self.size,
            make: self.make,
        };
        (left, right)
    }
}

/// The sequential iterator of a [`ChunkProducer`]. Each chunk is a producer of its own, and goes
/// through its items in its own way.
#[derive(Debug)]
pub(crate) struct ChunkIter<P, M> {
    /// The items that are left; gone with the last.
    base: Option<P>,
    len: usize,
    size: usize,
    make: M,
}

impl<P, M> ChunkIter<P, M>
where
    P: Producer,
    M: OfChunk<P::Item>,
{
    /// Makes an item of a chunk of `len`.
    #[inline]
    fn make(&self, chunk: P, len: usize) -> M::Item {
        let folder = ChunkFolder {
            made: self.make.begin(len),
            make: &self.make,
        };
        chunk.fold_with(folder).made
    }
}

impl<P, M> Iterator for ChunkIter<P, M>
where
    P: Producer,
    M: OfChunk<P::Item>,
{
    type Item = M::Item;

    #[inline]
    fn next(&mut self) -> Option<M::Item> {
        let mut chunk = self.base.take()?;
        let len = self.len.min(self.size);
        if len == 0 {
            return None;
        }
        if len < self.len {
            let (first, rest) = chunk.split_at(len);
            chunk = first;
            self.base = Some(rest);
        }
        self.len -= len;
        Some(self.make(chunk, len))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.len.div_ceil(self.size);
        (len, Some(len))
    }
}

impl<P, M> DoubleEndedIterator for ChunkIter<P, M>
where
    P: Producer,
    M: OfChunk<P::Item>,
{
    #[inline]
    fn next_back(&mut self) -> Option<M::Item> {
        let mut chunk = self.base.take()?;
        if self.len == 0 {
            return None;
        }
        let len = match self.len % self.size {
            0 => self.size,
            short => short,
        };
        if len < self.len {
            let (rest, last) = chunk.split_at(self.len - len);
            chunk = last;
            self.base = Some(rest);
        }
        self.len -= len;
        Some(self.make(chunk, len))
    }
}

impl<P, M> ExactSizeIterator for ChunkIter<P, M>
where
    P: Producer,
    M: OfChunk<P::Item>,
{
}

/// Makes an item of the items of a chunk.
struct ChunkFolder<'m, M, V> {
    make: &'m M,
    made: V,
}

impl<T, M: OfChunk<T>> Folder<T> for ChunkFolder<'_, M, M::Item> {
    type Result = M::Item;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        self.made = self.make.add(self.made, item);
        self
    }

    #[inline]
    fn consume_iter<I>(mut self, items: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        self.made = self.make.add_all(self.made, items.into_iter());
        self
    }

    #[inline]
    fn complete(self) -> M::Item {
        self.made
    }

    #[inline]
    fn full(&self) -> bool {
        false
    }
}
