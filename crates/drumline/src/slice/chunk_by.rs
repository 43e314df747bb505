//! Parts of a slice that end where two neighbours do not belong together.

use std::fmt;

use super::split::{clone_split_iter, split_iter};
use crate::iter::ParallelIterator;
use crate::iter::plumbing::{Folder, UnindexedConsumer};
use crate::iter::sources::fields::{Gap, Rule, bridge_fields};

split_iter! {
    /// Runs of neighbours that belong together, in a shared slice; see
    /// [`par_chunk_by`](super::ParallelSlice::par_chunk_by).
    ChunkBy(&'data [T]), Sync, Together(T, T)
}

split_iter! {
    /// Runs of neighbours that belong together, in a mutable slice; see
    /// [`par_chunk_by_mut`](super::ParallelSliceMut::par_chunk_by_mut).
    ChunkByMut(&'data mut [T]), Send, Together(T, T)
}

clone_split_iter! { ChunkBy }

/// Fields end where two neighbours do not belong together.
struct Together<P>(P);

impl<P> Together<P> {
    /// Whether there is a gap before the item at `index`.
    fn parts<T>(&self, slice: &[T], index: usize) -> bool
    where
        P: Fn(&T, &T) -> bool,
    {
        !(self.0)(&slice[index - 1], &slice[index])
    }
}

/// A gap before the item at `index`.
fn before(index: usize) -> Gap {
    Gap {
        end: index,
        start: index,
    }
}

macro_rules! rules {
    ($($slice:ty: $bound:ident, $split:ident;)*) => {
        $(impl<'data, T, P> Rule<$slice> for Together<P>
        where
            T: $bound,
            P: Fn(&T, &T) -> bool + Sync,
        {
            const EMPTY: bool = false;

            fn first(&self, view: &[T], from: usize, to: usize) -> Option<Gap> {
                (from.max(1)..to).find(|&index| self.parts(view, index)).map(before)
            }

            fn last(&self, view: &[T], to: usize) -> Option<Gap> {
                (1..to).rfind(|&index| self.parts(view, index)).map(before)
            }

            fn fold<F>(&self, slice: $slice, folder: F) -> F
            where
                F: Folder<$slice>,
            {
                folder.consume_iter(slice.$split(&self.0))
            }
        })*
    };
}

rules! {
    &'data [T]: Sync, chunk_by;
    &'data mut [T]: Send, chunk_by_mut;
}
