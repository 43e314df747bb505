//! What takes items, as long as it can be split: consumers.

use super::inner_loop_threshold::InnerLoopThreshold;
use super::nest::{self, Nested};
use super::{Folder, Reducer};
use crate::iter::{IndexedParallelIterator, ParallelIterator};

/// Takes items; becomes a [`Folder`] where it is not split any more.
///
/// ```
/// use drumline::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
/// use drumline::prelude::*;
///
/// /// Counts items: the consumer, and what adds two counts.
/// struct Count;
///
/// impl<T> Consumer<T> for Count {
///     type Folder = Counted;
///     type Reducer = Count;
///     type Result = usize;
///     fn split_at(self, _index: usize) -> (Self, Self, Count) {
///         (Count, Count, Count)
///     }
///     fn into_folder(self) -> Counted {
///         Counted(0)
///     }
///     fn full(&self) -> bool {
///         false
///     }
/// }
///
/// impl<T> UnindexedConsumer<T> for Count {
///     fn split_off_left(&self) -> Self {
///         Count
///     }
///     fn to_reducer(&self) -> Count {
///         Count
///     }
/// }
///
/// struct Counted(usize);
///
/// impl<T> Folder<T> for Counted {
///     type Result = usize;
///     fn consume(self, _item: T) -> Self {
///         Counted(self.0 + 1)
///     }
///     fn complete(self) -> usize {
///         self.0
///     }
///     fn full(&self) -> bool {
///         false
///     }
/// }
///
/// impl Reducer<usize> for Count {
///     fn reduce(self, left: usize, right: usize) -> usize {
///         left + right
///     }
/// }
///
/// let odd = (0..1_000u32).into_par_iter().filter(|number| number % 2 == 1);
/// assert_eq!(odd.drive_unindexed(Count), 500);
/// ```
pub trait Consumer<Item>: Send + Sized {
    /// What it becomes.
    type Folder: Folder<Item, Result = Self::Result>;

    /// What makes one result of two, on whichever thread has the second of them.
    type Reducer: Reducer<Self::Result> + Send;

    /// What comes of it.
    type Result: Send;

    /// Whether [`resume`](Self::resume) may be called.
    const RESUMES: bool = false;

    /// Whether [`succeed`](Self::succeed) hands anything on.
    const SUCCEEDS: bool = false;

    /// Whether [`split_chunk`](Self::split_chunk) and [`advance`](Self::advance) take no notice of
    /// the count. Then they are also called, with the count 0, where the number of items is not
    /// known.
    const ADVANCES_UNCOUNTED: bool = false;

    /// Splits it into the consumer of the first `index` items, that of the rest, and what joins
    /// their results.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Gives 1, 2 and 3.
    /// struct Three;
    ///
    /// impl ParallelIterator for Three {
    ///     type Item = u32;
    ///     fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
    ///         let (first, rest, reducer) = consumer.split_at(2);
    ///         let left = first.into_folder().consume_iter([1, 2]).complete();
    ///         let right = rest.into_folder().consume(3).complete();
    ///         reducer.reduce(left, right)
    ///     }
    /// }
    ///
    /// assert_eq!(Three.map(|number| 10 * number).sum::<u32>(), 60);
    /// ```
    fn split_at(self, index: usize) -> (Self, Self, Self::Reducer);

    /// Becomes a folder.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Folder, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Gives one item.
    /// struct Single<T>(T);
    ///
    /// impl<T: Send> ParallelIterator for Single<T> {
    ///     type Item = T;
    ///     fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
    ///         consumer.into_folder().consume(self.0).complete()
    ///     }
    /// }
    ///
    /// assert_eq!(Single("word").map(str::len).collect::<Vec<_>>(), [4]);
    /// ```
    fn into_folder(self) -> Self::Folder;

    /// Whether it wants no more items.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Folder, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// The bytes of a file, which is read only if they are wanted.
    /// struct Bytes(&'static str);
    ///
    /// impl ParallelIterator for Bytes {
    ///     type Item = u8;
    ///     fn drive_unindexed<C: UnindexedConsumer<u8>>(self, consumer: C) -> C::Result {
    ///         if consumer.full() {
    ///             return consumer.into_folder().complete();
    ///         }
    ///         let bytes = std::fs::read(self.0).expect("the file can be read");
    ///         consumer.into_folder().consume_iter(bytes).complete()
    ///     }
    /// }
    ///
    /// assert_eq!(Bytes("no such file").take_any(0).count(), 0);
    /// ```
    fn full(&self) -> bool;

    /// Lets `folder` go on with the items of this consumer, which are the next ones after its own,
    /// as if the two had never been split.
    ///
    /// Called only where [`RESUMES`](Self::RESUMES) says so.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Gives 1 to 4, as one part if it may.
    /// struct Four;
    ///
    /// impl ParallelIterator for Four {
    ///     type Item = u32;
    ///     fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
    ///         let (first, rest, reducer) = consumer.split_at(2);
    ///         let folder = first.into_folder().consume_iter([1, 2]);
    ///         if C::RESUMES {
    ///             return rest.resume(folder).consume_iter([3, 4]).complete();
    ///         }
    ///         let right = rest.into_folder().consume_iter([3, 4]).complete();
    ///         reducer.reduce(folder.complete(), right)
    ///     }
    /// }
    ///
    /// let parts: Vec<u32> = Four.fold(|| 0, |sum, number| sum + number).collect();
    /// assert_eq!(parts, [10]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where it does not say so.
    fn resume(self, folder: Self::Folder) -> Self::Folder {
        let _ = folder;
        panic!("a consumer with `RESUMES` must have a `resume`");
    }

    /// Splits it into the consumer of a chunk, which is the first `count` items, and that of the
    /// rest, where one thread goes through both in turn: [`split_at`](Self::split_at), where that
    /// cannot be had for less.
    ///
    /// Called only where [`RESUMES`](Self::RESUMES) says so.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Consumer, Folder, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Gives 1 to 4.
    /// struct Four;
    ///
    /// impl ParallelIterator for Four {
    ///     type Item = u32;
    ///     fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
    ///         if !C::RESUMES {
    ///             return consumer.into_folder().consume_iter(1..=4).complete();
    ///         }
    ///         let (first, rest) = consumer.split_chunk(2);
    ///         let folder = first.into_folder().consume_iter([1, 2]);
    ///         rest.resume(folder).consume_iter([3, 4]).complete()
    ///     }
    /// }
    ///
    /// assert_eq!(Four.filter(|number| number % 2 == 0).sum::<u32>(), 6);
    /// ```
    fn split_chunk(self, count: usize) -> (Self, Self) {
        let (first, rest, _) = self.split_at(count);
        (first, rest)
    }

    /// Lets `folder` go on with the first `count` items of this consumer, and returns what takes
    /// the rest: [`split_at`](Self::split_at) and then [`resume`](Self::resume), where that cannot
    /// be had for less.
    ///
    /// Called only where [`RESUMES`](Self::RESUMES) says so.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Consumer, Folder, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Gives 1 to 4, and says before each two that there are two.
    /// struct Four;
    ///
    /// impl ParallelIterator for Four {
    ///     type Item = u32;
    ///     fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
    ///         if !C::RESUMES {
    ///             return consumer.into_folder().consume_iter(1..=4).complete();
    ///         }
    ///         let (first, rest) = consumer.split_chunk(2);
    ///         let folder = first.into_folder().consume_iter([1, 2]);
    ///         let (folder, _rest) = rest.advance(folder, 2);
    ///         folder.consume_iter([3, 4]).complete()
    ///     }
    /// }
    ///
    /// assert_eq!(Four.sum::<u32>(), 10);
    /// ```
    ///
    /// # Panics
    ///
    /// Where it does not say so.
    fn advance(self, folder: Self::Folder, count: usize) -> (Self::Folder, Self) {
        let (first, rest, _) = self.split_at(count);
        (first.resume(folder), rest)
    }

    /// Completes `folder`, which is done with items somewhere else, and becomes a folder on the
    /// same thread: one that may inherit what does not depend on where the items are.
    ///
    /// Called only where [`SUCCEEDS`](Self::SUCCEEDS) says so.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Gives 1 to 4, in two parts on one thread.
    /// struct Four;
    ///
    /// impl ParallelIterator for Four {
    ///     type Item = u32;
    ///     fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
    ///         let (first, rest, reducer) = consumer.split_at(2);
    ///         let folder = first.into_folder().consume_iter([1, 2]);
    ///         let (left, folder) = match C::SUCCEEDS {
    ///             true => rest.succeed(folder),
    ///             false => (folder.complete(), rest.into_folder()),
    ///         };
    ///         reducer.reduce(left, folder.consume_iter([3, 4]).complete())
    ///     }
    /// }
    ///
    /// let made = Four.map_init(|| "a state", |_state, number| number);
    /// assert_eq!(made.sum::<u32>(), 10);
    /// ```
    fn succeed(self, folder: Self::Folder) -> (Self::Result, Self::Folder) {
        (folder.complete(), self.into_folder())
    }

    /// Whether a loop of `len` items, which begins now, is short enough to go without an offer to
    /// other threads.
    #[doc(hidden)]
    fn hides(&self, len: usize) -> bool {
        let _ = len;
        false
    }

    /// Drives this consumer with the items of `inner`, which come after those of `open`: goes on
    /// with that folder, and leaves it open, where it can. The reducer is for them;
    /// `inner_loop_threshold` is that of all loops that follow each other so.
    #[doc(hidden)]
    fn nest<I>(
        self,
        reducer: Self::Reducer,
        open: Option<Self::Folder>,
        threshold: Option<&InnerLoopThreshold>,
        inner: I,
    ) -> Nested<Self::Folder, Self::Result>
    where
        I: IndexedParallelIterator<Item = Item>,
    {
        nest::nest(self, reducer, open, threshold, inner)
    }
}

/// A consumer that can be split without knowing how many items each part gets.
///
/// ```
/// use drumline::iter::plumbing::{Folder, Reducer, UnindexedConsumer};
/// use drumline::prelude::*;
///
/// /// The items of two vectors, which one thread each goes through.
/// struct Both<T>(Vec<T>, Vec<T>);
///
/// impl<T: Send> ParallelIterator for Both<T> {
///     type Item = T;
///     fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
///         let (first, reducer) = (consumer.split_off_left(), consumer.to_reducer());
///         let (left, right) = drumline::join(
///             || first.into_folder().consume_iter(self.0).complete(),
///             || consumer.into_folder().consume_iter(self.1).complete(),
///         );
///         reducer.reduce(left, right)
///     }
/// }
///
/// assert_eq!(Both(vec![1, 2], vec![3]).collect::<Vec<_>>(), [1, 2, 3]);
/// ```
pub trait UnindexedConsumer<I>: Consumer<I> {
    /// Splits off a consumer for items that come before all those of `self`.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Folder, Reducer, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Gives two items on one thread, as two parts.
    /// struct Pair<T>(T, T);
    ///
    /// impl<T: Send> ParallelIterator for Pair<T> {
    ///     type Item = T;
    ///     fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
    ///         let (first, reducer) = (consumer.split_off_left(), consumer.to_reducer());
    ///         let left = first.into_folder().consume(self.0).complete();
    ///         let right = consumer.into_folder().consume(self.1).complete();
    ///         reducer.reduce(left, right)
    ///     }
    /// }
    ///
    /// assert_eq!(Pair("drum", "line").collect::<String>(), "drumline");
    /// ```
    #[must_use]
    fn split_off_left(&self) -> Self;

    /// What joins the results of `self` and of what was split off.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Folder, Reducer, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Gives each item as a part of its own.
    /// struct OneByOne(Vec<u32>);
    ///
    /// impl ParallelIterator for OneByOne {
    ///     type Item = u32;
    ///     fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
    ///         let part = |item| consumer.split_off_left().into_folder().consume(item).complete();
    ///         let parts = self.0.into_iter().map(part);
    ///         parts
    ///             .reduce(|left, right| consumer.to_reducer().reduce(left, right))
    ///             .unwrap_or_else(|| consumer.split_off_left().into_folder().complete())
    ///     }
    /// }
    ///
    /// assert_eq!(OneByOne(vec![1, 2, 3]).collect::<Vec<_>>(), [1, 2, 3]);
    /// ```
    fn to_reducer(&self) -> Self::Reducer;

    /// As [`nest`](Consumer::nest), for an unknown number of items.
    #[doc(hidden)]
    fn nest_unindexed<L>(
        self,
        reducer: Self::Reducer,
        open: Option<Self::Folder>,
        threshold: Option<&InnerLoopThreshold>,
        inner: L,
    ) -> Nested<Self::Folder, Self::Result>
    where
        L: ParallelIterator<Item = I>,
    {
        nest::nest_unindexed(self, reducer, open, threshold, inner)
    }
}
