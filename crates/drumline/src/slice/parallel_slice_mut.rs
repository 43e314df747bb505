//! What a mutable slice can do in parallel.

/// Methods of mutable slices: parallel iterators over parts of them, and sorting.
pub trait ParallelSliceMut<T: Send> {
    /// The slice itself.
    fn as_parallel_slice_mut(&mut self) -> &mut [T];

    // ---- parts ----------------------------------------------------------

    // ---- sorting --------------------------------------------------------
}

impl<T: Send> ParallelSliceMut<T> for [T] {
    #[inline]
    fn as_parallel_slice_mut(&mut self) -> &mut [T] {
        self
    }
}
