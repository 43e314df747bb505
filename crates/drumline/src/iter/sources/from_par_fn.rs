//! Items by their index.

use std::fmt;

use crate::iter::plumbing::{Consumer, ProducerCallback, UnindexedConsumer};
use crate::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

/// A parallel iterator over what a function makes of indices; see [`from_par_fn`].
#[derive(Clone)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct FromParFn<F> {
    len: usize,
    f: F,
}

/// A parallel iterator over `f(0)`, `f(1)`, … up to `f(len - 1)`.
///
/// That is all that is needed to make a parallel iterator of anything that has items by index.
/// Where it is cheaper to go from one item to the next than to find each by its index, see
/// [`plumbing`](crate::iter::plumbing).
///
/// ```
/// use drumline::iter::from_par_fn;
/// use drumline::prelude::*;
///
/// /// A matrix by rows.
/// struct Matrix { columns: usize, cells: Vec<u32> }
///
/// impl Matrix {
///     fn par_column(&self, column: usize) -> impl IndexedParallelIterator<Item = &u32> {
///         let rows = self.cells.len() / self.columns;
///         from_par_fn(rows, move |row| &self.cells[row * self.columns + column])
///     }
/// }
///
/// let matrix = Matrix { columns: 2, cells: vec![1, 10, 2, 20, 3, 30] };
/// assert_eq!(matrix.par_column(1).sum::<u32>(), 60);
/// ```
pub fn from_par_fn<R, F>(len: usize, f: F) -> FromParFn<F>
where
    F: Fn(usize) -> R + Sync + Send,
    R: Send,
{
    FromParFn { len, f }
}

impl<F> fmt::Debug for FromParFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromParFn")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl<R, F> ParallelIterator for FromParFn<F>
where
    F: Fn(usize) -> R + Sync + Send,
    R: Send,
{
    type Item = R;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<R>,
    {
        self.drive(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len)
    }
}

impl<R, F> IndexedParallelIterator for FromParFn<F>
where
    F: Fn(usize) -> R + Sync + Send,
    R: Send,
{
    fn len(&self) -> usize {
        self.len
    }

    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<R>,
    {
        (0..self.len).into_par_iter().map(self.f).drive(consumer)
    }

    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<R>,
    {
        let items = (0..self.len).into_par_iter().map(self.f);
        items.with_producer(callback)
    }
}
