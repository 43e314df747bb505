//! Parallel iterators over slices, and parallel sorting.

mod iter;
mod parallel_slice;
mod parallel_slice_mut;
mod sort;

pub use {
    iter::{Iter, IterMut},
    parallel_slice::ParallelSlice,
    parallel_slice_mut::ParallelSliceMut,
};
