//! `fold_chunks` and `fold_chunks_with`.

use super::chunks::{InChunks, OfChunk};
use super::wrapping::Wrapping;
use crate::iter::IndexedParallelIterator;
use crate::iter::bridged::bridged;
use crate::iter::item_op::adapter;

adapter! {
    /// What becomes of each `size` items of another iterator; see
    /// [`fold_chunks`](crate::iter::IndexedParallelIterator::fold_chunks).
    FoldChunks<I, ID, F> { size: usize, identity: ID, op: F }
}

bridged! {
    [I, ID, U, F] FoldChunks<I, ID, F> where {
        I: IndexedParallelIterator,
        ID: Fn() -> U + Send + Sync,
        F: Fn(U, I::Item) -> U + Send + Sync,
        U: Send,
    }
    yields U;
    len |folds| folds.base.len().div_ceil(folds.size);
    producer |folds, callback| {
        let make = Folded { identity: &folds.identity, op: &folds.op };
        let wrap = InChunks { len: folds.base.len(), size: folds.size, make };
        folds.base.with_producer(Wrapping { callback, wrap })
    };
}

/// Folds a chunk.
struct Folded<'f, ID, F> {
    identity: &'f ID,
    op: &'f F,
}

impl<ID, F> Clone for Folded<'_, ID, F> {
    fn clone(&self) -> Self {
        Folded { ..*self }
    }
}

impl<T, U, ID, F> OfChunk<T> for Folded<'_, ID, F>
where
    ID: Fn() -> U + Sync,
    F: Fn(U, T) -> U + Sync,
{
    type Item = U;

    #[inline]
    fn begin(&self, _len: usize) -> U {
        (self.identity)()
    }

    #[inline]
    fn add(&self, made: U, item: T) -> U {
        (self.op)(made, item)
    }

    #[inline]
    fn add_all<I>(&self, made: U, items: I) -> U
    where
        I: Iterator<Item = T>,
    {
        items.fold(made, self.op)
    }
}

adapter! {
    /// What becomes of each `size` items of another iterator; see
    /// [`fold_chunks_with`](crate::iter::IndexedParallelIterator::fold_chunks_with).
    FoldChunksWith<I, U, F> { size: usize, init: U, op: F }
}

bridged! {
    [I, U, F] FoldChunksWith<I, U, F> where {
        I: IndexedParallelIterator,
        U: Send + Clone,
        F: Fn(U, I::Item) -> U + Send + Sync,
    }
    yields U;
    len |folds| folds.base.len().div_ceil(folds.size);
    producer |folds, callback| {
        let make = FoldedWith { init: folds.init, op: &folds.op };
        let wrap = InChunks { len: folds.base.len(), size: folds.size, make };
        folds.base.with_producer(Wrapping { callback, wrap })
    };
}

/// Folds a chunk, beginning with a clone.
struct FoldedWith<'f, U, F> {
    init: U,
    op: &'f F,
}

impl<U: Clone, F> Clone for FoldedWith<'_, U, F> {
    fn clone(&self) -> Self {
        FoldedWith {
            init: self.init.clone(),
            op: self.op,
        }
    }
}

impl<T, U, F> OfChunk<T> for FoldedWith<'_, U, F>
where
    U: Clone + Send,
    F: Fn(U, T) -> U + Sync,
{
    type Item = U;

    #[inline]
    fn begin(&self, _len: usize) -> U {
        self.init.clone()
    }

    #[inline]
    fn add(&self, made: U, item: T) -> U {
        (self.op)(made, item)
    }

    #[inline]
    fn add_all<I>(&self, made: U, items: I) -> U
    where
        I: Iterator<Item = T>,
    {
        items.fold(made, self.op)
    }
}
