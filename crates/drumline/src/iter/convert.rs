//! What can become a parallel iterator, and what one can become.

use crate::iter::ParallelIterator;

/// Can become a parallel iterator, by value.
///
/// ```
/// use drumline::prelude::*;
///
/// let words = vec!["one", "two", "three"];
/// let letters: usize = words.into_par_iter().map(str::len).sum();
/// assert_eq!(letters, 11);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot become a parallel iterator",
    label = "not a parallel iterator, and nothing that becomes one",
    note = "collections, slices, ranges, arrays, options and results can, if their items are \
            `Send`, and references to them, if their items are `Sync`",
    note = "a sequential iterator becomes a parallel one by `par_bridge()`"
)]
pub trait IntoParallelIterator {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// Its items.
    type Item: Send;

    /// Becomes a parallel iterator.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let names = vec![String::from("ada"), String::from("grace")];
    /// let loud: Vec<String> = names.into_par_iter().map(|name| name + "!").collect();
    /// assert_eq!(loud, ["ada!", "grace!"]);
    /// ```
    fn into_par_iter(self) -> Self::Iter;
}

// A type that is neither gets the message of `IntoParallelIterator`.
#[diagnostic::do_not_recommend]
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
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let names = vec!["ada", "grace"];
    /// let letters: usize = names.par_iter().map(|name| name.len()).sum();
    /// assert_eq!((letters, names.len()), (8, 2)); // the names are still there
    /// ```
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
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut names = vec![String::from("ada"), String::from("grace")];
    /// names.par_iter_mut().for_each(|name| name.push('!'));
    /// assert_eq!(names, ["ada!", "grace!"]);
    /// ```
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
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::HashSet;
///
/// let numbers: HashSet<u32> = [3, 1, 4, 1].into_par_iter().collect();
/// assert_eq!(numbers, HashSet::from([1, 3, 4]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be collected from a parallel iterator over `{T}`",
    label = "this does not collect `{T}`",
    note = "a `Vec<{T}>` does; `map` makes other items first"
)]
pub trait FromParallelIterator<T: Send> {
    /// Makes it of the items of `iter`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// /// The largest of some numbers.
    /// #[derive(Debug, PartialEq)]
    /// struct Largest(u32);
    ///
    /// impl FromParallelIterator<u32> for Largest {
    ///     fn from_par_iter<I: IntoParallelIterator<Item = u32>>(iter: I) -> Self {
    ///         Largest(iter.into_par_iter().max().unwrap_or(0))
    ///     }
    /// }
    ///
    /// assert_eq!([3, 1, 4].into_par_iter().collect::<Largest>(), Largest(4));
    /// ```
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be extended by a parallel iterator over `{T}`",
    label = "this does not take `{T}`",
    note = "`map` makes other items first"
)]
pub trait ParallelExtend<T: Send> {
    /// Takes the items of `iter`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut numbers = vec![1];
    /// numbers.par_extend([2, 3].into_par_iter().map(|number| 10 * number));
    /// assert_eq!(numbers, [1, 20, 30]);
    /// ```
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = T>;
}

/// Can give all its items away in parallel, and is empty then.
///
/// There is no [`ParallelDrainRange`] for collections that have no order.
///
/// ```
/// use drumline::prelude::*;
/// use std::collections::HashSet;
///
/// let mut numbers = HashSet::from([1, 2, 3]);
/// assert_eq!(numbers.par_drain().sum::<u32>(), 6);
/// assert!(numbers.is_empty());
/// ```
pub trait ParallelDrainFull {
    /// The iterator.
    type Iter: ParallelIterator<Item = Self::Item>;

    /// Its items.
    type Item: Send;

    /// Gives all items; those that the iterator is not asked for are dropped.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::collections::HashMap;
    ///
    /// let mut ages = HashMap::from([("ada", 36), ("grace", 85)]);
    /// assert_eq!(ages.par_drain().map(|(_name, age)| age).max(), Some(85));
    /// assert!(ages.is_empty());
    /// ```
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
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut letters = vec!['a', 'b', 'c', 'd'];
    /// let taken: String = letters.par_drain(..2).collect();
    /// assert_eq!((taken.as_str(), letters), ("ab", vec!['c', 'd']));
    /// ```
    ///
    /// # Panics
    ///
    /// If the range is out of bounds.
    fn par_drain<R: std::ops::RangeBounds<Idx>>(self, range: R) -> Self::Iter;
}
