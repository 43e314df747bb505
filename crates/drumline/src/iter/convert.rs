//! What can become a parallel iterator, and what one can become.

use super::ParallelIterator;

/// Can become a parallel iterator, by value.
///
/// ```
/// use drumline::prelude::*;
///
/// let words = vec!["one", "two", "three"];
/// let letters: usize = words.into_par_iter().map(str::len).sum();
/// assert_eq!(letters, 11);
/// ```
pub trait IntoParallelIterator {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// Its items.
    type Item: Send;

    /// Becomes a parallel iterator.
    fn into_par_iter(self) -> Self::Iter;
}

impl<I: ParallelIterator> IntoParallelIterator for I {
    type Iter = I;
    type Item = I::Item;

    fn into_par_iter(self) -> I {
        self
    }
}

/// Can be gone through in parallel, by reference.
///
/// A type has it if a shared reference to the type is [`IntoParallelIterator`].
///
/// ```
/// use drumline::prelude::*;
///
/// let numbers = vec![3, 1, 4];
/// assert_eq!(numbers.par_iter().max(), Some(&4));
/// ```
pub trait IntoParallelRefIterator<'data> {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// Its items, usually references.
    type Item: Send + 'data;

    /// A parallel iterator over what `self` holds.
    fn par_iter(&'data self) -> Self::Iter;
}

impl<'data, I: 'data + ?Sized> IntoParallelRefIterator<'data> for I
where
    &'data I: IntoParallelIterator,
{
    type Iter = <&'data I as IntoParallelIterator>::Iter;
    type Item = <&'data I as IntoParallelIterator>::Item;

    fn par_iter(&'data self) -> Self::Iter {
        self.into_par_iter()
    }
}

/// Can be gone through in parallel, by mutable reference.
///
/// A type has it if a mutable reference to the type is [`IntoParallelIterator`].
///
/// ```
/// use drumline::prelude::*;
///
/// let mut numbers = [1, 2, 3];
/// numbers.par_iter_mut().for_each(|number| *number *= 10);
/// assert_eq!(numbers, [10, 20, 30]);
/// ```
pub trait IntoParallelRefMutIterator<'data> {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// Its items, usually mutable references.
    type Item: Send + 'data;

    /// A parallel iterator over what `self` holds.
    fn par_iter_mut(&'data mut self) -> Self::Iter;
}

impl<'data, I: 'data + ?Sized> IntoParallelRefMutIterator<'data> for I
where
    &'data mut I: IntoParallelIterator,
{
    type Iter = <&'data mut I as IntoParallelIterator>::Iter;
    type Item = <&'data mut I as IntoParallelIterator>::Item;

    fn par_iter_mut(&'data mut self) -> Self::Iter {
        self.into_par_iter()
    }
}

/// Can be made of the items of a parallel iterator; behind
/// [`collect`](ParallelIterator::collect).
pub trait FromParallelIterator<T: Send> {
    /// Makes it of the items of `iter`.
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = T>;
}

/// Can take the items of a parallel iterator in addition to what it holds.
///
/// ```
/// use drumline::prelude::*;
///
/// let mut numbers = vec![1, 2];
/// numbers.par_extend(3..=5u32);
/// assert_eq!(numbers, [1, 2, 3, 4, 5]);
/// ```
pub trait ParallelExtend<T: Send> {
    /// Takes the items of `iter`.
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = T>;
}

/// Can give all its items away in parallel, and is empty then.
///
/// There is no [`ParallelDrainRange`] for collections that have no order.
pub trait ParallelDrainFull {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// Its items.
    type Item: Send;

    /// Gives all items; those that the iterator is not asked for are dropped.
    fn par_drain(self) -> Self::Iter;
}

/// Can give a range of its items away in parallel, and keeps the others.
///
/// ```
/// use drumline::prelude::*;
///
/// let mut numbers = vec![1, 2, 3, 4, 5];
/// let sum: u32 = numbers.par_drain(1..3).sum();
/// assert_eq!((sum, numbers), (5, vec![1, 4, 5]));
/// ```
pub trait ParallelDrainRange<Idx = usize> {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// Its items.
    type Item: Send;

    /// Gives the items of the range; those that the iterator is not asked for are dropped.
    ///
    /// # Panics
    ///
    /// If the range is out of bounds.
    fn par_drain<R: std::ops::RangeBounds<Idx>>(self, range: R) -> Self::Iter;
}
