//! What gives items: producers.

use super::Folder;

/// Gives a known number of items and can be split before any of them.
///
/// How many there are is not asked of the producer: the parallel iterator that makes it
/// [knows](crate::iter::IndexedParallelIterator::len).
///
/// ```
/// use drumline::iter::plumbing::Producer;
///
/// /// Gives copies of a value.
/// struct Copies(u32, usize);
///
/// impl Producer for Copies {
///     type Item = u32;
///     type IntoIter = std::iter::RepeatN<u32>;
///     fn into_iter(self) -> Self::IntoIter {
///         std::iter::repeat_n(self.0, self.1)
///     }
///     fn split_at(self, index: usize) -> (Self, Self) {
///         (Copies(self.0, index), Copies(self.0, self.1 - index))
///     }
/// }
///
/// let (first, rest) = Copies(7, 5).split_at(2);
/// assert_eq!((first.into_iter().len(), rest.into_iter().len()), (2, 3));
/// ```
pub trait Producer: Send + Sized {
    /// What it gives.
    type Item;

    /// What it becomes where it is not split any more.
    type IntoIter: Iterator<Item = Self::Item> + DoubleEndedIterator + ExactSizeIterator;

    /// Whether a part begins with something that has a price, such as a state that is made for it.
    /// Then parts are gone through at once, and not in chunks.
    const HAS_STATE: bool = false;

    /// Whether its iterator may give fewer items than it should, because another part of the loop
    /// has panicked: `true` behind [`panic_fuse`](crate::iter::ParallelIterator::panic_fuse). A
    /// producer that wraps another one should pass on what that says.
    const ENDS_EARLY: bool = false;

    /// Becomes a sequential iterator.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Producer, ProducerCallback};
    /// use drumline::prelude::*;
    ///
    /// struct Backwards;
    ///
    /// impl<T> ProducerCallback<T> for Backwards {
    ///     type Output = Vec<T>;
    ///     fn callback<P: Producer<Item = T>>(self, producer: P) -> Vec<T> {
    ///         producer.into_iter().rev().collect()
    ///     }
    /// }
    ///
    /// assert_eq!(vec![1, 2, 3].into_par_iter().with_producer(Backwards), [3, 2, 1]);
    /// ```
    fn into_iter(self) -> Self::IntoIter;

    /// The fewest items that a part should have; a wish, and at least 1.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Producer, ProducerCallback};
    /// use drumline::prelude::*;
    ///
    /// struct MinLen;
    ///
    /// impl<T> ProducerCallback<T> for MinLen {
    ///     type Output = usize;
    ///     fn callback<P: Producer<Item = T>>(self, producer: P) -> usize {
    ///         producer.min_len()
    ///     }
    /// }
    ///
    /// let numbers = (0..100u32).into_par_iter();
    /// assert_eq!(numbers.with_min_len(10).with_producer(MinLen), 10);
    /// ```
    fn min_len(&self) -> usize {
        1
    }

    /// The most items that a part should have; a wish, too.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Producer, ProducerCallback};
    /// use drumline::prelude::*;
    ///
    /// struct MaxLen;
    ///
    /// impl<T> ProducerCallback<T> for MaxLen {
    ///     type Output = usize;
    ///     fn callback<P: Producer<Item = T>>(self, producer: P) -> usize {
    ///         producer.max_len()
    ///     }
    /// }
    ///
    /// let numbers = (0..100u32).into_par_iter();
    /// assert_eq!(numbers.with_max_len(10).with_producer(MaxLen), 10);
    /// ```
    fn max_len(&self) -> usize {
        usize::MAX
    }

    /// Splits it into the first `index` items and the rest.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Producer, ProducerCallback};
    /// use drumline::prelude::*;
    ///
    /// /// The sums of the first two items and of the others.
    /// struct TwoSums;
    ///
    /// impl ProducerCallback<u32> for TwoSums {
    ///     type Output = (u32, u32);
    ///     fn callback<P: Producer<Item = u32>>(self, producer: P) -> (u32, u32) {
    ///         let (first, rest) = producer.split_at(2);
    ///         drumline::join(|| first.into_iter().sum(), || rest.into_iter().sum())
    ///     }
    /// }
    ///
    /// assert_eq!(vec![1, 2, 3, 4].into_par_iter().with_producer(TwoSums), (3, 7));
    /// ```
    fn split_at(self, index: usize) -> (Self, Self);

    /// Gives all items to `folder`, until that is full.
    ///
    /// ```
    /// use drumline::iter::plumbing::{
    ///     Consumer, Folder, Producer, ProducerCallback, UnindexedConsumer,
    /// };
    /// use drumline::prelude::*;
    ///
    /// /// Goes through all items of another iterator on one thread.
    /// struct Alone<I>(I);
    ///
    /// impl<I: IndexedParallelIterator> ParallelIterator for Alone<I> {
    ///     type Item = I::Item;
    ///     fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
    ///         self.0.with_producer(Fold(consumer))
    ///     }
    /// }
    ///
    /// struct Fold<C>(C);
    ///
    /// impl<T, C: Consumer<T>> ProducerCallback<T> for Fold<C> {
    ///     type Output = C::Result;
    ///     fn callback<P: Producer<Item = T>>(self, producer: P) -> C::Result {
    ///         producer.fold_with(self.0.into_folder()).complete()
    ///     }
    /// }
    ///
    /// assert_eq!(Alone(vec![1, 2, 3].into_par_iter()).sum::<i32>(), 6);
    /// ```
    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Self::Item>,
    {
        folder.consume_iter(self.into_iter())
    }
}

/// A function that takes a producer, whatever its type is.
///
/// It stands for a closure with a generic parameter, which the language does not have.
///
/// ```
/// use drumline::iter::plumbing::{Producer, ProducerCallback};
/// use drumline::prelude::*;
///
/// /// Goes through all items on one thread.
/// struct InSequence;
///
/// impl<T> ProducerCallback<T> for InSequence {
///     type Output = Vec<T>;
///     fn callback<P: Producer<Item = T>>(self, producer: P) -> Vec<T> {
///         producer.into_iter().collect()
///     }
/// }
///
/// let squares = (1..4u32).into_par_iter().map(|number| number * number);
/// assert_eq!(squares.with_producer(InSequence), [1, 4, 9]);
/// ```
pub trait ProducerCallback<T> {
    /// What it returns.
    type Output;

    /// Calls it.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Producer, ProducerCallback};
    /// use drumline::prelude::*;
    ///
    /// struct Last;
    ///
    /// impl<T> ProducerCallback<T> for Last {
    ///     type Output = Option<T>;
    ///     fn callback<P: Producer<Item = T>>(self, producer: P) -> Option<T> {
    ///         producer.into_iter().next_back()
    ///     }
    /// }
    ///
    /// assert_eq!(vec![3, 1, 4].into_par_iter().with_producer(Last), Some(4));
    /// ```
    fn callback<P>(self, producer: P) -> Self::Output
    where
        P: Producer<Item = T>;
}

/// Gives items and can perhaps be split, at places that are not known in advance.
///
/// ```
/// use drumline::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
/// use drumline::prelude::*;
///
/// /// The words of a text.
/// struct Words<'t>(&'t str);
///
/// impl<'t> UnindexedProducer for Words<'t> {
///     type Item = &'t str;
///     fn split(self) -> (Self, Option<Self>) {
///         let middle = self.0.len() / 2;
///         match self.0.as_bytes()[middle..].iter().position(|byte| *byte == b' ') {
///             Some(gap) => {
///                 let (left, right) = self.0.split_at(middle + gap);
///                 (Words(left), Some(Words(right)))
///             }
///             None => (self, None),
///         }
///     }
///     fn fold_with<F: Folder<&'t str>>(self, folder: F) -> F {
///         folder.consume_iter(self.0.split_whitespace())
///     }
/// }
///
/// impl<'t> ParallelIterator for Words<'t> {
///     type Item = &'t str;
///     fn drive_unindexed<C: UnindexedConsumer<&'t str>>(self, consumer: C) -> C::Result {
///         bridge_unindexed(self, consumer)
///     }
/// }
///
/// assert_eq!(Words("of all the words").map(str::len).sum::<usize>(), 13);
/// ```
pub trait UnindexedProducer: Send + Sized {
    /// What it gives.
    type Item;

    /// Splits it in two, if that is possible: the first comes before the second.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Folder, UnindexedProducer};
    ///
    /// /// A range of numbers, which is not split below eight.
    /// struct Range(std::ops::Range<u32>);
    ///
    /// impl UnindexedProducer for Range {
    ///     type Item = u32;
    ///     fn split(self) -> (Self, Option<Self>) {
    ///         let std::ops::Range { start, end } = self.0;
    ///         if end - start < 8 {
    ///             return (self, None);
    ///         }
    ///         let middle = start.midpoint(end);
    ///         (Range(start..middle), Some(Range(middle..end)))
    ///     }
    ///     fn fold_with<F: Folder<u32>>(self, folder: F) -> F {
    ///         folder.consume_iter(self.0)
    ///     }
    /// }
    ///
    /// let (left, right) = Range(0..10).split();
    /// assert_eq!((left.0, right.map(|right| right.0)), (0..5, Some(5..10)));
    /// ```
    fn split(self) -> (Self, Option<Self>);

    /// Gives all items to `folder`, until that is full.
    ///
    /// ```
    /// use drumline::iter::plumbing::{
    ///     Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed,
    /// };
    /// use drumline::prelude::*;
    ///
    /// /// The numbers of a stack, from the top.
    /// struct Stack(Vec<u32>);
    ///
    /// impl UnindexedProducer for Stack {
    ///     type Item = u32;
    ///     fn split(mut self) -> (Self, Option<Self>) {
    ///         let middle = self.0.len() / 2;
    ///         let top = Stack(self.0.split_off(middle));
    ///         (top, (middle > 0).then_some(self))
    ///     }
    ///     fn fold_with<F: Folder<u32>>(mut self, mut folder: F) -> F {
    ///         while !folder.full() && let Some(number) = self.0.pop() {
    ///             folder = folder.consume(number);
    ///         }
    ///         folder
    ///     }
    /// }
    ///
    /// impl ParallelIterator for Stack {
    ///     type Item = u32;
    ///     fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
    ///         bridge_unindexed(self, consumer)
    ///     }
    /// }
    ///
    /// assert_eq!(Stack(vec![3, 2, 1]).collect::<Vec<_>>(), [1, 2, 3]);
    /// ```
    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Self::Item>;
}
