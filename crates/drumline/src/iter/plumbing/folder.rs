//! What takes items one after another, and what makes one result of two.

/// Takes items one after another.
///
/// ```
/// use drumline::iter::plumbing::Folder;
///
/// /// Adds numbers, up to a limit.
/// struct UpTo(u32, u32);
///
/// impl Folder<u32> for UpTo {
///     type Result = u32;
///     fn consume(self, number: u32) -> Self {
///         UpTo(self.0, self.1 + number)
///     }
///     fn complete(self) -> u32 {
///         self.1
///     }
///     fn full(&self) -> bool {
///         self.1 >= self.0
///     }
/// }
///
/// assert_eq!(UpTo(5, 0).consume_iter(1..).complete(), 1 + 2 + 3);
/// ```
pub trait Folder<Item>: Sized {
    /// What comes of it.
    type Result;

    /// Takes one item.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Folder, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Gives an item, and a copy of it.
    /// struct Twice<T>(T);
    ///
    /// impl<T: Send + Clone> ParallelIterator for Twice<T> {
    ///     type Item = T;
    ///     fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
    ///         let folder = consumer.into_folder().consume(self.0.clone());
    ///         if folder.full() {
    ///             return folder.complete();
    ///         }
    ///         folder.consume(self.0).complete()
    ///     }
    /// }
    ///
    /// assert_eq!(Twice(21).sum::<i32>(), 42);
    /// ```
    #[must_use]
    fn consume(self, item: Item) -> Self;

    /// Takes items until there are no more, or it is full.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Folder, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// The letters of a word.
    /// struct Letters(&'static str);
    ///
    /// impl ParallelIterator for Letters {
    ///     type Item = char;
    ///     fn drive_unindexed<C: UnindexedConsumer<char>>(self, consumer: C) -> C::Result {
    ///         consumer.into_folder().consume_iter(self.0.chars()).complete()
    ///     }
    /// }
    ///
    /// assert_eq!(Letters("drum").collect::<String>(), "drum");
    /// ```
    #[must_use]
    fn consume_iter<I>(mut self, iter: I) -> Self
    where
        I: IntoIterator<Item = Item>,
    {
        for item in iter {
            self = self.consume(item);
            if self.full() {
                break;
            }
        }
        self
    }

    /// Ends it.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Folder, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Gives nothing.
    /// struct Nothing;
    ///
    /// impl ParallelIterator for Nothing {
    ///     type Item = u32;
    ///     fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
    ///         consumer.into_folder().complete()
    ///     }
    /// }
    ///
    /// assert_eq!(Nothing.max(), None);
    /// ```
    fn complete(self) -> Self::Result;

    /// As [`complete`](Self::complete). Unless the loop of this folder `is_over`, its thread waits
    /// next, or begins another folder of the same loop: then nothing may stay open of what this one
    /// has, also not for a loop further out.
    #[doc(hidden)]
    fn close(self, is_over: bool) -> Self::Result {
        let _ = is_over;
        self.complete()
    }

    /// Whether it wants no more items.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Folder, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Counts without an end, until no number is wanted any more.
    /// struct Numbers;
    ///
    /// impl ParallelIterator for Numbers {
    ///     type Item = u64;
    ///     fn drive_unindexed<C: UnindexedConsumer<u64>>(self, consumer: C) -> C::Result {
    ///         let mut folder = consumer.into_folder();
    ///         let mut number = 0;
    ///         while !folder.full() {
    ///             folder = folder.consume(number);
    ///             number += 1;
    ///         }
    ///         folder.complete()
    ///     }
    /// }
    ///
    /// assert_eq!(Numbers.find_any(|number| number * number > 50), Some(8));
    /// ```
    fn full(&self) -> bool;
}

/// Makes one result of two neighbours.
///
/// ```
/// use drumline::iter::plumbing::Reducer;
///
/// /// Joins two texts.
/// struct Concat;
///
/// impl Reducer<String> for Concat {
///     fn reduce(self, left: String, right: String) -> String {
///         left + &right
///     }
/// }
///
/// assert_eq!(Concat.reduce("drum".to_owned(), "line".to_owned()), "drumline");
/// ```
pub trait Reducer<Result> {
    /// Joins the result of what comes first with that of what comes after it.
    ///
    /// ```
    /// use drumline::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Gives two items, perhaps on two threads.
    /// struct Pair<T>(T, T);
    ///
    /// impl<T: Send> ParallelIterator for Pair<T> {
    ///     type Item = T;
    ///     fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
    ///         let (first, second, reducer) = consumer.split_at(1);
    ///         let (left, right) = drumline::join(
    ///             || first.into_folder().consume(self.0).complete(),
    ///             || second.into_folder().consume(self.1).complete(),
    ///         );
    ///         reducer.reduce(left, right)
    ///     }
    /// }
    ///
    /// assert_eq!(Pair("drum", "line").collect::<String>(), "drumline");
    /// ```
    fn reduce(self, left: Result, right: Result) -> Result;
}
