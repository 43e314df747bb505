//! Parallel iterators over slices, and parallel sorting.

mod chunk_by;
mod chunks;
mod iter;
mod parallel_slice;
mod parallel_slice_mut;
mod rchunks;
mod sort;
mod split;
mod windows;

pub use {
    chunk_by::{ChunkBy, ChunkByMut},
    chunks::{Chunks, ChunksExact, ChunksExactMut, ChunksMut},
    iter::{Iter, IterMut},
    parallel_slice::ParallelSlice,
    parallel_slice_mut::ParallelSliceMut,
    rchunks::{RChunks, RChunksExact, RChunksExactMut, RChunksMut},
    split::{Split, SplitInclusive, SplitInclusiveMut, SplitMut},
    windows::{ArrayWindows, Windows},
};
